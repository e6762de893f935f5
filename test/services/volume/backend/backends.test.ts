// Tests several backends: where volumes go, and how they move to another one.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import {
  act,
  ask,
  askAsAdmin,
  attach,
  createSnapshot,
  createType,
  createVolume,
  messageOf,
  newest,
  server,
  volume,
} from '../support.ts';

const config = { auth: 'noauth2', volumeBackends: 2, volumeCapacity: 10 } as const;
const first = 'cumulet@lvmdriver-1#lvmdriver-1';
const second = 'cumulet@lvmdriver-2#lvmdriver-2';

onEachDatabase('several backends', config, (world) => {
  type Fields = Record<string, unknown>;
  const hostOf = async (id: string): Promise<unknown> =>
    (await volume(world, id, 'admin'))['os-vol-host-attr:host'];
  const migrate = (id: string, fields: object, version = newest): supertest.Test =>
    act(world, 'admin', id, { 'os-migrate_volume': fields }, version);
  const listed = async (path: string): Promise<Fields[]> => {
    const reply = await askAsAdmin(world, 'GET', path).expect(200);
    return Object.values(reply.body as Record<string, Fields[]>)[0]!;
  };
  const setService = (action: string, host: string): supertest.Test =>
    askAsAdmin(world, 'PUT', `/os-services/${action}`, {
      host,
      ...(action === 'disable' ? { binary: 'cinder-volume' } : {}),
    }).expect(200);

  it('have a service, a pool and a type each', async () => {
    const services = await listed('/os-services?binary=cinder-volume');
    expect(services.map(({ host }) => host)).to.deep.equal([
      'cumulet@lvmdriver-1',
      'cumulet@lvmdriver-2',
    ]);
    const pools = await listed('/scheduler-stats/get_pools?detail=true');
    expect(pools.map(({ name }) => name)).to.deep.equal([first, second]);
    expect(pools[1]!['capabilities']).to.include({
      volume_backend_name: 'lvmdriver-2',
      free_capacity_gb: 10,
    });
    const types = await listed('/types?is_public=None');
    expect(types.map(({ name }) => name)).to.include.members(['lvmdriver-1', 'lvmdriver-2']);
    const capabilities = await askAsAdmin(world, 'GET', '/capabilities/cumulet@lvmdriver-2');
    expect(capabilities.body).to.include({ volume_backend_name: 'lvmdriver-2' });
  });

  it('take the volumes of the types that name them, and the others by what they have free', async () => {
    expect(await hostOf(await createVolume(world, 'alice'))).to.equal(first);
    const typed = await createVolume(world, 'alice', { volume_type: 'lvmdriver-2', size: 5 });
    expect(await hostOf(typed)).to.equal(second);
    await createType(world, { name: 'any' });
    const anywhere = { volume_type: 'any', size: 3 };
    expect(await hostOf(await createVolume(world, 'alice', anywhere))).to.equal(first);
    expect(await hostOf(await createVolume(world, 'alice', anywhere))).to.equal(first);
    expect(await hostOf(await createVolume(world, 'alice', anywhere))).to.equal(second);
    const usage = await askAsAdmin(world, 'GET', '/os-hosts/cumulet@lvmdriver-2').expect(200);
    expect(JSON.stringify(usage.body)).to.include('"volume_count":"2"');
  });

  it('are disabled and frozen one by one', async () => {
    const typed = await createVolume(world, 'alice', { volume_type: 'lvmdriver-2' });
    await setService('freeze', 'cumulet@lvmdriver-2');
    await ask(world, 'alice', 'DELETE', `/volumes/${typed}`).expect(400);
    const other = await createVolume(world, 'alice');
    expect(await hostOf(other)).to.equal(first);
    await ask(world, 'alice', 'DELETE', `/volumes/${other}`).expect(202);
    await createType(world, { name: 'any' });
    await setService('thaw', 'cumulet@lvmdriver-2');
    await setService('disable', 'cumulet@lvmdriver-1');
    expect(await hostOf(await createVolume(world, 'alice', { volume_type: 'any' }))).to.equal(
      second,
    );
    const both = await askAsAdmin(world, 'PUT', '/os-services/freeze', { host: 'cumulet' });
    expect(messageOf(both)).to.equal('Services from different clusters found.');
  });

  it('manage their own volumes only', async () => {
    const id = await createVolume(world, 'alice', { volume_type: 'lvmdriver-2' });
    await act(world, 'admin', id, { 'os-unmanage': {} }).expect(202);
    const manage = async (host: string): Promise<unknown> => {
      const ref = { 'source-name': `volume-${id}` };
      const body = { volume: { host, ref, volume_type: '__DEFAULT__' } };
      const reply = await askAsAdmin(world, 'POST', '/manageable_volumes', body).expect(202);
      return (await volume(world, reply.body.volume.id, 'admin'))['status'];
    };
    expect(await manage('cumulet@lvmdriver-1')).to.equal('error');
    expect(await manage('cumulet@lvmdriver-2')).to.equal('available');
  });

  it('give volumes to each other', async () => {
    await createType(world, { name: 'any' });
    const id = await createVolume(world, 'alice', { volume_type: 'any' });
    const host = await hostOf(id);
    const other = host === first ? second : first;
    await migrate(id, { host: other, lock_volume: true }).expect(202);
    expect(await volume(world, id, 'admin')).to.include({
      status: 'available',
      migration_status: 'success',
      'os-vol-host-attr:host': other,
      'os-vol-mig-status-attr:migstat': 'success',
    });
    await migrate(id, { host: String(host).split('#')[0] }).expect(202);
    expect(await hostOf(id)).to.equal(host);
  });

  it('refuse volumes of types that they do not match, or for which they have no room', async () => {
    const typed = await createVolume(world, 'alice');
    await migrate(typed, { host: second }).expect(202);
    expect(await volume(world, typed, 'admin')).to.include({
      status: 'available',
      migration_status: 'error',
      'os-vol-host-attr:host': first,
    });
    await createType(world, { name: 'any' });
    await createVolume(world, 'alice', { volume_type: 'lvmdriver-2', size: 8 });
    const large = await createVolume(world, 'alice', { volume_type: 'any', size: 5 });
    await migrate(large, { host: second, lock_volume: true }).expect(202);
    expect(await volume(world, large, 'admin')).to.include({
      status: 'available',
      migration_status: 'error',
    });
  });

  it('are checked before a volume begins to move', async () => {
    const id = await createVolume(world, 'alice');
    const refusal = async (fields: object, version = newest): Promise<string> =>
      messageOf(await migrate(id, fields, version).expect(400));
    expect(await refusal({ host: 'cumulet@ceph' })).to.equal(
      "Invalid host: No available service named 'cumulet@ceph'",
    );
    expect(await refusal({})).to.include('One and only one of cluster and host must be set.');
    expect(await refusal({ cluster: 'c' })).to.equal(
      "Invalid host: No available service named 'c'",
    );
    expect(await refusal({ host: first })).to.match(
      /^Invalid volume: Volume .* destination host\/cluster must be different than the current one$/,
    );
    await createSnapshot(world, 'alice', id);
    expect(await refusal({ host: second })).to.include('must not be migrating, have snapshots');
    await act(world, 'alice', id, { 'os-migrate_volume': { host: second } }).expect(403);
  });

  it('do not exchange volumes in use that Compute did not attach', async () => {
    await createType(world, { name: 'any' });
    const id = await createVolume(world, 'alice', { volume_type: 'any' });
    await attach(world, id);
    await migrate(id, { host: second }).expect(202);
    expect(await volume(world, id, 'admin')).to.include({
      status: 'in-use',
      migration_status: 'error',
      'os-vol-host-attr:host': first,
    });
  });

  it('exchange volumes whose new type is at another backend, if the policy allows it', async () => {
    const retype = async (id: string, policy: string): Promise<Fields> => {
      const fields = { new_type: 'lvmdriver-2', migration_policy: policy };
      await act(world, 'alice', id, { 'os-retype': fields }).expect(202);
      return volume(world, id, 'admin');
    };
    const id = await createVolume(world, 'alice');
    expect(await retype(id, 'never')).to.include({
      status: 'available',
      volume_type: 'lvmdriver-1',
      migration_status: null,
    });
    expect(await retype(id, 'on-demand')).to.include({
      status: 'available',
      volume_type: 'lvmdriver-2',
      migration_status: 'success',
      'os-vol-host-attr:host': second,
    });
    const copied = await createVolume(world, 'alice');
    await createSnapshot(world, 'alice', copied);
    expect(await retype(copied, 'on-demand')).to.include({ volume_type: 'lvmdriver-1' });
  });

  it('completes the exchange of attachments for Compute', async () => {
    const [id, target] = [await createVolume(world, 'alice'), await createVolume(world, 'alice')];
    await attach(world, id);
    const complete = (fields: object): supertest.Test =>
      act(world, 'admin', id, { 'os-migrate_volume_completion': fields });
    const reply = await complete({ new_volume: target }).expect(200);
    expect(reply.body).to.deep.equal({ save_volume_id: target });
    expect(await volume(world, id)).to.include({ status: 'available' });
    const [attachment] = (await volume(world, target))['attachments'] as Fields[];
    expect(attachment).to.include({ server_id: server, device: '/dev/vdb' });
    const setMigration = (one: string, migration_status: string): supertest.Test =>
      act(world, 'admin', one, { 'os-reset_status': { migration_status } }).expect(202);
    await setMigration(target, 'migrating');
    expect(messageOf(await complete({ new_volume: target }).expect(400))).to.equal(
      'Invalid volume: Source volume not mid-migration.',
    );
    await setMigration(id, 'migrating');
    expect(messageOf(await complete({ new_volume: target }).expect(400))).to.equal(
      `Invalid volume: Destination has migration_status migrating, expected target:${id}.`,
    );
    await complete({ new_volume: server }).expect(404);
  });

  it('put a group where all of its types are', async () => {
    await askAsAdmin(world, 'POST', '/group_types', { group_type: { name: 'gold' } }).expect(202);
    const group = async (types: string[]): Promise<Fields> => {
      const created = await ask(world, 'alice', 'POST', '/groups', {
        body: { group: { group_type: 'gold', volume_types: types } },
      }).expect(202);
      const reply = await askAsAdmin(world, 'GET', `/groups/${created.body.group.id}`);
      return (reply.body as { group: Fields }).group;
    };
    await createType(world, { name: 'any' });
    expect(await group(['lvmdriver-2', 'any'])).to.include({ status: 'available' });
    expect(await group(['lvmdriver-1', 'lvmdriver-2'])).to.include({ status: 'error' });
  });
});
