// Application credentials and access rules.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, makeUser, message, onProject, signIn, signInReply } from '../support.ts';

onEachDatabase('identity: application credentials', {}, (world) => {
  const mine = `/v3/users/${ids.demo}/application_credentials`;
  const create = async (fields: object, token?: string) =>
    ask(world, 'POST', mine, {
      token: token ?? (await signIn(world, { name: 'demo' })),
      body: { application_credential: fields },
    });
  const by = (identity: object, scope: unknown = null) =>
    signInReply(world, {
      scope,
      identity: { methods: ['application_credential'], application_credential: identity },
    });

  describe('POST /v3/users/{user_id}/application_credentials', () => {
    it('creates a credential with the roles of the token, and shows its secret once', async () => {
      const reply = await create({
        name: 'ci',
        roles: [],
        access_rules: [],
        secret: null,
        expires_at: null,
      });
      expect(reply.status).to.equal(201);
      const { id, secret, roles, links, ...rest } = reply.body.application_credential;
      expect(links.self).to.contain(id);
      expect(secret).to.have.length.greaterThan(80);
      expect(roles.map((role: { name: string }) => role.name)).to.deep.equal(['member', 'reader']);
      expect(rest).to.deep.equal({
        name: 'ci',
        description: null,
        user_id: ids.demo,
        project_id: ids.demoProject,
        system: null,
        expires_at: null,
        unrestricted: false,
      });
      const shown = await ask(world, 'GET', `${mine}/${id}`);
      expect(shown.body.application_credential).not.to.have.property('secret');
      expect((await ask(world, 'GET', mine)).body.application_credentials).to.deep.equal([
        shown.body.application_credential,
      ]);
    });

    it('accepts some of the roles, by name or id, and adds the roles that they imply', async () => {
      const names = async (roles: object[]) => {
        const reply = await create({ name: JSON.stringify(roles), roles });
        return (
          reply.body.application_credential?.roles.map((role: { name: string }) => role.name) ??
          message(reply)
        );
      };
      expect(await names([{ name: 'reader' }])).to.deep.equal(['reader']);
      expect(await names([{ id: ids.role('member') }])).to.deep.equal(['member', 'reader']);
      expect(await names([{ name: 'admin' }])).to.equal(
        'Invalid application credential: Cannot create an application credential with ' +
          'unassigned role',
      );
      expect(await names([{ name: 'nope' }])).to.equal('Role nope is not defined');
    });

    it('returns 409 for a duplicate name of a user', async () => {
      await create({ name: 'ci' });
      const again = await create({ name: 'ci' });
      expect(again.status).to.equal(409);
      expect(message(again)).to.equal(
        'Conflict occurred attempting to store application_credential - Duplicate ' +
          'entry found with name ci.',
      );
    });

    it('returns 403 for another user', async () => {
      const other = await ask(world, 'POST', mine, {
        body: { application_credential: { name: 'x' } },
      });
      expect(other.status).to.equal(403);
    });

    it('returns 400 for an expiry in the past or in another format', async () => {
      expect(message(await create({ name: 'x', expires_at: '2026-11-20T11:59:59' }))).to.match(
        /^The 'expires_at' must not be before now\./,
      );
      expect(message(await create({ name: 'x', expires_at: 'soon' }))).to.match(
        /^Timestamp not in expected format\./,
      );
    });

    it('accepts an expiry in the future', async () => {
      const reply = await create({ name: 'x', expires_at: '2026-11-20T12:30:00.000000' });
      expect(reply.body.application_credential.expires_at).to.equal('2026-11-20T12:30:00.000000');
    });
  });

  describe('POST /v3/auth/tokens with an application credential', () => {
    it('issues a token for its project and roles, by id or by name', async () => {
      const made = (await create({ name: 'ci', secret: 's3cret', roles: [{ name: 'reader' }] }))
        .body.application_credential;
      const user = { name: 'demo', domain: { id: 'default' } };
      for (const identity of [
        { id: made.id, secret: 's3cret' },
        { name: 'ci', secret: 's3cret', user },
        { name: 'ci', secret: 's3cret', user: { id: ids.demo } },
      ]) {
        const reply = await by(identity).expect(201);
        expect(reply.body.token.methods).to.deep.equal(['application_credential']);
        expect(reply.body.token.project.id).to.equal(ids.demoProject);
        expect(reply.body.token.roles.map((role: { name: string }) => role.name)).to.deep.equal([
          'reader',
        ]);
        expect(reply.body.token.application_credential).to.deep.equal({
          id: made.id,
          name: 'ci',
          restricted: true,
        });
      }
    });

    it('returns 401 for a wrong secret or a requested scope', async () => {
      const { id } = (await create({ name: 'ci', secret: 's' })).body.application_credential;
      await by({ id, secret: 'x' }).expect(401);
      const scoped = await by({ id, secret: 's' }, onProject('demo')).expect(401);
      expect(message(scoped)).to.contain('Application credentials cannot request a scope.');
    });

    it('returns 400 without a name or a user', async () => {
      expect(message(await by({ secret: 's' }))).to.match(
        /^Expecting to find name or ID in application credential\./,
      );
      expect(message(await by({ name: 'ci', secret: 's' }))).to.match(
        /^Expecting to find user in application credential\./,
      );
    });

    it('returns 404 for a deleted credential', async () => {
      const { id } = (await create({ name: 'ci', secret: 's' })).body.application_credential;
      await ask(world, 'DELETE', `${mine}/${id}`);
      const gone = await by({ id, secret: 's' }).expect(404);
      expect(message(gone)).to.equal(`Could not find Application Credential: ${id}.`);
    });

    it('limits the token to the expiry of the credential, by the clock of the cloud', async () => {
      const { id } = (await create({ name: 'ci', secret: 's', expires_at: '2026-11-20T12:30:00' }))
        .body.application_credential;
      const reply = await by({ id, secret: 's' }).expect(201);
      expect(reply.body.token.expires_at).to.equal('2026-11-20T12:30:00.000000Z');
      await world.setTime('2026-11-20T12:30:00Z');
      await by({ id, secret: 's' }).expect(401);
    });

    const tokenFor = async (fields: object) => {
      const { id } = (await create({ secret: 's', ...fields })).body.application_credential;
      return {
        id,
        token: (await by({ id, secret: 's' }).expect(201)).headers['x-subject-token'] as string,
      };
    };

    it('ends the token when the credential is deleted', async () => {
      const one = await tokenFor({ name: 'one' });
      expect((await ask(world, 'GET', '/v3/regions', { token: one.token })).status).to.equal(200);
      await ask(world, 'DELETE', `${mine}/${one.id}`);
      expect((await ask(world, 'GET', '/v3/regions', { token: one.token })).status).to.equal(401);
    });

    it('ends the token and the credential when the user loses a role', async () => {
      const two = await tokenFor({ name: 'two' });
      await ask(
        world,
        'DELETE',
        `/v3/projects/${ids.demoProject}/users/${ids.demo}/roles/${ids.role('member')}`,
      );
      expect((await ask(world, 'GET', '/v3/regions', { token: two.token })).status).to.equal(401);
      expect((await ask(world, 'GET', `${mine}/${two.id}`)).status).to.equal(404);
    });

    it('returns 403 if a restricted one creates another one or changes its scope', async () => {
      const { id } = (await create({ name: 'ci', secret: 's' })).body.application_credential;
      const token = (await by({ id, secret: 's' }).expect(201)).headers[
        'x-subject-token'
      ] as string;
      const refused = await create({ name: 'more' }, token);
      expect(refused.status).to.equal(403);
      expect(message(refused)).to.contain(
        "Using method 'application_credential' is not allowed for managing additional " +
          'application credentials.',
      );
      await signInReply(world, {
        scope: onProject('demo'),
        identity: { methods: ['token'], token: { id: token } },
      }).expect(403);
      const same = await signInReply(world, {
        scope: null,
        identity: { methods: ['token'], token: { id: token } },
      }).expect(201);
      expect(same.body.token.application_credential.id).to.equal(id);
    });

    it('lets an unrestricted credential create another one', async () => {
      const free = (await create({ name: 'free', secret: 's', unrestricted: true })).body
        .application_credential;
      const freeToken = (await by({ id: free.id, secret: 's' }).expect(201)).headers[
        'x-subject-token'
      ] as string;
      expect((await create({ name: 'more' }, freeToken)).status).to.equal(201);
    });
  });

  describe('GET and DELETE /v3/users/{user_id}/application_credentials/{id}', () => {
    it('return 403 to other users, even if the path names them', async () => {
      const { id } = (await create({ name: 'ci' })).body.application_credential;
      const eva = await makeUser(world, 'eva', 'member');
      const token = await signIn(world, { name: 'eva', password: 'pw', scope: onProject('demo') });
      expect(
        (await ask(world, 'GET', `/v3/users/${eva}/application_credentials/${id}`, { token }))
          .status,
      ).to.equal(403);
      expect(
        (await ask(world, 'DELETE', `/v3/users/${eva}/application_credentials/${id}`, { token }))
          .status,
      ).to.equal(403);
      expect(
        (
          await ask(world, 'DELETE', `${mine}/${id}`, {
            token: await signIn(world, { name: 'demo' }),
          })
        ).status,
      ).to.equal(204);
    });
  });

  describe('access rules', () => {
    const rule = { service: 'compute', path: '/v2.1/servers', method: 'GET' };

    it('are reused, and remain when their credentials are deleted', async () => {
      const token = await signIn(world, { name: 'demo' });
      const one = (await create({ name: 'one', access_rules: [rule] })).body.application_credential;
      const two = (await create({ name: 'two', access_rules: [rule] })).body.application_credential;
      expect(one.access_rules[0]).to.include(rule);
      expect(two.access_rules).to.deep.equal(one.access_rules);
      const path = `/v3/users/${ids.demo}/access_rules`;
      expect((await ask(world, 'GET', path, { token })).body.access_rules).to.have.length(1);
      const used = await ask(world, 'DELETE', `${path}/${one.access_rules[0].id}`, { token });
      expect(used.status).to.equal(403);
      await ask(world, 'DELETE', `${mine}/${one.id}`);
      await ask(world, 'DELETE', `${mine}/${two.id}`);
      expect(
        (await ask(world, 'GET', `${path}/${one.access_rules[0].id}`, { token })).body.access_rule,
      ).to.include(rule);
      expect(
        (await ask(world, 'DELETE', `${path}/${one.access_rules[0].id}`, { token })).status,
      ).to.equal(204);
      expect(
        message(await ask(world, 'GET', `${path}/${one.access_rules[0].id}`, { token })),
      ).to.match(/^Could not find Access Rule: /);
    });

    it('are created in any number, and found again by id and by content', async () => {
      const rules = Array.from({ length: 1050 }, (_, index) => ({
        service: 'compute',
        method: 'GET',
        path: `/${index}`,
      }));
      const rulesOf = async (name: string, access_rules: object[]): Promise<{ id: string }[]> => {
        const reply = await create({ name, access_rules });
        expect(reply.status, reply.text).to.equal(201);
        return reply.body.application_credential.access_rules;
      };
      const first = await rulesOf('one', rules);
      expect(first).to.have.length(1050);
      expect(await rulesOf('two', [...rules, ...rules])).to.deep.equal(first);
      const named = first.slice(0, 600).map(({ id }) => ({ id }));
      expect(await rulesOf('three', [...named, ...named])).to.have.length(600);
    });

    it('are not created if one of them is invalid', async () => {
      const token = await signIn(world, { name: 'demo' });
      const list = `/v3/users/${ids.demo}/access_rules`;
      const valid = { service: 'compute', method: 'GET', path: '/x' };
      for (const [invalid, status] of [
        [{ ...valid, path: `/${'x'.repeat(200)}` }, 400],
        [{ id: 'f'.repeat(32) }, 404],
      ] as const) {
        const reply = await create({ name: 'ci', access_rules: [valid, invalid] });
        expect(reply.status, reply.text).to.equal(status);
      }
      expect((await ask(world, 'GET', list, { token })).body.access_rules).to.deep.equal([]);
    });

    it('are in the token, which is validated only for clients that enforce them', async () => {
      const { id } = (await create({ name: 'one', secret: 's', access_rules: [rule] })).body
        .application_credential;
      const issued = await by({ id, secret: 's' }).expect(201);
      expect(issued.body.token.application_credential.access_rules[0]).to.include(rule);
      const subject = { 'x-subject-token': issued.headers['x-subject-token'] as string };
      expect((await ask(world, 'GET', '/v3/auth/tokens', { headers: subject })).status).to.equal(
        404,
      );
      const heeding = { ...subject, 'openstack-identity-access-rules': '1.0' };
      expect((await ask(world, 'GET', '/v3/auth/tokens', { headers: heeding })).status).to.equal(
        200,
      );
    });

    it('restrict the token to matching requests in every service', async () => {
      const access_rules = [
        { service: 'compute', method: 'GET', path: '/v2.1/flavors' },
        { service: 'image', method: 'GET', path: '/image/v2/images/**' },
        { service: 'network', method: 'GET', path: '/v2.0/{what}' },
      ];
      const { id } = (await create({ name: 'one', secret: 's', access_rules })).body
        .application_credential;
      const token = (await by({ id, secret: 's' }).expect(201)).headers[
        'x-subject-token'
      ] as string;
      const status = async (service: string, path: string, headers = {}) =>
        (await world.ask(service, 'GET', path, { token, headers })).status;
      expect(await status('compute', '/compute/v2.1/flavors')).to.equal(200);
      expect(await status('compute', '/compute/v2.1/flavors/detail')).to.equal(401);
      expect(await status('compute', '/compute/v2.1/servers')).to.equal(401);
      expect(await status('image', '/image/v2/images/nope')).to.equal(404);
      expect(await status('image', '/image/v2/images')).to.equal(401);
      expect(await status('network', '/network/v2.0/networks')).to.equal(200);
      expect(await status('network', '/network/v2.0/networks/nope')).to.equal(401);
      expect(await status('identity', '/identity/v3/auth/projects')).to.equal(401);
      const own = { 'x-subject-token': token, 'openstack-identity-access-rules': '1.0' };
      expect(await status('identity', '/identity/v3/auth/tokens', own)).to.equal(200);
    });

    it('do not restrict requests with the service token of a service', async () => {
      await makeUser(world, 'nova', 'service');
      const nova = { name: 'nova', password: 'pw', scope: onProject('demo') };
      await ask(
        world,
        'PUT',
        `/v3/projects/${ids.demoProject}/users/${ids.demo}/roles/${ids.role('service')}`,
      );
      const access_rules = [{ service: 'network', method: 'GET', path: '/v2.0/networks' }];
      const { id } = (await create({ name: 'one', secret: 's', access_rules })).body
        .application_credential;
      const restricted = async () =>
        (await by({ id, secret: 's' }).expect(201)).headers['x-subject-token'] as string;
      const token = await restricted();
      const status = async (service?: string) => {
        const headers: Record<string, string> =
          service === undefined ? {} : { 'x-service-token': service };
        return (await world.ask('compute', 'GET', '/compute/v2.1/servers', { token, headers }))
          .status;
      };
      expect(await status(await signIn(world, nova)), 'a service').to.equal(200);
      expect(await status(), 'none').to.equal(401);
      expect(await status('none'), 'an invalid one').to.equal(401);
      expect(await status(await signIn(world)), 'admin, who is no service').to.equal(401);
      expect(await status(token), 'the token itself').to.equal(401);
      expect(await status(await restricted()), 'another of the same credential').to.equal(401);
    });
  });
});
