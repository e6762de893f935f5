// Tests volume types and the access to private types.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createType, createVolume, messageOf } from '../support.ts';

onEachDatabase('volume types', { auth: 'noauth2' }, (world) => {
  describe('GET /types', () => {
    it('lists the default type and __DEFAULT__ in a new cloud', async () => {
      const { body } = await ask(world, 'reader', 'GET', '/types?sort=name:asc').expect(200);
      expect(body.volume_types.map(({ name }: { name: string }) => name)).to.deep.equal([
        '__DEFAULT__',
        'lvmdriver-1',
      ]);
      expect(body.volume_types[1].extra_specs).to.deep.equal({});
    });

    it('filters by is_public, for administrators', async () => {
      await createType(world, { name: 'private', 'os-volume-type-access:is_public': false });
      const names = async (query: string): Promise<string[]> =>
        (
          (await askAsAdmin(world, 'GET', `/types?${query}&sort=name:asc`)).body as {
            volume_types: { name: string }[];
          }
        ).volume_types.map(({ name }) => name);
      expect(await names('')).to.not.include('private');
      expect(await names('is_public=None')).to.include('private');
      expect(await names('is_public=False')).to.deep.equal(['private']);
      await askAsAdmin(world, 'GET', '/types?is_public=x').expect(400);
    });

    it('filters by extra specs', async () => {
      await createType(world, { name: 't', extra_specs: { secret: 'y' } });
      const path = encodeURI("/types?extra_specs={'secret':'y'}");
      const { body } = await askAsAdmin(world, 'GET', path);
      expect(body.volume_types).to.have.length(1);
    });
  });

  describe('GET /types/default', () => {
    it('shows the default type', async () => {
      const { body } = await askAsAdmin(world, 'GET', '/types/default').expect(200);
      expect(body.volume_type).to.deep.include({
        name: 'lvmdriver-1',
        extra_specs: { volume_backend_name: 'lvmdriver-1' },
        qos_specs_id: null,
      });
    });
  });

  describe('POST /types', () => {
    it('returns 403 for a member', async () => {
      const body = { volume_type: { name: 'x' } };
      await ask(world, 'alice', 'POST', '/types', { body }).expect(403);
    });

    it('returns 409 if another type has the name', async () => {
      await createType(world, { name: 'gold', description: 'd', extra_specs: { a: 'b' } });
      const body = { volume_type: { name: 'gold' } };
      const refused = await askAsAdmin(world, 'POST', '/types', body).expect(409);
      expect(messageOf(refused)).to.equal('Volume Type gold already exists.');
    });
  });

  describe('PUT /types/{id}', () => {
    const put = (id: string, fields: object): supertest.Test =>
      askAsAdmin(world, 'PUT', `/types/${id}`, { volume_type: fields });

    it('changes the name and is_public', async () => {
      const id = await createType(world, { name: 'gold' });
      const { body } = await put(id, { name: 'silver', is_public: 'no' }).expect(200);
      expect(body.volume_type).to.include({ name: 'silver', is_public: false });
    });

    it('returns 409 if another type has the name', async () => {
      await put(await createType(world, { name: 'gold' }), { name: 'lvmdriver-1' }).expect(409);
    });

    it('returns 400 for a body without fields', async () => {
      const refused = await put(await createType(world, { name: 'gold' }), {}).expect(400);
      expect(messageOf(refused)).to.contain('Specify volume type name');
    });
  });

  describe('DELETE /types/{id}', () => {
    it('deletes a type', async () => {
      const id = await createType(world, { name: 'gold', extra_specs: { a: 'b' } });
      await askAsAdmin(world, 'DELETE', `/types/${id}`).expect(202);
      const missing = await askAsAdmin(world, 'GET', `/types/${id}`).expect(404);
      expect(messageOf(missing)).to.equal(`Volume type ${id} could not be found.`);
    });

    it('returns 400 if a volume has the type', async () => {
      const id = await createType(world, { name: 'gold' });
      await createVolume(world, 'alice', { volume_type: 'gold' });
      const refused = await askAsAdmin(world, 'DELETE', `/types/${id}`).expect(400);
      expect(messageOf(refused)).to.equal('Target volume type is still in use.');
    });

    it('returns 400 for the default type', async () => {
      const { body } = await askAsAdmin(world, 'GET', '/types/default');
      const { id } = body.volume_type as { id: string };
      const refused = await askAsAdmin(world, 'DELETE', `/types/${id}`).expect(400);
      expect(messageOf(refused)).to.contain('default volume type and cannot be deleted');
    });
  });

  describe('a private type', () => {
    let id: string;
    const action = (body: object): supertest.Test =>
      askAsAdmin(world, 'POST', `/types/${id}/action`, body);

    beforeEach(async () => {
      id = await createType(world, { name: 'private', 'os-volume-type-access:is_public': false });
    });

    it('is unknown to projects without access', async () => {
      await ask(world, 'alice', 'GET', `/types/${id}`).expect(404);
      await ask(world, 'alice', 'POST', '/volumes', {
        body: { volume: { size: 1, volume_type: 'private' } },
      }).expect(404);
    });

    it('can be used by a project after addProjectAccess', async () => {
      await action({ addProjectAccess: { project: 'b1' } }).expect(202);
      await action({ addProjectAccess: { project: 'b1' } }).expect(409);
      await createVolume(world, 'alice', { volume_type: 'private' });
      await ask(world, 'bob', 'GET', `/types/${id}`).expect(404);
    });

    it('lists the projects with access', async () => {
      await action({ addProjectAccess: { project: 'b1' } }).expect(202);
      const { body } = await askAsAdmin(world, 'GET', `/types/${id}/os-volume-type-access`).expect(
        200,
      );
      expect(body.volume_type_access).to.deep.equal([{ volume_type_id: id, project_id: 'b1' }]);
    });

    it('cannot be used any more after removeProjectAccess', async () => {
      await action({ addProjectAccess: { project: 'b1' } }).expect(202);
      await action({ removeProjectAccess: { project: 'b1' } }).expect(202);
      await ask(world, 'alice', 'GET', `/types/${id}`).expect(404);
      await action({ removeProjectAccess: { project: 'b1' } }).expect(404);
    });
  });
});
