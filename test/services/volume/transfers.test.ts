// Tests of transfers of volumes between projects.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, makeSnapshot, makeVolume, said, volume } from './support.ts';

onEachDatabase('transfers of volumes', { auth: 'noauth2' }, (world) => {
  interface Offer {
    id: string;
    auth_key: string;
  }
  const offer = async (id: string, fields: object = {}, version?: string): Promise<Offer> => {
    const body = { transfer: { volume_id: id, ...fields } };
    const asked = { body, ...(version ? { version } : {}) };
    return (
      (await ask(world, 'alice', 'POST', '/volume-transfers', asked).expect(202)).body as {
        transfer: Offer;
      }
    ).transfer;
  };
  const accept = ({ id, auth_key }: Offer) =>
    ask(world, 'bob', 'POST', `/volume-transfers/${id}/accept`, { body: { accept: { auth_key } } });

  it('take a volume with its snapshots to whoever has the key', async () => {
    const id = await makeVolume(world, 'alice');
    const snapshot = await makeSnapshot(world, 'alice', id);
    const made = await offer(id, { name: ' t ' });
    expect(made).to.include({
      name: 't',
      volume_id: id,
      no_snapshots: false,
      source_project_id: 'b1',
      accepted: false,
    });
    expect(made.auth_key).to.match(/^[0-9a-f]{16}$/);
    expect(await volume(world, id)).to.include({ status: 'awaiting-transfer' });
    expect(
      (await ask(world, 'alice', 'GET', '/volume-transfers').expect(200)).body.transfers,
    ).to.have.length(1);
    expect(
      (await ask(world, 'bob', 'GET', '/volume-transfers/detail').expect(200)).body.transfers,
    ).to.deep.equal([]);
    await ask(world, 'bob', 'GET', `/volume-transfers/${made.id}`).expect(404);
    expect(said(await accept({ ...made, auth_key: 'x' }).expect(400))).to.contain(
      'with invalid auth key',
    );
    expect((await accept(made).expect(202)).body.transfer).to.include({
      id: made.id,
      volume_id: id,
      name: 't',
    });
    expect(await volume(world, id, 'bob')).to.include({
      status: 'available',
      'os-vol-tenant-attr:tenant_id': 'b2',
      user_id: 'bob',
    });
    await ask(world, 'bob', 'GET', `/snapshots/${snapshot}`).expect(200);
    await ask(world, 'alice', 'GET', `/volumes/${id}`).expect(404);
    expect(said(await accept(made).expect(404))).to.equal(
      `Transfer ${made.id} could not be found.`,
    );
  });

  it('leave snapshots where they are, if that is said', async () => {
    const id = await makeVolume(world, 'alice');
    const snapshot = await makeSnapshot(world, 'alice', id);
    await accept(await offer(id, { no_snapshots: true })).expect(202);
    await ask(world, 'bob', 'GET', `/snapshots/${snapshot}`).expect(404);
    await ask(world, 'alice', 'GET', `/snapshots/${snapshot}`).expect(200);
  });

  it('are taken back', async () => {
    const id = await makeVolume(world, 'alice');
    const { id: transfer } = await offer(id);
    const body = { transfer: { volume_id: id } };
    expect(
      said(await ask(world, 'alice', 'POST', '/volume-transfers', { body }).expect(400)),
    ).to.equal('Invalid volume: status must be available');
    await ask(world, 'alice', 'DELETE', `/volume-transfers/${transfer}`).expect(202);
    expect(await volume(world, id)).to.include({ status: 'available' });
  });

  it('count towards the quota of who takes them', async () => {
    const made = await offer(await makeVolume(world, 'alice'));
    await ask(world, 'admin', 'PUT', '/os-quota-sets/b2', {
      body: { quota_set: { volumes: 0 } },
    }).expect(200);
    expect(said(await accept(made).expect(413))).to.contain(
      'Maximum number of volumes allowed (0)',
    );
  });

  it('have an older path, which lists the oldest first', async () => {
    const ids = [await makeVolume(world, 'alice'), await makeVolume(world, 'alice')];
    for (const volume_id of ids)
      await ask(world, 'alice', 'POST', '/os-volume-transfer', {
        body: { transfer: { volume_id } },
        version: '3.0',
      }).expect(202);
    const listed = await ask(world, 'alice', 'GET', '/os-volume-transfer/detail', {
      version: '3.0',
    }).expect(200);
    expect(listed.body.transfers).to.have.length(2);
    expect(listed.body.transfers[0]).to.have.all.keys(
      'id',
      'volume_id',
      'name',
      'created_at',
      'links',
    );
    await ask(world, 'alice', 'POST', '/volume-transfers', {
      body: { transfer: { volume_id: ids[0], no_snapshots: true } },
      version: '3.54',
    }).expect(400);
  });
});
