// Tests group types and their specs.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, messageOf } from '../support.ts';
import { createGroup, createGroupType } from './support.ts';

onEachDatabase('group types', { auth: 'noauth2' }, (world) => {
  const create = (fields: object, version?: string): supertest.Test =>
    askAsAdmin(world, 'POST', '/group_types', { group_type: fields }, version);

  describe('POST /group_types', () => {
    it('creates a group type with specs', async () => {
      const reply = await create({
        name: 'gold',
        description: 'd',
        is_public: false,
        group_specs: { a: 'b', c: null },
      }).expect(202);
      const { id, ...type } = reply.body.group_type;
      expect(type).to.deep.equal({
        name: 'gold',
        description: 'd',
        is_public: false,
        group_specs: { a: 'b', c: null },
      });
      const shown = await askAsAdmin(world, 'GET', `/group_types/${id}`).expect(200);
      expect(shown.body.group_type).to.deep.equal({ id, ...type });
    });

    it('returns 409 for a name that exists', async () => {
      await create({ name: 'gold' }).expect(202);
      expect(messageOf(await create({ name: 'gold' }).expect(409))).to.equal(
        'Group Type gold already exists.',
      );
    });

    it('returns 400 for a name with blanks around it', async () => {
      expect(messageOf(await create({ name: ' gold' }).expect(400))).to.contain(
        "An invalid 'name' value was provided.",
      );
    });

    it('returns 404 before 3.11, and 403 for members', async () => {
      await create({ name: 'gold' }, '3.10').expect(404);
      await ask(world, 'alice', 'POST', '/group_types', {
        body: { group_type: { name: 'gold' } },
      }).expect(403);
    });
  });

  describe('GET /group_types', () => {
    const names = async (who: 'admin' | 'alice', query = ''): Promise<string[]> => {
      const reply = await ask(world, who, 'GET', `/group_types${query}`).expect(200);
      return (reply.body.group_types as { name: string }[]).map(({ name }) => name);
    };

    it('lists public types, and for administrators the type of consistency groups', async () => {
      await createGroupType(world, { name: 'gold' });
      await createGroupType(world, { name: 'secret', is_public: false });
      expect(await names('alice')).to.deep.equal(['gold', 'default_cgsnapshot_type']);
      expect(await names('admin', '?is_public=None')).to.have.members([
        'gold',
        'secret',
        'default_cgsnapshot_type',
      ]);
      expect(await names('admin', '?is_public=false')).to.deep.equal(['secret']);
    });

    it('sorts and pages', async () => {
      await createGroupType(world, { name: 'b' });
      await createGroupType(world, { name: 'a' });
      const path = '/group_types?sort=name:asc&limit=1';
      const first = await ask(world, 'alice', 'GET', path).expect(200);
      expect(first.body.group_types).to.have.length(1);
      expect(first.body.group_types[0].name).to.equal('a');
      expect(first.body.group_type_links[0].href).to.contain('marker=');
      const after = `?sort=name:asc&marker=${first.body.group_types[0].id}`;
      expect(await names('alice', after)).to.deep.equal(['b', 'default_cgsnapshot_type']);
    });

    it('hides the specs from members, and private types', async () => {
      const open = await createGroupType(world, { name: 'gold', group_specs: { a: 'b' } });
      const secret = await createGroupType(world, { name: 'secret', is_public: false });
      const shown = await ask(world, 'alice', 'GET', `/group_types/${open}`).expect(200);
      expect(shown.body.group_type).not.to.have.property('group_specs');
      await ask(world, 'alice', 'GET', `/group_types/${secret}`).expect(404);
    });

    it('returns 404 for the default, which is not configured', async () => {
      expect(
        messageOf(await ask(world, 'alice', 'GET', '/group_types/default').expect(404)),
      ).to.equal('Default group type can not be found.');
    });
  });

  describe('PUT /group_types/{id}', () => {
    it('changes the fields in the body', async () => {
      const id = await createGroupType(world, { name: 'gold', description: 'd' });
      const reply = await askAsAdmin(world, 'PUT', `/group_types/${id}`, {
        group_type: { name: 'silver', is_public: false },
      }).expect(200);
      expect(reply.body.group_type).to.include({
        name: 'silver',
        description: 'd',
        is_public: false,
      });
    });

    it('returns 400 for a body that changes nothing, and for a blank name', async () => {
      const id = await createGroupType(world, { name: 'gold' });
      const put = (fields: object): supertest.Test =>
        askAsAdmin(world, 'PUT', `/group_types/${id}`, { group_type: fields });
      expect(messageOf(await put({}).expect(400))).to.equal(
        'Specify group type name, description or a combination thereof.',
      );
      expect(messageOf(await put({ name: ' ' }).expect(400))).to.equal(
        'Group type name can not be empty.',
      );
    });
  });

  describe('DELETE /group_types/{id}', () => {
    it('deletes a type that no group has', async () => {
      const id = await createGroupType(world, { name: 'gold', group_specs: { a: 'b' } });
      await askAsAdmin(world, 'DELETE', `/group_types/${id}`).expect(202);
      await askAsAdmin(world, 'GET', `/group_types/${id}`).expect(404);
    });

    it('returns 400 for a type of a group', async () => {
      const id = await createGroupType(world, { name: 'gold' });
      await createGroup(world, 'alice', { group_type: id });
      expect(
        messageOf(await askAsAdmin(world, 'DELETE', `/group_types/${id}`).expect(400)),
      ).to.equal(
        `Target group type is still in use. Group Type ${id} deletion is not allowed with ` +
          'groups present with the type.',
      );
    });
  });

  describe('/group_types/{id}/group_specs', () => {
    it('adds, replaces, shows and deletes specs', async () => {
      const id = await createGroupType(world, { name: 'gold', group_specs: { a: '1' } });
      const specs = `/group_types/${id}/group_specs`;
      await askAsAdmin(world, 'POST', specs, { group_specs: { a: '2', b: '3' } }).expect(202);
      await askAsAdmin(world, 'PUT', `${specs}/b`, { b: '4' }).expect(200);
      expect((await askAsAdmin(world, 'GET', specs).expect(200)).body).to.deep.equal({
        group_specs: { a: '2', b: '4' },
      });
      await askAsAdmin(world, 'DELETE', `${specs}/a`).expect(202);
      expect((await askAsAdmin(world, 'GET', `${specs}/b`).expect(200)).body).to.deep.equal({
        b: '4',
      });
      expect(messageOf(await askAsAdmin(world, 'GET', `${specs}/a`).expect(404))).to.equal(
        `Group Type ${id} has no extra spec with key a.`,
      );
      expect(messageOf(await askAsAdmin(world, 'DELETE', `${specs}/a`).expect(404))).to.equal(
        `Group Type ${id} has no specs with key a.`,
      );
    });

    it('returns 400 if the body has another key than the path', async () => {
      const id = await createGroupType(world, { name: 'gold' });
      const path = `/group_types/${id}/group_specs/a`;
      expect(messageOf(await askAsAdmin(world, 'PUT', path, { b: '1' }).expect(400))).to.equal(
        'Request body and URI mismatch',
      );
    });
  });
});
