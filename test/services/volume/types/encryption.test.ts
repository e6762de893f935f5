// Tests the encryption of volume types and of their volumes.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createType, createVolume, messageOf, volume } from '../support.ts';

onEachDatabase('encryption', { auth: 'noauth2' }, (world) => {
  const encryption = { provider: 'luks', control_location: 'front-end', key_size: '256' };
  let type: string;
  let path: string;

  beforeEach(async () => {
    type = await createType(world, { name: 'secret' });
    path = `/types/${type}/encryption`;
  });

  const create = async (): Promise<{ encryption_id: string }> =>
    (await askAsAdmin(world, 'POST', path, { encryption }).expect(200)).body.encryption as never;

  describe('GET /types/{id}/encryption', () => {
    it('returns an empty object if the type has none', async () => {
      expect((await askAsAdmin(world, 'GET', path).expect(200)).body).to.deep.equal({});
    });

    it('shows a single field', async () => {
      const { encryption_id: id } = await create();
      await askAsAdmin(world, 'PUT', `${path}/${id}`, { encryption: { cipher: 'aes' } }).expect(
        200,
      );
      const { body } = await askAsAdmin(world, 'GET', `${path}/cipher`).expect(200);
      expect(body).to.deep.equal({ cipher: 'aes' });
    });

    it('returns 404 for an unknown field', async () => {
      await create();
      await askAsAdmin(world, 'GET', `${path}/colour`).expect(404);
    });
  });

  describe('POST /types/{id}/encryption', () => {
    it('creates an encryption, and reads a key size in text', async () => {
      expect(await create()).to.include({ provider: 'luks', key_size: 256, volume_type_id: type });
    });

    it('returns 400 if the type has one', async () => {
      await create();
      const refused = await askAsAdmin(world, 'POST', path, { encryption }).expect(400);
      expect(messageOf(refused)).to.contain('already exists');
    });
  });

  describe('PUT /types/{id}/encryption/{encryption_id}', () => {
    it('changes the fields in the body', async () => {
      const { encryption_id: id } = await create();
      await askAsAdmin(world, 'PUT', `${path}/${id}`, { encryption: { cipher: 'aes' } }).expect(
        200,
      );
      expect((await askAsAdmin(world, 'GET', path)).body).to.include({
        cipher: 'aes',
        key_size: 256,
        encryption_id: id,
      });
    });
  });

  describe('DELETE /types/{id}/encryption/{encryption_id}', () => {
    it('deletes the encryption, and then returns 404', async () => {
      await create();
      await askAsAdmin(world, 'DELETE', `${path}/x`).expect(202);
      await askAsAdmin(world, 'DELETE', `${path}/x`).expect(404);
    });

    it('returns 400 while a volume has the type', async () => {
      await create();
      const id = await createVolume(world, 'alice', { volume_type: 'secret' });
      const refused = await askAsAdmin(world, 'DELETE', `${path}/x`).expect(400);
      expect(messageOf(refused)).to.equal('Cannot delete encryption specs. Volume type in use.');
      await ask(world, 'alice', 'DELETE', `/volumes/${id}`).expect(202);
      await askAsAdmin(world, 'DELETE', `${path}/x`).expect(202);
    });
  });

  describe('GET /volumes/{id}/encryption', () => {
    it('shows the encryption of the volume’s type, and the key', async () => {
      const { encryption_id: encryptionId } = await create();
      await askAsAdmin(world, 'PUT', `${path}/${encryptionId}`, {
        encryption: { cipher: 'aes' },
      }).expect(200);
      const id = await createVolume(world, 'alice', { volume_type: 'secret' });
      expect(await volume(world, id)).to.include({ encrypted: true });
      const { body } = await ask(world, 'alice', 'GET', `/volumes/${id}/encryption`).expect(200);
      expect(body).to.deep.equal({
        encryption_key_id: '00000000-0000-0000-0000-000000000000',
        provider: 'luks',
        control_location: 'front-end',
        cipher: 'aes',
        key_size: 256,
      });
    });

    it('shows a single field as text, and returns 404 for an unknown one', async () => {
      await create();
      const id = await createVolume(world, 'alice', { volume_type: 'secret' });
      const field = (name: string) =>
        ask(world, 'alice', 'GET', `/volumes/${id}/encryption/${name}`);
      const { text, headers } = await field('provider').expect(200);
      expect([text, headers['content-type']]).to.deep.equal(['luks', 'text/html; charset=UTF-8']);
      expect((await field('key_size').expect(200)).text).to.equal('256');
      expect((await field('cipher').expect(200)).text).to.equal('');
      await field('colour').expect(404);
    });

    it('hides the fields of volumes of other projects', async () => {
      await create();
      const id = await createVolume(world, 'alice', { volume_type: 'secret' });
      await ask(world, 'bob', 'GET', `/volumes/${id}/encryption/provider`).expect(404);
    });
  });
});
