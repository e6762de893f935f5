// Tests the default types of projects.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createType, createVolume, messageOf, volume } from '../support.ts';

onEachDatabase('default types', { auth: 'noauth2' }, (world) => {
  const path = '/default-types/b1';
  const put = (name: string): supertest.Test =>
    askAsAdmin(world, 'PUT', path, { default_type: { volume_type: name } });

  describe('GET /default-types', () => {
    it('lists the default types', async () => {
      const type = await createType(world, { name: 'gold' });
      await put('gold').expect(200);
      expect((await askAsAdmin(world, 'GET', '/default-types').expect(200)).body).to.deep.equal({
        default_types: [{ project_id: 'b1', volume_type_id: type }],
      });
    });

    it('returns 404 before 3.62', async () => {
      await askAsAdmin(world, 'GET', '/default-types', undefined, '3.61').expect(404);
    });
  });

  describe('GET /default-types/{project_id}', () => {
    it('returns 404 if the project has none', async () => {
      expect(messageOf(await askAsAdmin(world, 'GET', path).expect(404))).to.equal(
        'Default type for project b1 not found.',
      );
    });

    it('returns 403 for a member', async () => {
      expect(messageOf(await ask(world, 'alice', 'GET', path).expect(403))).to.equal(
        'You are not authorized to perform this operation.',
      );
    });
  });

  describe('PUT /default-types/{project_id}', () => {
    it('sets the default type by name or id', async () => {
      const type = await createType(world, { name: 'gold' });
      const expected = { default_type: { project_id: 'b1', volume_type_id: type } };
      expect((await put('gold').expect(200)).body).to.deep.equal(expected);
      expect((await put(type).expect(200)).body).to.deep.equal(expected);
      expect((await askAsAdmin(world, 'GET', path).expect(200)).body).to.deep.equal(expected);
    });

    it('returns 400 for an unknown type', async () => {
      expect(messageOf(await put('none').expect(400))).to.equal(
        'Volume type with name none could not be found.',
      );
    });

    it('applies to new volumes of the project only', async () => {
      await createType(world, { name: 'gold' });
      await put('gold').expect(200);
      expect(await volume(world, await createVolume(world, 'alice'))).to.include({
        volume_type: 'gold',
      });
      expect(await volume(world, await createVolume(world, 'bob'), 'bob')).to.include({
        volume_type: 'lvmdriver-1',
      });
      expect(
        (await ask(world, 'alice', 'GET', '/types/default').expect(200)).body.volume_type,
      ).to.include({ name: 'gold' });
    });

    it('makes DELETE /types/{id} return 400', async () => {
      const type = await createType(world, { name: 'gold' });
      await put('gold').expect(200);
      expect(messageOf(await askAsAdmin(world, 'DELETE', `/types/${type}`).expect(400))).to.equal(
        `The volume type ${type} is a default volume type and cannot be deleted.`,
      );
    });
  });

  describe('DELETE /default-types/{project_id}', () => {
    it('deletes the default type, and returns 204 also if the project has none', async () => {
      await createType(world, { name: 'gold' });
      await put('gold').expect(200);
      await askAsAdmin(world, 'DELETE', path).expect(204);
      await askAsAdmin(world, 'DELETE', path).expect(204);
      await askAsAdmin(world, 'GET', path).expect(404);
    });
  });
});
