// Tests of /_emulator/notifications: what is kept, in which format, and how it is listed and
// streamed.
import { expect } from 'chai';
import type { AddressInfo } from 'node:net';
import { onEachDatabase } from '../../support/cloud.ts';
import { Clustering } from '../../services/clustering/support.ts';
import {
  act,
  admin,
  madeGroup,
  madeServer,
  newest,
} from '../../services/compute/servers/makers.ts';
import { cirrosId } from '../../../src/services/image/index.ts';
import { createLease, hostReservation, registerHosts } from '../../services/reservation/support.ts';

interface Listed {
  readonly id: number;
  readonly event_type: string;
  readonly publisher_id: string;
  readonly priority: string;
  readonly timestamp: string;
  readonly user_id: string | null;
  readonly project_id: string | null;
  readonly request_id: string;
  readonly payload: Record<string, any>;
}

const config = { auth: 'noauth2', hosts: '3' } as const;

onEachDatabase('/_emulator/notifications', config, (world) => {
  const keep = (count: number) =>
    world.http.put('/_emulator/notifications').send({ keep: count }).expect(200);
  const list = async (query = ''): Promise<Listed[]> =>
    (await world.http.get(`/_emulator/notifications${query}`).expect(200)).body.notifications;
  const types = async (query = ''): Promise<string[]> =>
    (await list(query)).map((one) => one.event_type);

  it('returns 409 with the next step while notifications are not kept', async () => {
    for (const path of ['', '/stream']) {
      const { body } = await world.http.get(`/_emulator/notifications${path}`).expect(409);
      expect(body.error.message).to.match(/^Notifications are not kept\. Keep them with PUT /);
    }
  });

  describe('of Nova', () => {
    beforeEach(() => keep(1000));

    it('report the creation, the new members and the deletion of a server group #server-groups-19', async () => {
      const group = await madeGroup(world, 'anti-affinity', { max_server_per_host: 3 });
      const { id } = await madeServer(world, {}, { ...admin, hints: { group } });
      await world
        .ask('compute', 'DELETE', `/compute/v2.1/os-server-groups/${group}`, admin)
        .expect(204);
      const found = await list('?event_type=server_group.*');
      expect(found.map((one) => one.event_type)).to.deep.equal([
        'server_group.create',
        'server_group.add_member',
        'server_group.delete',
      ]);
      expect(found[0]).to.deep.include({
        service: 'compute',
        publisher_id: 'nova-api:controller',
        priority: 'INFO',
        timestamp: '2026-11-20T12:00:00.000000Z',
        project_id: 'demo',
        payload: {
          'nova_object.name': 'ServerGroupPayload',
          'nova_object.namespace': 'nova',
          'nova_object.version': '1.1',
          'nova_object.data': {
            uuid: group,
            name: found[0]!.payload['nova_object.data'].name,
            project_id: 'demo',
            user_id: 'admin',
            policies: ['anti-affinity'],
            policy: 'anti-affinity',
            rules: { max_server_per_host: '3' },
            members: [],
            hosts: null,
          },
        },
      });
      expect(found[1]!.payload['nova_object.data'].members).to.deep.equal([id]);
    });

    it('report the start and the end of the actions on a server, with its state', async () => {
      const { id } = await madeServer(world, { networks: 'auto' }, admin);
      await act(world, id, { 'os-stop': null });
      await act(world, id, { lock: { locked_reason: 'audit' } });
      await act(world, id, { unlock: null });
      await world
        .ask('compute', 'DELETE', `/compute/v2.1/servers/${id}`, { ...admin, version: newest })
        .expect(204);
      const found = await list('?event_type=instance.*');
      expect(found.map((one) => one.event_type)).to.deep.equal([
        'instance.create.start',
        'instance.create.end',
        'instance.power_off.start',
        'instance.power_off.end',
        'instance.lock',
        'instance.unlock',
        'instance.delete.start',
        'instance.shutdown.start',
        'instance.shutdown.end',
        'instance.delete.end',
      ]);
      const states = found.map(({ payload }) => payload['nova_object.data'].state);
      expect(states.slice(0, 4)).to.deep.equal(['building', 'active', 'active', 'stopped']);
      expect(states.at(-1)).to.equal('deleted');
      expect(found[4]!.payload['nova_object.data']).to.include({
        locked: true,
        locked_reason: 'audit',
      });
      const created = found[1]!.payload;
      expect(created).to.include({
        'nova_object.name': 'InstanceCreatePayload',
        'nova_object.version': '1.13',
      });
      expect(created['nova_object.data']).to.deep.include({
        uuid: id,
        tenant_id: 'demo',
        power_state: 'running',
        task_state: null,
        launched_at: '2026-11-20T12:00:00Z',
        fault: null,
        action_initiator_user: 'admin',
        action_initiator_project: 'demo',
      });
      expect(found[1]!.publisher_id).to.match(/^nova-compute:compute-\d$/);
    });

    /** The events about a server since the last call, without `instance.`, with their hosts. */
    const eventsOf = async (id: string): Promise<string[]> => {
      const found = await list('?event_type=instance.*');
      await keep(0);
      await keep(1000);
      return found
        .filter(({ payload }) => payload['nova_object.data'].uuid === id)
        .map((one) => `${one.event_type.slice(9)} ${one.publisher_id.split(':')[1]}`);
    };
    const dataOf = async (type: string): Promise<Record<string, any>> =>
      (await list(`?event_type=${type}`))[0]!.payload['nova_object.data'];

    it('report the steps of a resize on both hosts, with the new flavor', async () => {
      const { id } = await madeServer(world, {}, admin);
      const { host: from } = await dataOf('instance.create.end');
      await eventsOf(id);
      await act(world, id, { resize: { flavorRef: '2' } });
      const { host: to } = await dataOf('instance.resize_finish.end');
      expect((await dataOf('instance.resize_prep.start'))['new_flavor']).to.deep.include({
        'nova_object.name': 'FlavorPayload',
        'nova_object.version': '1.4',
      });
      expect(await eventsOf(id)).to.deep.equal([
        `exists ${to}`,
        `resize_prep.start ${to}`,
        `resize_prep.end ${to}`,
        `resize.start ${from}`,
        `resize.end ${from}`,
        `resize_finish.start ${to}`,
        `resize_finish.end ${to}`,
      ]);
      await act(world, id, { revertResize: null });
      expect(await eventsOf(id)).to.deep.equal([
        `exists ${to}`,
        `resize_revert.start ${to}`,
        `resize_revert.end ${from}`,
      ]);
    });

    it('report the phases of a live migration on the host of each', async () => {
      const { id } = await madeServer(world, {}, admin);
      const { host: from } = await dataOf('instance.create.end');
      await eventsOf(id);
      await act(world, id, { 'os-migrateLive': { host: null, block_migration: 'auto' } });
      const { host: to } = await dataOf('instance.live_migration_post_dest.end');
      expect(to).not.to.equal(from);
      expect(await eventsOf(id)).to.deep.equal([
        `live_migration_pre.start ${to}`,
        `live_migration_pre.end ${to}`,
        `live_migration_post.start ${from}`,
        `live_migration_post_dest.start ${to}`,
        `live_migration_post_dest.end ${to}`,
        `live_migration_post.end ${from}`,
      ]);
    });

    it('report snapshots and rebuilds, with the image and the usage', async () => {
      const { id } = await madeServer(world, {}, admin);
      await eventsOf(id);
      await act(world, id, { createImage: { name: 'image' } });
      const { body } = await world.ask('image', 'GET', '/image/v2/images?name=image', admin);
      expect((await dataOf('instance.snapshot.end'))['snapshot_image_id']).to.equal(
        (body as { images: { id: string }[] }).images[0]!.id,
      );
      await act(world, id, { rebuild: { imageRef: cirrosId } });
      const period = (await dataOf('instance.exists'))['audit_period'];
      expect(period['nova_object.data']).to.deep.equal({
        audit_period_beginning: '2026-11-01T00:00:00Z',
        audit_period_ending: '2026-11-20T12:00:00Z',
      });
      expect((await eventsOf(id)).map((event) => event.split(' ')[0])).to.deep.equal([
        'snapshot.start',
        'snapshot.end',
        'exists',
        'rebuild.start',
        'rebuild.end',
      ]);
    });

    it('report new tags, and changes of states if the setting says so', async () => {
      const { id } = await madeServer(world, {}, admin);
      const tags = `/compute/v2.1/servers/${id}/tags`;
      await world
        .ask('compute', 'PUT', tags, { ...admin, version: newest, body: { tags: ['a'] } })
        .expect(200);
      await act(world, id, { 'os-stop': null });
      const [tagged, ...others] = await list('?event_type=instance.update');
      expect(others).to.deep.equal([]);
      expect(tagged!.publisher_id).to.equal('nova-api:controller');
      expect(tagged!.payload['nova_object.data'].tags).to.deep.equal(['a']);

      await world.http
        .put('/_emulator/compute/settings')
        .send({ notify_on_state_change: 'vm_and_task_state' })
        .expect(200);
      await keep(0);
      await keep(1000);
      await act(world, id, { 'os-start': null });
      await world
        .ask('compute', 'PUT', `/compute/v2.1/servers/${id}`, {
          ...admin,
          version: newest,
          body: { server: { name: 'new' } },
        })
        .expect(200);
      const updates = (await list('?event_type=instance.update')).map(
        ({ payload }) => payload['nova_object.data'],
      );
      expect(
        updates.map((data) => Object.values(data.state_update['nova_object.data'])),
      ).to.deep.equal([
        ['stopped', 'stopped', 'powering-on', 'powering-on'],
        ['stopped', 'active', 'powering-on', null],
        ['active', 'active', null, null],
      ]);
      expect(updates.map((data) => data.old_display_name === null)).to.deep.equal([
        true,
        true,
        false,
      ]);
    });

    it('are not written by a request that fails', async () => {
      await world
        .ask('compute', 'POST', '/compute/v2.1/os-server-groups', {
          ...admin,
          version: '2.64',
          body: {
            server_group: { name: 'g', policy: 'affinity', rules: { max_server_per_host: 1 } },
          },
        })
        .expect(400);
      expect(await list()).to.deep.equal([]);
    });
  });

  it('of Blazar report leases and their events', async () => {
    await registerHosts(world);
    await keep(1000);
    const { id } = await createLease(world, [hostReservation()]);
    await world.setTime('2027-01-01T00:00:00Z');
    await world.ask('reservation', 'DELETE', `/reservation/v1/leases/${id}`).expect(204);
    const found = await list('?service=reservation');
    expect(found.map((one) => one.event_type)).to.deep.equal([
      'lease.create',
      'lease.event.start_lease',
      'lease.event.before_end_lease',
      'lease.event.end_lease',
      'lease.delete',
    ]);
    expect(found[0]!.publisher_id).to.equal('blazar.lease');
    expect(found[0]!.payload).to.include({ lease_id: id, status: 'PENDING', degraded: false });
    expect(found[1]!.payload).to.include({ status: 'ACTIVE' });
    expect(found[0]!.payload['reservations']).to.have.length(1);
  });

  it('of Senlin report the actions on clusters, with the cluster and the action', async () => {
    const clustering = new Clustering(world);
    clustering.profile = await clustering.createProfile();
    await keep(1000);
    const id = await clustering.createCluster(1);
    await clustering.request('GET', `/clusters/${id}`).expect(200);
    const found = await list('?service=clustering&event_type=cluster.*');
    expect(found.map((one) => one.event_type)).to.deep.equal([
      'cluster.create.start',
      'cluster.create.end',
    ]);
    const { payload, publisher_id: publisher } = found[1]!;
    expect(publisher).to.equal('senlin-engine:controller');
    expect(payload['senlin_object.name']).to.equal('ClusterActionPayload');
    const { cluster, action } = payload['senlin_object.data'];
    expect(cluster['senlin_object.data']).to.include({ id, status: 'ACTIVE' });
    expect(action['senlin_object.data']).to.include({
      action: 'CLUSTER_CREATE',
      status: 'SUCCEEDED',
    });
  });

  describe('lists', () => {
    it('filter, and show the newest up to the limit and the number to keep', async () => {
      await keep(1000);
      for (let index = 0; index < 5; index++) await madeGroup(world, 'affinity');
      const all = await list();
      expect(all).to.have.length(5);
      expect(await list('?limit=2')).to.deep.equal(all.slice(-2));
      expect(await list(`?after=${all[2]!.id}`)).to.deep.equal(all.slice(3));
      expect(await list(`?request=${all[1]!.request_id}`)).to.deep.equal([all[1]]);
      expect(await types('?event_type=server_group.create')).to.have.length(5);
      expect(await types('?event_type=server_group')).to.deep.equal([]);
      expect(await types('?project=other')).to.deep.equal([]);
      await keep(3);
      expect(await list()).to.deep.equal(all.slice(-3));
    });

    it('are bounded: older notifications are deleted', async () => {
      await keep(10);
      for (let index = 0; index < 70; index++) {
        const group = await madeGroup(world, 'affinity');
        await world.ask('compute', 'DELETE', `/compute/v2.1/os-server-groups/${group}`, admin);
      }
      expect(await list('?limit=1000')).to.have.length(10);
      const { database } = world.cloud.firstRegion;
      expect(await database.db('notifications')).to.have.length.below(10 + 64 + 1);
    });

    it('are empty after a reset of the service, and after DELETE', async () => {
      await keep(10);
      await madeGroup(world, 'affinity');
      await world.http.post('/_emulator/reset').send({ service: 'volume' }).expect(204);
      expect(await types()).to.deep.equal(['server_group.create']);
      await world.http.post('/_emulator/reset').send({ service: 'compute' }).expect(204);
      expect(await types()).to.deep.equal([]);
      await madeGroup(world, 'affinity');
      await world.http.delete('/_emulator/notifications').expect(204);
      expect(await types()).to.deep.equal([]);
    });
  });

  it('streams notifications as they come, from a number on', async () => {
    await keep(10);
    await madeGroup(world, 'affinity');
    const { port } = world.server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/_emulator/notifications/stream?after=0`);
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    let text = '';
    const decoder = new TextDecoder();
    const events = (): string[] => text.match(/(?<=^event: ).*$/gm) ?? [];
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (events().length === 1) await madeGroup(world, 'soft-affinity');
      if (events().length === 2) break;
    }
    expect(events()).to.deep.equal(['server_group.create', 'server_group.create']);
    const data = JSON.parse(/^data: (.*)$/m.exec(text)![1]!) as Listed;
    expect(data).to.deep.equal((await list())[0]);
  });
});

// Nothing listens at port 1.
const unreachable = { ...config, notifications: 'amqp://guest:secret-password@127.0.0.1:1/' };

onEachDatabase(
  '--notifications with a message bus that cannot be reached',
  unreachable,
  (world) => {
    it('leaves notifications in the outbox, without the password', async () => {
      await madeGroup(world, 'affinity');
      const { body } = await world.http.get('/_emulator/outbox').expect(200);
      expect(body.messages).to.have.length(1);
      expect(body.messages[0]).to.include({ kind: 'notifications.publish' });
      expect(JSON.stringify(body)).not.to.include('secret-password');
    });
  },
);
