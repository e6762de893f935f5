// Tests of transfers of volumes at the Block storage gateway.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  admin,
  alice,
  bob,
  messageOf,
  Tenancy,
  threePods,
  type Json,
  type Person,
} from './support.ts';

onEachDatabase('gateway: transfers', threePods, (world) => {
  const unknownId = '00000000-0000-0000-0000-000000000001';
  let cloud: Tenancy;
  let volume: Json;
  beforeEach(async () => {
    cloud = new Tenancy(world);
    volume = await cloud.volume('v');
  });

  const offer = async (path = '/volume-transfers'): Promise<Json> => {
    const body = { transfer: { volume_id: volume['id'], name: 't' } };
    const reply = await cloud.cinder('POST', path, { body }).expect(202);
    return (reply.body as Json)['transfer'] as Json;
  };
  const accept = ({ id, auth_key }: Json, as: Person, path = '/volume-transfers') =>
    cloud.cinder('POST', `${path}/${id}/accept`, { as, body: { accept: { auth_key } } });
  const names = async (path: string, as: Person): Promise<unknown[]> => {
    const { body } = await cloud.cinder('GET', path, { as }).expect(200);
    return (Object.values(body as Json)[0] as Json[]).map(({ name }) => name as unknown);
  };

  for (const path of ['/volume-transfers', '/os-volume-transfer'])
    describe(path, () => {
      it('moves a volume to a project that has nothing in any pod', async () => {
        await accept(await offer(path), bob, path).expect(202);
        expect(await names('/volumes', bob)).to.deep.equal(['v']);
        expect(await names('/volumes', alice)).to.deep.equal([]);
        await cloud.cinder('GET', `/volumes/${volume['id']}`, { as: alice }).expect(404);
        await cloud.cinder('DELETE', `/volumes/${volume['id']}`, { as: bob }).expect(202);
      });

      it('lists, shows and deletes a transfer of its own project', async () => {
        const { id } = await offer(path);
        expect(await names(path, alice)).to.deep.equal(['t']);
        expect(await names(`${path}/detail`, alice)).to.deep.equal(['t']);
        expect(await names(path, bob)).to.deep.equal([]);
        await cloud.cinder('GET', `${path}/${id}`).expect(200);
        await cloud.cinder('GET', `${path}/${id}`, { as: bob }).expect(404);
        await cloud.cinder('DELETE', `${path}/${id}`).expect(202);
        await cloud.cinder('GET', `${path}/${id}`).expect(404);
        expect(await cloud.podOf(id)).to.equal(undefined);
      });
    });

  it('moves the snapshots with the volume', async () => {
    const body = { snapshot: { volume_id: volume['id'], name: 's' } };
    await cloud.cinder('POST', '/snapshots', { body }).expect(202);
    await accept(await offer(), bob).expect(202);
    expect(await names('/snapshots', bob)).to.deep.equal(['s']);
    expect(await names('/snapshots', alice)).to.deep.equal([]);
  });

  it('returns 400 for a wrong key, and leaves the volume where it is', async () => {
    const transfer = await offer();
    await accept({ ...transfer, auth_key: 'wrong' }, bob).expect(400);
    expect(await names('/volume-transfers', alice)).to.deep.equal(['t']);
    expect(await names('/volumes', bob)).to.deep.equal([]);
    await accept(transfer, bob).expect(202);
  });

  it('returns 413 if the volume is more than the quota of the project allows', async () => {
    const quota_set = { volumes: 0 };
    await cloud
      .cinder('PUT', '/os-quota-sets/bolts', { as: admin, body: { quota_set } })
      .expect(200);
    await accept(await offer(), bob).expect(413);
    expect(await names('/volumes', alice)).to.deep.equal(['v']);
  });

  it('returns 404 for an unknown volume, and for an unknown transfer', async () => {
    const body = { transfer: { volume_id: unknownId, name: 't' } };
    const missing = await cloud.cinder('POST', '/volume-transfers', { body }).expect(404);
    expect(messageOf(missing.body)).to.equal(`Volume ${unknownId} could not be found.`);
    const reply = await accept({ id: unknownId, auth_key: 'k' }, bob).expect(404);
    expect(messageOf(reply.body)).to.equal(`Transfer ${unknownId} could not be found.`);
  });
});
