// Tests volumes and snapshots that the backend keeps when they are unmanaged, and that are managed
// again.
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
  volume,
} from '../support.ts';

const backend = 'cumulet@lvmdriver-1';

onEachDatabase('manageable volumes and snapshots', { auth: 'noauth2' }, (world) => {
  type Fields = Record<string, unknown>;
  const manage = (fields: object, version = newest): supertest.Test =>
    askAsAdmin(world, 'POST', '/manageable_volumes', { volume: fields }, version);
  const managed = async (fields: object): Promise<Fields> => {
    const reply = await manage({ host: backend, ...fields }).expect(202);
    return volume(world, reply.body.volume.id, 'admin');
  };
  const manageSnapshot = (fields: object): supertest.Test =>
    askAsAdmin(world, 'POST', '/manageable_snapshots', { snapshot: fields });
  const unmanage = (id: string): supertest.Test =>
    act(world, 'admin', id, { 'os-unmanage': {} }).expect(202);
  const unmanageSnapshot = (id: string): supertest.Test =>
    askAsAdmin(world, 'POST', `/snapshots/${id}/action`, { 'os-unmanage': {} });
  const list = async (path: string, query = ''): Promise<Fields[]> => {
    const reply = await askAsAdmin(world, 'GET', `/${path}?host=${backend}${query}`).expect(200);
    return Object.values(reply.body as Record<string, Fields[]>)[0]!;
  };
  const setQuota = (limits: object): supertest.Test =>
    askAsAdmin(world, 'PUT', '/os-quota-sets/b1', { quota_set: limits }).expect(200);

  /** Creates a volume, and removes it but for the backend. @returns its name at the backend */
  async function unmanagedVolume(size = 1): Promise<string> {
    const id = await createVolume(world, 'alice', { size });
    await unmanage(id);
    await ask(world, 'alice', 'GET', `/volumes/${id}`).expect(404);
    return `volume-${id}`;
  }

  it('keeps an unmanaged volume at the backend, from which it is managed again', async () => {
    const name = await unmanagedVolume(2);
    expect(await list('manageable_volumes/detail')).to.deep.equal([
      {
        reference: { 'source-name': name },
        size: 2,
        safe_to_manage: true,
        reason_not_safe: null,
        cinder_id: null,
        extra_info: null,
      },
    ]);
    const reply = await manage({
      host: backend,
      ref: { 'source-name': name },
      name: ' again ',
      description: 'd',
      bootable: 'true',
      metadata: { a: 'b' },
    }).expect(202);
    expect(reply.body.volume).to.deep.include({ status: 'creating', size: 0, name: 'again' });
    expect(reply.body.volume).not.to.have.any.keys('volume_type_id', 'group_id');
    const { id } = reply.body.volume as { id: string };
    expect(await volume(world, id, 'admin')).to.deep.include({
      status: 'available',
      size: 2,
      name: 'again',
      description: 'd',
      bootable: 'true',
      metadata: { a: 'b' },
      availability_zone: 'nova',
      'os-vol-host-attr:host': 'cumulet@lvmdriver-1#lvmdriver-1',
    });
    expect(await list('manageable_volumes/detail')).to.deep.equal([
      {
        reference: { 'source-name': `volume-${id}` },
        size: 2,
        safe_to_manage: false,
        reason_not_safe: 'already managed',
        cinder_id: id,
        extra_info: null,
      },
    ]);
  });

  it('takes neither quota nor capacity while it is unmanaged', async () => {
    await setQuota({ volumes: 1 });
    await unmanagedVolume();
    await createVolume(world, 'alice');
  });

  it('ends in error for an unknown, malformed or managed reference', async () => {
    const id = await createVolume(world, 'alice');
    for (const ref of [{ 'source-name': 'none' }, { 'source-id': 'x' }, 'none', {}]) {
      const made = await managed({ ref });
      expect(made, JSON.stringify(ref)).to.include({ status: 'error', size: 0 });
      await ask(world, 'admin', 'DELETE', `/volumes/${String(made['id'])}`).expect(202);
      await ask(world, 'admin', 'GET', `/volumes/${String(made['id'])}`).expect(404);
    }
    expect(await list('manageable_volumes')).to.have.length(1);
    const refused = await manage({ host: backend, ref: { 'source-name': `volume-${id}` } });
    expect(refused.status).to.equal(400);
    expect(messageOf(refused)).to.equal(
      'Invalid volume: Unable to manage existing volume. The volume is already managed',
    );
  });

  it('ends in error if its size exceeds the quota, and leaves it at the backend', async () => {
    const name = await unmanagedVolume(3);
    await askAsAdmin(world, 'PUT', '/os-quota-sets/admin', { quota_set: { gigabytes: 2 } });
    expect(await managed({ ref: { 'source-name': name } })).to.include({ status: 'error' });
    expect(await list('manageable_volumes')).to.deep.include({
      reference: { 'source-name': name },
      size: 3,
      safe_to_manage: true,
    });
    await askAsAdmin(world, 'PUT', '/os-quota-sets/admin', { quota_set: { volumes: 1 } });
    await manage({ host: backend, ref: { 'source-name': name } }).expect(413);
  });

  it('checks the host, the cluster and the type', async () => {
    const ref = { 'source-name': 'x' };
    const refusal = async (fields: object, version = newest): Promise<string> =>
      messageOf(await manage({ ref, ...fields }, version).expect(400));
    expect(await refusal({})).to.equal(
      'Invalid input received: One and only one of cluster and host must be set.',
    );
    expect(await refusal({}, '3.15')).to.equal('Invalid input received: Host field is missing.');
    expect(await refusal({ cluster: 'c' })).to.equal("Cluster 'c' not found");
    expect(await refusal({ host: 'nowhere@lvm' })).to.equal("Host 'nowhere@lvm' not found");
    expect(await refusal({ host: backend, volume_type: 'none' })).to.equal(
      "Invalid volume type: Cannot find requested 'none' volume type",
    );
    await askAsAdmin(world, 'PUT', '/os-services/disable', {
      binary: 'cinder-volume',
      host: backend,
    });
    expect(await refusal({ host: backend })).to.equal('Service is unavailable at this time.');
  });

  it('ends in error for another pool, and for a type that the backend does not have', async () => {
    await createType(world, { name: 'other', extra_specs: { volume_backend_name: 'ceph' } });
    const ref = { 'source-name': await unmanagedVolume() };
    expect(await managed({ host: `${backend}#other`, ref })).to.include({ status: 'error' });
    expect(await managed({ ref, volume_type: 'other' })).to.include({ status: 'error' });
    expect(await managed({ host: `${backend}#lvmdriver-1`, ref })).to.include({
      status: 'available',
    });
  });

  it('does not unmanage volumes that cannot be deleted', async () => {
    const attached = await createVolume(world, 'alice');
    await attach(world, attached);
    const copied = await createVolume(world, 'alice');
    await createSnapshot(world, 'alice', copied);
    for (const id of [attached, copied])
      expect(messageOf(await act(world, 'admin', id, { 'os-unmanage': {} }).expect(400))).to.match(
        /^Invalid volume: Volume status must be available or error/,
      );
    await act(world, 'alice', attached, { 'os-unmanage': {} }).expect(403);
  });

  it('keeps an unmanaged snapshot at the backend, from which it is managed again', async () => {
    const id = await createVolume(world, 'alice', { size: 2 });
    const snapshot = await createSnapshot(world, 'alice', id);
    const name = `_snapshot-${snapshot}`;
    const listed = {
      reference: { 'source-name': name },
      size: 2,
      source_reference: { 'source-name': `volume-${id}` },
    };
    expect(await list('manageable_snapshots')).to.deep.equal([
      { ...listed, safe_to_manage: false },
    ]);
    await unmanageSnapshot(snapshot).expect(202);
    await ask(world, 'alice', 'GET', `/snapshots/${snapshot}`).expect(404);
    expect(await list('manageable_snapshots')).to.deep.equal([{ ...listed, safe_to_manage: true }]);
    for (const ref of ['none', null, { 'source-name': `volume-${id}` }]) {
      const { body } = await manageSnapshot({ volume_id: id, ref }).expect(202);
      const made = await askAsAdmin(world, 'GET', `/snapshots/${body.snapshot.id}`).expect(200);
      expect(made.body.snapshot, JSON.stringify(ref)).to.include({ status: 'error' });
    }
    const reply = await manageSnapshot({ volume_id: id, ref: name, name: 'again' }).expect(202);
    expect(reply.body.snapshot).to.include({ status: 'creating', name: 'again', size: 2 });
    expect(reply.body.snapshot).not.to.have.any.keys('group_snapshot_id', 'user_id');
    const shown = await askAsAdmin(world, 'GET', `/snapshots/${reply.body.snapshot.id}`);
    expect(shown.body.snapshot).to.include({
      status: 'available',
      volume_id: id,
      'os-extended-snapshot-attributes:progress': '100%',
    });
  });

  it('shows the new name of the volume that a snapshot comes from', async () => {
    const id = await createVolume(world, 'alice');
    await unmanageSnapshot(await createSnapshot(world, 'alice', id)).expect(202);
    await unmanage(id);
    const made = await managed({ ref: { 'source-name': `volume-${id}` } });
    const [snapshot] = await list('manageable_snapshots');
    expect(snapshot!['source_reference']).to.deep.equal({
      'source-name': `volume-${String(made['id'])}`,
    });
  });

  it('sorts and pages', async () => {
    const names: string[] = [];
    for (const size of [3, 1, 2]) names.push(await unmanagedVolume(size));
    const sizes = async (query: string): Promise<unknown[]> =>
      (await list('manageable_volumes', query)).map((one) => one['size']);
    const namesOf = async (query: string): Promise<unknown[]> =>
      (await list('manageable_volumes', query)).map(
        (one) => (one['reference'] as Fields)['source-name'],
      );
    expect(await sizes('&sort=size:asc')).to.deep.equal([1, 2, 3]);
    expect(await sizes('&sort_key=size')).to.deep.equal([3, 2, 1]);
    expect(await namesOf('')).to.deep.equal(names.toSorted().toReversed());
    expect(await sizes('&sort=size:asc&limit=1&offset=1')).to.deep.equal([2]);
    const marker = encodeURIComponent(JSON.stringify({ 'source-name': names[1] }));
    expect(await sizes(`&sort=size:asc&marker=${marker}`)).to.deep.equal([2, 3]);
    const refusal = async (query: string): Promise<string> => {
      const path = `/manageable_volumes?host=${backend}${query}`;
      return messageOf(await askAsAdmin(world, 'GET', path).expect(400));
    };
    expect(await refusal('&sort=name')).to.equal('Invalid sort keys passed: name');
    expect(await refusal('&sort=size:up')).to.equal('Invalid sort dirs passed: up');
    expect(await refusal('&marker=x')).to.equal(
      'Invalid input received: marker x can not be analysed, please use json like format',
    );
    expect(await refusal('&marker=%7B%22source-name%22%3A%22x%22%7D')).to.equal(
      "Invalid input received: marker not found: {'source-name': 'x'}",
    );
    await askAsAdmin(world, 'GET', '/manageable_volumes?host=nowhere').expect(404);
    await askAsAdmin(world, 'GET', '/manageable_volumes').expect(400);
  });

  it('has older paths in all versions, and newer ones from 3.8 on', async () => {
    for (const path of ['os-volume-manage', 'os-snapshot-manage/detail'])
      await askAsAdmin(world, 'GET', `/${path}?host=${backend}`, undefined, '3.0').expect(200);
    for (const path of ['manageable_volumes', 'manageable_snapshots/detail'])
      await askAsAdmin(world, 'GET', `/${path}?host=${backend}`, undefined, '3.7').expect(404);
  });

  it('forbids all of it to members', async () => {
    await ask(world, 'alice', 'GET', `/manageable_volumes?host=${backend}`).expect(403);
    const body = { volume: { host: backend, ref: { 'source-name': 'x' } } };
    await ask(world, 'alice', 'POST', '/os-volume-manage', { body }).expect(403);
  });
});
