// Groups and their members.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, message, signIn } from '../support.ts';

onEachDatabase('identity: groups', {}, (world) => {
  describe('POST /v3/groups', () => {
    it('creates a group', async () => {
      const reply = await ask(world, 'POST', '/v3/groups', {
        body: { group: { name: ' a "team" ', colour: 'red' } },
      });
      expect(reply.status).to.equal(201);
      expect(reply.body.group).to.include({
        name: 'a "team"',
        domain_id: 'default',
        description: '',
        colour: 'red',
      });
    });

    it('returns 409 for a duplicate name', async () => {
      await make(world, 'group', { name: 'team' });
      const again = await ask(world, 'POST', '/v3/groups', { body: { group: { name: 'team' } } });
      expect(message(again)).to.equal(
        'Conflict occurred attempting to store group - Duplicate entry found with name ' +
          'team at domain ID default.',
      );
    });

    it('returns 400 for a long name', async () => {
      const long = await ask(world, 'POST', '/v3/groups', {
        body: { group: { name: 'x'.repeat(65) } },
      });
      expect(long.status).to.equal(400);
      expect(message(long)).to.match(/^String length exceeded\..* column name\(CHAR\(64\)\)\.$/);
    });
  });

  describe('GET /v3/groups', () => {
    it('filters by name and domain', async () => {
      await make(world, 'group', { name: 'one' });
      await make(world, 'group', { name: 'two' });
      expect((await ask(world, 'GET', '/v3/groups?name=one')).body.groups).to.have.length(1);
      expect((await ask(world, 'GET', '/v3/groups?domain_id=nope')).body.groups).to.deep.equal([]);
    });

    it('returns 403 without the role admin', async () => {
      expect(
        (await ask(world, 'GET', '/v3/groups', { token: await signIn(world, { name: 'demo' }) }))
          .status,
      ).to.equal(403);
    });
  });

  describe('GET, PATCH and DELETE /v3/groups/{group_id}', () => {
    it('return 403 without the role admin, and 404 for DELETE of an unknown group', async () => {
      const { id } = await make(world, 'group', { name: 'one' });
      const token = await signIn(world, { name: 'demo' });
      const status = async (method: string, group: string): Promise<number> => {
        const body = method === 'PATCH' ? { body: { group: { name: 'x' } } } : {};
        return (await ask(world, method, `/v3/groups/${group}`, { token, ...body })).status;
      };
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expect(await status(method, id), method).to.equal(403);
      expect(await status('GET', 'nope')).to.equal(403);
      expect(await status('PATCH', 'nope')).to.equal(403);
      expect(await status('DELETE', 'nope')).to.equal(404);
    });

    it('show, update and delete a group', async () => {
      const { id } = await make(world, 'group', { name: 'one', description: 'd' });
      const changed = await ask(world, 'PATCH', `/v3/groups/${id}`, {
        body: { group: { name: 'uno', more: 1 } },
      });
      expect(changed.body.group).to.include({ name: 'uno', description: 'd', more: 1 });
      expect((await ask(world, 'GET', `/v3/groups/${id}`)).body).to.deep.equal(changed.body);
      expect(
        (await ask(world, 'PATCH', `/v3/groups/${id}`, { body: { group: { domain_id: 'x' } } }))
          .status,
      ).to.equal(400);
      expect((await ask(world, 'DELETE', `/v3/groups/${id}`)).status).to.equal(204);
      expect(message(await ask(world, 'GET', `/v3/groups/${id}`))).to.equal(
        `Could not find group: ${id}.`,
      );
    });
  });

  describe('/v3/groups/{group_id}/users/{user_id}', () => {
    it('adds, checks, lists and removes members', async () => {
      const { id } = await make(world, 'group', { name: 'team' });
      const member = `/v3/groups/${id}/users/${ids.demo}`;
      const none = await ask(world, 'GET', member);
      expect(none.status).to.equal(404);
      expect(message(none)).to.equal(`User '${ids.demo}' not found in group '${id}'.`);
      expect((await ask(world, 'PUT', member)).status).to.equal(204);
      expect((await ask(world, 'PUT', member)).status).to.equal(204);
      expect((await ask(world, 'HEAD', member)).status).to.equal(204);
      const users = (await ask(world, 'GET', `/v3/groups/${id}/users`)).body.users;
      expect(users.map((user: { name: string }) => user.name)).to.deep.equal(['demo']);
      const groups = (await ask(world, 'GET', `/v3/users/${ids.demo}/groups`)).body.groups;
      expect(groups[0]).to.include({ id, membership_expires_at: null });
      expect((await ask(world, 'DELETE', member)).status).to.equal(204);
      expect((await ask(world, 'DELETE', member)).status).to.equal(404);
      expect((await ask(world, 'PUT', `/v3/groups/${id}/users/nope`)).status).to.equal(404);
    });

    it('lets users list their own groups, and returns 403 for other users', async () => {
      const token = await signIn(world, { name: 'demo' });
      expect((await ask(world, 'GET', `/v3/users/${ids.demo}/groups`, { token })).status).to.equal(
        200,
      );
      expect((await ask(world, 'GET', `/v3/users/${ids.admin}/groups`, { token })).status).to.equal(
        403,
      );
    });
  });
});
