// Tests of the soft deletion of servers, which the setting reclaim_instance_interval enables.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault } from '../support.ts';
import {
  act,
  admin,
  madeServer,
  newest,
  postServer,
  showServer,
  type Shown,
} from '../servers/makers.ts';

onEachDatabase('compute: soft-deleted servers', config, (world) => {
  const setInterval = (seconds: number) =>
    world.http
      .put('/_emulator/compute/settings')
      .send({ reclaim_instance_interval: seconds })
      .expect(200);
  const advance = (seconds: number) =>
    world.http.post('/_emulator/clock/advance').send({ seconds }).expect(200);
  const get = (path: string) => ask(world, 'GET', path, { ...admin, version: newest });
  const post = (id: string, body: object, as = admin) =>
    ask(world, 'POST', `/servers/${id}/action`, { ...as, version: newest, body });
  const remove = (id: string) =>
    ask(world, 'DELETE', `/servers/${id}`, { ...admin, version: newest }).expect(204);
  const names = async (query: string): Promise<string[]> => {
    const { body } = await get(`/servers?${query}`).expect(200);
    return (body as { servers: Shown[] }).servers.map(({ name }) => name);
  };
  const instancesUsed = async (): Promise<unknown> => {
    const { body } = await get('/limits').expect(200);
    return (body as { limits: { absolute: Record<string, unknown> } }).limits.absolute[
      'totalInstancesUsed'
    ];
  };
  const allocations = async (id: string): Promise<object> => {
    const { body } = await world
      .ask('placement', 'GET', `/placement/allocations/${id}`, { version: '1.39' })
      .expect(200);
    return (body as { allocations: object }).allocations;
  };
  /** Creates a server and deletes it softly. */
  const softDeleted = async (fields: object = {}): Promise<Shown> => {
    const { id } = await madeServer(world, { ...fields });
    await remove(id);
    return showServer(world, id);
  };

  beforeEach(() => setInterval(60));

  it('DELETE turns a server off and keeps it on its host', async () => {
    const server = await softDeleted();
    expect(server).to.include({
      status: 'SOFT_DELETED',
      'OS-EXT-STS:vm_state': 'soft-delete',
      'OS-EXT-STS:task_state': null,
      'OS-EXT-STS:power_state': 4,
    });
    expect(server['OS-EXT-SRV-ATTR:host']).to.be.a('string');
    expect(Object.keys(await allocations(server.id))).to.have.length(1);
    const { body } = await get(`/servers/${server.id}/os-instance-actions`).expect(200);
    const [last] = (body as { instanceActions: { action: string }[] }).instanceActions;
    expect(last!.action).to.equal('delete');
  });

  it('a soft-deleted server uses no quota', async () => {
    await madeServer(world);
    await softDeleted();
    expect(await instancesUsed()).to.equal(1);
  });

  it('lists have it with deleted or soft_deleted only', async () => {
    await madeServer(world, { name: 'running' });
    await softDeleted({ name: 'gone' });
    expect(await names('')).to.deep.equal(['running']);
    expect(await names('status=SOFT_DELETED')).to.deep.equal([]);
    expect(await names('soft_deleted=True')).to.have.members(['running', 'gone']);
    expect(await names('deleted=True')).to.deep.equal(['gone']);
    expect(await names('deleted=True&status=SOFT_DELETED')).to.deep.equal(['gone']);
  });

  it('a server group leaves it out of its members', async () => {
    const created = await ask(world, 'POST', '/os-server-groups', {
      ...admin,
      version: newest,
      body: { server_group: { name: 'g', policy: 'anti-affinity' } },
    }).expect(200);
    const { id: group } = (created.body as { server_group: { id: string } }).server_group;
    const { body } = await postServer(world, {}, { ...admin, hints: { group } }).expect(202);
    await remove((body as { server: { id: string } }).server.id);
    const shown = await get(`/os-server-groups/${group}`).expect(200);
    expect((shown.body as { server_group: { members: string[] } }).server_group.members).to.eql([]);
  });

  it('is deleted for good when the interval has passed', async () => {
    const { id } = await softDeleted();
    await advance(59);
    expect((await showServer(world, id)).status).to.equal('SOFT_DELETED');
    await advance(1);
    await get(`/servers/${id}`).expect(404);
    expect(await allocations(id)).to.deep.equal({});
  });

  it('deletes the volume that is to be deleted with the server', async () => {
    const root = {
      boot_index: 0,
      source_type: 'blank',
      destination_type: 'volume',
      volume_size: 1,
      delete_on_termination: true,
    };
    const volumes = async (): Promise<string[]> => {
      const { body } = await world
        .ask('volume', 'GET', '/volume/v3/volumes/detail', { token: 'admin:demo' })
        .expect(200);
      return (body as { volumes: { status: string }[] }).volumes.map(({ status }) => status);
    };
    const { id } = await softDeleted({ imageRef: undefined, block_device_mapping_v2: [root] });
    expect(await volumes()).to.deep.equal(['in-use']);
    await advance(60);
    await get(`/servers/${id}`).expect(404);
    expect(await volumes()).to.deep.equal([]);
  });

  it('restore starts it again, and keeps it', async () => {
    const { id } = await softDeleted();
    await advance(30);
    const server = await act(world, id, { restore: null });
    expect(server).to.include({ status: 'ACTIVE', 'OS-EXT-STS:power_state': 1 });
    expect(await instancesUsed()).to.equal(1);
    await advance(1000);
    expect((await showServer(world, id)).status).to.equal('ACTIVE');
  });

  it('restore returns 403 if the quota is used up', async () => {
    const { id } = await softDeleted();
    const { projectId } = { projectId: (await showServer(world, id))['tenant_id'] };
    await ask(world, 'PUT', `/os-quota-sets/${projectId as string}`, {
      ...admin,
      version: newest,
      body: { quota_set: { instances: 0 } },
    }).expect(200);
    expectFault(
      await post(id, { restore: null }),
      403,
      'Quota exceeded for instances: Requested 1, but already used 0 of 0 instances',
    );
    expect((await showServer(world, id)).status).to.equal('SOFT_DELETED');
  });

  it('other actions return 409', async () => {
    const { id } = await softDeleted();
    expectFault(
      await post(id, { 'os-start': null }),
      409,
      `Cannot 'start' instance ${id} while it is in vm_state soft-delete`,
    );
  });

  it('forceDelete deletes it at once, and also a running server', async () => {
    const { id } = await softDeleted();
    await post(id, { forceDelete: null }).expect(202);
    await get(`/servers/${id}`).expect(404);
    const running = await madeServer(world);
    await post(running.id, { forceDelete: null }).expect(202);
    await get(`/servers/${running.id}`).expect(404);
  });

  it('a second DELETE restarts the interval', async () => {
    const { id } = await softDeleted();
    await advance(59);
    await remove(id);
    await advance(59);
    expect((await showServer(world, id)).status).to.equal('SOFT_DELETED');
    await advance(1);
    await get(`/servers/${id}`).expect(404);
  });

  it('a resize that waits for confirmation is confirmed', async () => {
    const { id } = await madeServer(world);
    await act(world, id, { resize: { flavorRef: '2' } });
    await remove(id);
    expect((await showServer(world, id)).status).to.equal('SOFT_DELETED');
    const { body } = await get('/os-migrations').expect(200);
    const [migration] = (body as { migrations: { status: string }[] }).migrations;
    expect(migration!.status).to.equal('confirmed');
    await advance(60);
    await get(`/servers/${id}`).expect(404);
  });

  it('a server that is on no host is deleted at once', async () => {
    const { id } = await madeServer(world);
    await act(world, id, { shelve: null });
    await remove(id);
    await get(`/servers/${id}`).expect(404);
  });

  it('a server on a host that is down is deleted at once', async () => {
    const { id, 'OS-EXT-SRV-ATTR:host': host } = await madeServer(world);
    const { body } = await get(`/os-services?host=${host as string}`).expect(200);
    const [service] = (body as { services: { id: string }[] }).services;
    await ask(world, 'PUT', `/os-services/${service!.id}`, {
      ...admin,
      version: newest,
      body: { forced_down: true },
    }).expect(200);
    await remove(id);
    await get(`/servers/${id}`).expect(404);
  });

  it('a changed interval applies to soft-deleted servers', async () => {
    const { id } = await softDeleted();
    await setInterval(1000);
    await advance(60);
    expect((await showServer(world, id)).status).to.equal('SOFT_DELETED');
    await setInterval(30);
    await get(`/servers/${id}`).expect(404);
  });

  it('without an interval, a soft-deleted server stays until it is deleted', async () => {
    const { id } = await softDeleted();
    await setInterval(0);
    await advance(100_000);
    expect((await showServer(world, id)).status).to.equal('SOFT_DELETED');
    await remove(id);
    await get(`/servers/${id}`).expect(404);
  });
});
