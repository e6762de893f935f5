// Tests transfers of volumes between projects.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, createSnapshot, createVolume, messageOf, volume } from './support.ts';

onEachDatabase('transfers', { auth: 'noauth2' }, (world) => {
  interface Offer {
    id: string;
    auth_key: string;
  }
  const post = (id: string, fields: object = {}): supertest.Test =>
    ask(world, 'alice', 'POST', '/volume-transfers', {
      body: { transfer: { volume_id: id, ...fields } },
    });
  const offer = async (id: string, fields: object = {}): Promise<Offer> =>
    ((await post(id, fields).expect(202)).body as { transfer: Offer }).transfer;
  const accept = ({ id, auth_key }: Offer): supertest.Test =>
    ask(world, 'bob', 'POST', `/volume-transfers/${id}/accept`, { body: { accept: { auth_key } } });

  describe('POST /volume-transfers', () => {
    it('creates a transfer with a key, and reserves the volume', async () => {
      const id = await createVolume(world, 'alice');
      const created = await offer(id, { name: ' t ' });
      expect(created).to.include({
        name: 't',
        volume_id: id,
        no_snapshots: false,
        source_project_id: 'b1',
        accepted: false,
      });
      expect(created.auth_key).to.match(/^[0-9a-f]{16}$/);
      expect(await volume(world, id)).to.include({ status: 'awaiting-transfer' });
    });

    it('returns 400 for a volume that has a transfer', async () => {
      const id = await createVolume(world, 'alice');
      await offer(id);
      expect(messageOf(await post(id).expect(400))).to.equal(
        'Invalid volume: status must be available',
      );
    });

    it('returns 400 for no_snapshots before 3.55', async () => {
      await ask(world, 'alice', 'POST', '/volume-transfers', {
        body: { transfer: { volume_id: await createVolume(world, 'alice'), no_snapshots: true } },
        version: '3.54',
      }).expect(400);
    });
  });

  describe('GET /volume-transfers', () => {
    it('compares created_at for equality, for administrators, and no time with updated_at', async () => {
      await offer(await createVolume(world, 'alice'));
      const count = async (filter: string): Promise<number> => {
        const path = `/volume-transfers?all_tenants=1&${filter}`;
        const { transfers } = (await ask(world, 'admin', 'GET', path).expect(200)).body;
        return (transfers as unknown[]).length;
      };
      expect(await count('created_at=2026-11-20T12:00:00.000000')).to.equal(1);
      expect(await count('created_at=2026-11-20')).to.equal(0);
      expect(await count('created_at=gt:2020')).to.equal(0);
      expect(await count('updated_at=2026-11-20T12:00:00.000000')).to.equal(0);
    });

    it('lists the transfers of the caller’s volumes', async () => {
      await offer(await createVolume(world, 'alice'));
      expect(
        (await ask(world, 'alice', 'GET', '/volume-transfers').expect(200)).body.transfers,
      ).to.have.length(1);
      expect(
        (await ask(world, 'bob', 'GET', '/volume-transfers/detail').expect(200)).body.transfers,
      ).to.deep.equal([]);
    });
  });

  describe('GET /volume-transfers/{id}', () => {
    it('returns 404 for another project, even if it may accept the transfer', async () => {
      const { id } = await offer(await createVolume(world, 'alice'));
      await ask(world, 'bob', 'GET', `/volume-transfers/${id}`).expect(404);
    });
  });

  describe('POST /volume-transfers/{id}/accept', () => {
    it('returns 400 for a wrong key', async () => {
      const created = await offer(await createVolume(world, 'alice'));
      const refused = await accept({ ...created, auth_key: 'x' }).expect(400);
      expect(messageOf(refused)).to.contain('with invalid auth key');
    });

    it('moves the volume with its snapshots to the project that has the key', async () => {
      const id = await createVolume(world, 'alice');
      const snapshot = await createSnapshot(world, 'alice', id);
      const created = await offer(id, { name: 't' });
      expect((await accept(created).expect(202)).body.transfer).to.include({
        id: created.id,
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
    });

    it('returns 404 for a transfer that was accepted', async () => {
      const created = await offer(await createVolume(world, 'alice'));
      await accept(created).expect(202);
      expect(messageOf(await accept(created).expect(404))).to.equal(
        `Transfer ${created.id} could not be found.`,
      );
    });

    it('leaves the snapshots in their project for no_snapshots', async () => {
      const id = await createVolume(world, 'alice');
      const snapshot = await createSnapshot(world, 'alice', id);
      await accept(await offer(id, { no_snapshots: true })).expect(202);
      await ask(world, 'bob', 'GET', `/snapshots/${snapshot}`).expect(404);
      await ask(world, 'alice', 'GET', `/snapshots/${snapshot}`).expect(200);
    });

    it('returns 413 if the volume exceeds the quota of the accepting project', async () => {
      const created = await offer(await createVolume(world, 'alice'));
      await ask(world, 'admin', 'PUT', '/os-quota-sets/b2', {
        body: { quota_set: { volumes: 0 } },
      }).expect(200);
      expect(messageOf(await accept(created).expect(413))).to.contain(
        'Maximum number of volumes allowed (0)',
      );
    });
  });

  describe('DELETE /volume-transfers/{id}', () => {
    it('deletes a transfer, and makes its volume available', async () => {
      const id = await createVolume(world, 'alice');
      const { id: transfer } = await offer(id);
      await ask(world, 'alice', 'DELETE', `/volume-transfers/${transfer}`).expect(202);
      expect(await volume(world, id)).to.include({ status: 'available' });
    });
  });

  describe('/os-volume-transfer', () => {
    it('creates and lists transfers with the fields of old versions', async () => {
      const ids = [await createVolume(world, 'alice'), await createVolume(world, 'alice')];
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
    });
  });
});
