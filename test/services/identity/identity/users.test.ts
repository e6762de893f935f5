// Users: operations of administrators, domain managers and the users themselves.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import {
  ask,
  ids,
  make,
  makeUser,
  message,
  onDomain,
  onProject,
  onSystem,
  signIn,
  signInReply,
} from '../support.ts';

onEachDatabase('identity: users', {}, (world) => {
  describe('POST /v3/users', () => {
    it('creates a user with defined and undefined attributes', async () => {
      const fields = {
        name: '  Zoë 名 🎉 ',
        password: 'pw',
        email: 'z@example.org',
        'a-b': [1, { c: null }],
        enabled: true,
        description: 'x',
      };
      const reply = await ask(world, 'POST', '/v3/users', { body: { user: fields } });
      expect(reply.status).to.equal(201);
      const { id, links, ...rest } = reply.body.user;
      expect(id).to.match(/^[0-9a-f]{32}$/);
      expect(links.self).to.match(new RegExp(`/identity/v3/users/${id}$`));
      expect(rest).to.deep.equal({
        name: 'Zoë 名 🎉',
        domain_id: 'default',
        enabled: true,
        email: 'z@example.org',
        a_b: [1, { c: null }],
        description: 'x',
        options: {},
        password_expires_at: null,
      });
    });

    it('returns 409 for a duplicate name in a domain, without regard to case', async () => {
      await make(world, 'user', { name: 'eva' });
      const again = await ask(world, 'POST', '/v3/users', { body: { user: { name: 'eva' } } });
      expect(again.status).to.equal(409);
      expect(message(again)).to.equal(
        'Conflict occurred attempting to store user - Duplicate entry found with name ' +
          'eva at domain ID default.',
      );
      expect(
        (await ask(world, 'POST', '/v3/users', { body: { user: { name: 'Eva' } } })).status,
      ).to.equal(409);
      const domain = await make(world, 'domain', { name: 'other' });
      await make(world, 'user', { name: 'eva', domain_id: domain.id });
    });

    it('returns 400 for an invalid body before 401 for a missing token', async () => {
      const cases: [object, string][] = [
        [{}, "'name' is a required property"],
        [{ name: '' }, "Invalid input for field/attribute name. Value: . '' should be non-empty"],
        [{ name: 'x', enabled: null }, 'Invalid input for field/attribute enabled. Value: None.'],
      ];
      for (const [user, text] of cases) {
        const reply = await ask(world, 'POST', '/v3/users', { token: null, body: { user } });
        expect(reply.status).to.equal(400);
        expect(message(reply)).to.contain(text);
      }
      expect(
        (await ask(world, 'POST', '/v3/users', { token: null, body: { user: { name: 'x' } } }))
          .status,
      ).to.equal(401);
    });

    it('returns 404 for an unknown domain', async () => {
      const nowhere = await ask(world, 'POST', '/v3/users', {
        body: { user: { name: 'x', domain_id: 'nope' } },
      });
      expect(nowhere.status).to.equal(404);
      expect(message(nowhere)).to.equal('Could not find domain: nope.');
    });

    it('returns 400 if the default project is a domain', async () => {
      const domain = await ask(world, 'POST', '/v3/users', {
        body: { user: { name: 'x', default_project_id: 'default' } },
      });
      expect(message(domain)).to.equal("User's default project ID cannot be a domain ID: default");
    });

    it('returns 400 for an identity provider', async () => {
      const idp = await ask(world, 'POST', '/v3/users', {
        body: {
          user: {
            name: 'x',
            federated: [{ idp_id: 'i', protocols: [{ protocol_id: 'p', unique_id: 'u' }] }],
          },
        },
      });
      expect(message(idp)).to.equal('Could not find Identity Provider: i');
    });

    it('lets managers create users in their domain only', async () => {
      const manager = await makeUser(world, 'boss');
      await ask(world, 'PUT', `/v3/domains/default/users/${manager}/roles/${ids.role('manager')}`);
      const token = await signIn(world, {
        name: 'boss',
        password: 'pw',
        scope: onDomain('default'),
      });
      const other = await make(world, 'domain', { name: 'other' });
      expect(
        (
          await ask(world, 'POST', '/v3/users', {
            token,
            body: { user: { name: 'a', domain_id: 'default' } },
          })
        ).status,
      ).to.equal(201);
      expect(
        (
          await ask(world, 'POST', '/v3/users', {
            token,
            body: { user: { name: 'a', domain_id: other.id } },
          })
        ).status,
      ).to.equal(403);
      for (const noun of ['user', 'group', 'project'])
        for (const name of ['domain-id', 'domain:id'])
          for (const more of [{}, { domain_id: 'default' }]) {
            const body = { [noun]: { name: `${noun}${name}`, ...more, [name]: other.id } };
            expect(
              (await ask(world, 'POST', `/v3/${noun}s`, { token, body })).status,
              JSON.stringify(body),
            ).to.equal(403);
          }
    });

    it('returns 403 to members', async () => {
      const demo = await signIn(world, { name: 'demo' });
      const refused = await ask(world, 'POST', '/v3/users', {
        token: demo,
        body: { user: { name: 'b' } },
      });
      expect(refused.status).to.equal(403);
      expect(message(refused)).to.equal(
        'You are not authorized to perform the requested action: identity:create_user.',
      );
    });
  });

  describe('GET /v3/users', () => {
    it('filters by name, domain and enabled, with comparators', async () => {
      await make(world, 'user', { name: 'Berta', enabled: false });
      const names = async (query: string) =>
        (await ask(world, 'GET', `/v3/users?${query}`)).body.users.map(
          (user: { name: string }) => user.name,
        );
      expect(await names('')).to.have.members(['admin', 'demo', 'Berta']);
      expect(await names('name=demo')).to.deep.equal(['demo']);
      expect(await names('name=Demo')).to.deep.equal(['demo']);
      expect(await names('name__contains=m')).to.have.members(['admin', 'demo']);
      expect(await names('name__istartswith=b')).to.deep.equal(['Berta']);
      expect(await names('name__endswith=o')).to.deep.equal(['demo']);
      expect(await names('enabled=0')).to.deep.equal(['Berta']);
      expect(await names('enabled')).to.have.members(['admin', 'demo']);
      expect(await names('domain_id=nope')).to.deep.equal([]);
      expect(await names('idp_id=x')).to.deep.equal([]);
      expect(await names('unheard=of')).to.have.length(3);
    });

    it('returns 400 for an invalid filter', async () => {
      expect((await ask(world, 'GET', '/v3/users?enabled=maybe')).status).to.equal(400);
      expect(
        message(await ask(world, 'GET', '/v3/users?password_expires_at=near:2026-11-20T00:00:00Z')),
      ).to.contain('The given operator near is not valid');
    });

    it('returns pages with limit and marker', async () => {
      for (const name of ['a', 'b', 'c']) await make(world, 'user', { name });
      const seen: string[] = [];
      let path: string | null = '/v3/users?limit=2';
      while (path) {
        const reply: {
          body: { users: { id: string }[]; links: { next: string | null }; truncated?: boolean };
        } = await ask(world, 'GET', path);
        expect(reply.body.users.length).to.be.at.most(2);
        expect(reply.body.truncated).to.equal(reply.body.links.next ? true : undefined);
        seen.push(...reply.body.users.map((user) => user.id));
        path =
          reply.body.links.next &&
          new URL(reply.body.links.next).pathname.replace('/identity', '') +
            new URL(reply.body.links.next).search;
      }
      expect(new Set(seen).size).to.equal(5);
    });

    it('lists all users to system readers, and their own to domain readers', async () => {
      const other = await make(world, 'domain', { name: 'other' });
      await make(world, 'user', { name: 'far', domain_id: other.id });
      await ask(world, 'PUT', `/v3/system/users/${ids.demo}/roles/${ids.role('reader')}`);
      await ask(world, 'PUT', `/v3/domains/default/users/${ids.demo}/roles/${ids.role('reader')}`);
      const count = async (scope: unknown) =>
        (
          await ask(world, 'GET', '/v3/users', {
            token: await signIn(world, { name: 'demo', scope }),
          })
        ).body.users?.length;
      expect(await count(onSystem)).to.equal(3);
      expect(await count(onDomain('default'))).to.equal(2);
      expect(await count(onProject('demo'))).to.equal(undefined);
    });
  });

  describe('GET /v3/users/{user_id}', () => {
    it('returns users to themselves, and 403 to others even for unknown users', async () => {
      const token = await signIn(world, { name: 'demo' });
      expect((await ask(world, 'GET', `/v3/users/${ids.demo}`, { token })).status).to.equal(200);
      expect((await ask(world, 'GET', `/v3/users/${ids.admin}`, { token })).status).to.equal(403);
      expect((await ask(world, 'GET', '/v3/users/nope', { token })).status).to.equal(403);
    });

    it('returns 404 to administrators for an unknown user', async () => {
      const none = await ask(world, 'GET', '/v3/users/admin');
      expect(none.status).to.equal(404);
      expect(message(none)).to.equal('Could not find user: admin.');
    });
  });

  describe('PATCH /v3/users/{user_id}', () => {
    it('updates the given attributes and keeps the others', async () => {
      const { id } = await make(world, 'user', {
        name: 'eva',
        email: 'old',
        phone: '1',
        options: { lock_password: true },
      });
      const fields = {
        email: 'new',
        name: 'eve',
        options: { lock_password: null, ignore_password_expiry: true },
        default_project_id: ids.demoProject,
      };
      const reply = await ask(world, 'PATCH', `/v3/users/${id}`, { body: { user: fields } });
      expect(reply.status).to.equal(200);
      expect(reply.body.user).to.include({
        name: 'eve',
        email: 'new',
        phone: '1',
        default_project_id: ids.demoProject,
      });
      expect(reply.body.user.options).to.deep.equal({ ignore_password_expiry: true });
      expect((await ask(world, 'GET', `/v3/users/${id}`)).body).to.deep.equal(reply.body);
      const cleared = await ask(world, 'PATCH', `/v3/users/${id}`, {
        body: { user: { default_project_id: null } },
      });
      expect(cleared.body.user).not.to.have.property('default_project_id');
    });

    it('returns an error for another id or domain, and for a duplicate name', async () => {
      const { id } = await make(world, 'user', { name: 'eva' });
      const patch = (user: object) => ask(world, 'PATCH', `/v3/users/${id}`, { body: { user } });
      expect(message(await patch({ id: 'x' }))).to.equal('Cannot change ID');
      expect(message(await patch({ domain_id: 'x' }))).to.equal('Cannot change Domain ID');
      expect((await patch({ domain_id: 'default', id })).status).to.equal(200);
      expect((await patch({ name: 'demo' })).status).to.equal(409);
      expect((await patch({})).status).to.equal(400);
    });

    it('sets or removes the password', async () => {
      const { id } = await make(world, 'user', { name: 'eva', password: 'one' });
      await ask(world, 'PATCH', `/v3/users/${id}`, { body: { user: { password: 'two' } } });
      await signInReply(world, { name: 'eva', password: 'one', scope: null }).expect(401);
      await signInReply(world, { name: 'eva', password: 'two', scope: null }).expect(201);
      await ask(world, 'PATCH', `/v3/users/${id}`, { body: { user: { password: null } } });
      await signInReply(world, { name: 'eva', password: 'two', scope: null }).expect(401);
    });
  });

  describe('DELETE /v3/users/{user_id}', () => {
    it('deletes a user with its grants, memberships and credentials', async () => {
      const id = await makeUser(world, 'eva', 'member');
      const group = await make(world, 'group', { name: 'team' });
      await ask(world, 'PUT', `/v3/groups/${group.id}/users/${id}`);
      const credential = await make(world, 'credential', { user_id: id, type: 'cert', blob: 'x' });
      expect((await ask(world, 'DELETE', `/v3/users/${id}`)).status).to.equal(204);
      expect((await ask(world, 'GET', `/v3/users/${id}`)).status).to.equal(404);
      expect((await ask(world, 'GET', `/v3/groups/${group.id}/users`)).body.users).to.deep.equal(
        [],
      );
      expect((await ask(world, 'GET', `/v3/credentials/${credential.id}`)).status).to.equal(404);
      expect(
        (await ask(world, 'GET', `/v3/role_assignments?user.id=${id}`)).body.role_assignments,
      ).to.deep.equal([]);
      expect((await ask(world, 'DELETE', `/v3/users/${id}`)).status).to.equal(404);
    });
  });

  describe('POST /v3/users/{user_id}/password', () => {
    const change = (id: string, user: object) =>
      ask(world, 'POST', `/v3/users/${id}/password`, { token: null, body: { user } });

    it('changes the password without a token; 401 for a wrong old password', async () => {
      const { id } = await make(world, 'user', { name: 'eva', password: 'one' });
      expect((await change(id, { original_password: 'wrong', password: 'two' })).status).to.equal(
        401,
      );
      expect((await change(id, { original_password: 'one', password: 'two' })).status).to.equal(
        204,
      );
      await signInReply(world, { name: 'eva', password: 'two', scope: null }).expect(201);
    });

    it('returns 401 for the later of two changes at the same time', async () => {
      const { id } = await make(world, 'user', { name: 'eva', password: 'one' });
      const passwords = ['two', 'three'];
      const replies = await Promise.all(
        passwords.map((password) => change(id, { original_password: 'one', password })),
      );
      const statuses = replies.map(({ status }) => status);
      expect(statuses.toSorted()).to.deep.equal([204, 401]);
      const password = passwords[statuses.indexOf(204)]!;
      await signInReply(world, { name: 'eva', password, scope: null }).expect(201);
    });

    it('keeps an update that is made at the same time', async () => {
      const { id } = await make(world, 'user', { name: 'eva', password: 'one' });
      const [changed, updated] = await Promise.all([
        change(id, { original_password: 'one', password: 'two' }),
        ask(world, 'PATCH', `/v3/users/${id}`, { body: { user: { team: 'red' } } }),
      ]);
      expect([changed.status, updated.status]).to.deep.equal([204, 200]);
      const { body } = await ask(world, 'GET', `/v3/users/${id}`);
      expect((body as { user: object }).user).to.include({ team: 'red' });
      await signInReply(world, { name: 'eva', password: 'two', scope: null }).expect(201);
    });

    it('returns 400 without the old password, and if the password is locked', async () => {
      const { id } = await make(world, 'user', {
        name: 'eva',
        password: 'one',
        options: { lock_password: true },
      });
      expect((await change(id, { password: 'two' })).status).to.equal(400);
      expect(message(await change(id, { original_password: 'one', password: 'two' }))).to.contain(
        'password policy disallowing password changes',
      );
    });

    it('returns 405 for GET', async () => {
      const reply = await ask(world, 'GET', `/v3/users/${ids.demo}/password`);
      expect(reply.status).to.equal(405);
      expect(reply.body).to.deep.equal({
        message: 'The method is not allowed for the requested URL.',
      });
    });
  });

  describe('GET /v3/users/{user_id}/projects', () => {
    it('lists projects with direct, group and inherited roles', async () => {
      const id = await makeUser(world, 'eva', 'member');
      const child = await make(world, 'project', { name: 'child', parent_id: ids.adminProject });
      const group = await make(world, 'group', { name: 'team' });
      await ask(world, 'PUT', `/v3/groups/${group.id}/users/${id}`);
      await ask(
        world,
        'PUT',
        `/v3/OS-INHERIT/projects/${ids.adminProject}/groups/${group.id}/roles/` +
          `${ids.role('reader')}/inherited_to_projects`,
      );
      const reply = await ask(world, 'GET', `/v3/users/${id}/projects`);
      expect(reply.body.projects.map((project: { id: string }) => project.id)).to.have.members([
        ids.demoProject,
        child.id,
      ]);
      const token = await signIn(world, { name: 'eva', password: 'pw', scope: null });
      expect((await ask(world, 'GET', '/v3/auth/projects', { token })).body.projects).to.deep.equal(
        reply.body.projects,
      );
      const filtered = await ask(world, 'GET', `/v3/users/${id}/projects?name=child`);
      expect(filtered.body.projects).to.have.length(1);
    });
  });
});
