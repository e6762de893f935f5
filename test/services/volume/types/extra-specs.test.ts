// Tests the extra specs of volume types.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createType, createVolume } from '../support.ts';

onEachDatabase('extra specs', { auth: 'noauth2' }, (world) => {
  let path: string;
  const post = (extraSpecs: object): supertest.Test =>
    askAsAdmin(world, 'POST', path, { extra_specs: extraSpecs });

  beforeEach(async () => {
    path = `/types/${await createType(world, { name: 'gold' })}/extra_specs`;
    await post({ secret: 'x', multiattach: '<is> True' }).expect(200);
  });

  describe('GET /types/{id}/extra_specs', () => {
    it('lists all extra specs to administrators, and few to others', async () => {
      expect((await askAsAdmin(world, 'GET', path)).body.extra_specs).to.deep.equal({
        secret: 'x',
        multiattach: '<is> True',
      });
      expect((await ask(world, 'reader', 'GET', path)).body.extra_specs).to.deep.equal({
        multiattach: '<is> True',
      });
      await ask(world, 'reader', 'GET', `${path}/secret`).expect(404);
    });
  });

  describe('POST /types/{id}/extra_specs', () => {
    it('returns 400 for specs that exclude each other', async () => {
      await post({ cacheable: '<is> True' }).expect(400);
    });

    it('returns 400 if a volume has the type', async () => {
      const id = await createType(world, { name: 'silver' });
      await createVolume(world, 'alice', { volume_type: 'silver' });
      await askAsAdmin(world, 'POST', `/types/${id}/extra_specs`, {
        extra_specs: { a: 'b' },
      }).expect(400);
    });
  });

  describe('PUT /types/{id}/extra_specs/{key}', () => {
    it('changes an extra spec', async () => {
      const reply = await askAsAdmin(world, 'PUT', `${path}/secret`, { secret: 'y' }).expect(200);
      expect(reply.body).to.deep.equal({ secret: 'y' });
      expect((await askAsAdmin(world, 'GET', path)).body.extra_specs).to.deep.equal({
        secret: 'y',
        multiattach: '<is> True',
      });
    });

    it('returns 400 if the body has another key', async () => {
      await askAsAdmin(world, 'PUT', `${path}/secret`, { other: 'y' }).expect(400);
    });
  });

  describe('DELETE /types/{id}/extra_specs/{key}', () => {
    it('deletes an extra spec, and then returns 404', async () => {
      await askAsAdmin(world, 'DELETE', `${path}/secret`).expect(202);
      await askAsAdmin(world, 'DELETE', `${path}/secret`).expect(404);
    });

    it('returns 403 for a member', async () => {
      await ask(world, 'alice', 'DELETE', `${path}/multiattach`).expect(403);
    });
  });
});
