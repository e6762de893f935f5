// Tokens: how they are issued, what they contain, and when they become invalid.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import {
  ask,
  authBody,
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

onEachDatabase('identity: tokens', {}, (world) => {
  describe('POST /v3/auth/tokens', () => {
    it('issues a project-scoped token with implied roles and the catalog', async () => {
      const reply = await signInReply(world).expect(201);
      expect(reply.headers['x-subject-token']).to.match(/^[\w-]+\.[\w-]+\.[\w-]+$/);
      const { catalog, audit_ids: auditIds, ...token } = reply.body.token;
      expect(token).to.deep.equal({
        methods: ['password'],
        user: {
          domain: { id: 'default', name: 'Default' },
          id: ids.admin,
          name: 'admin',
          password_expires_at: null,
        },
        expires_at: '2026-11-20T13:00:00.000000Z',
        issued_at: '2026-11-20T12:00:00.000000Z',
        project: {
          domain: { id: 'default', name: 'Default' },
          id: ids.adminProject,
          name: 'admin',
        },
        is_domain: false,
        roles: ['admin', 'manager', 'member', 'reader'].map((name) => ({
          id: ids.role(name),
          name,
        })),
      });
      expect(auditIds).to.have.length(1);
      const identity = catalog.find((service: { type: string }) => service.type === 'identity');
      expect(identity.name).to.equal('keystone');
      expect(
        identity.endpoints.map((endpoint: { interface: string }) => endpoint.interface),
      ).to.have.members(['public', 'internal', 'admin']);
      expect(identity.endpoints[0].url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/identity$/);
    });

    it('omits the catalog with nocatalog', async () => {
      const reply = await signInReply(world, {}, '?nocatalog').expect(201);
      expect(reply.body.token).not.to.have.property('catalog');
    });

    it('issues a domain-scoped token', async () => {
      const domain = await signInReply(world, { scope: onDomain('default') }).expect(201);
      expect(domain.body.token.domain).to.deep.equal({ id: 'default', name: 'Default' });
      const roles = (domain.body.token.roles as { name: string }[]).map(({ name }) => name);
      expect(roles).to.have.members(['admin', 'manager', 'member', 'reader']);
    });

    it('issues a system-scoped token', async () => {
      const system = await signInReply(world, { scope: onSystem }).expect(201);
      expect(system.body.token.system).to.deep.equal({ all: true });
    });

    it('issues an unscoped token for unscoped, or without a default project', async () => {
      for (const scope of ['unscoped', { unscoped: {} }, null]) {
        const none = await signInReply(world, { scope }).expect(201);
        expect(none.body.token).to.have.keys(
          'methods',
          'user',
          'audit_ids',
          'expires_at',
          'issued_at',
        );
      }
    });

    it('uses the default project without a scope, unless the user has no role on it', async () => {
      const user = await makeUser(world, 'eva');
      await ask(world, 'PATCH', `/v3/users/${user}`, {
        body: { user: { default_project_id: ids.demoProject } },
      });
      const without = await signInReply(world, { name: 'eva', password: 'pw', scope: null }).expect(
        201,
      );
      expect(without.body.token).not.to.have.property('project');
      await ask(
        world,
        'PUT',
        `/v3/projects/${ids.demoProject}/users/${user}/roles/${ids.role('member')}`,
      );
      const withRole = await signInReply(world, {
        name: 'eva',
        password: 'pw',
        scope: null,
      }).expect(201);
      expect(withRole.body.token.project.name).to.equal('demo');
    });

    it('returns 401 without a reason for wrong credentials or an unauthorized scope', async () => {
      const refusals = [
        { password: 'wrong' },
        { name: 'nobody' },
        { scope: onProject('nowhere') },
        { name: 'demo', scope: onProject('admin') },
        { name: 'demo', scope: onSystem },
        { name: 'demo', scope: onDomain('default') },
        { scope: onDomain('nope') },
      ];
      for (const options of refusals) {
        const reply = await signInReply(world, options).expect(401);
        expect(reply.body).to.deep.equal({
          error: {
            code: 401,
            message: 'The request you have made requires authentication.',
            title: 'Unauthorized',
          },
        });
        expect(reply.headers['www-authenticate']).to.match(
          /^Keystone uri="http:\/\/.*\/identity\/v3"$/,
        );
      }
    });

    it('returns 401 with the supported methods for an unsupported method', async () => {
      const reply = await signInReply(world, {
        identity: { methods: ['external'], external: {} },
      }).expect(401);
      expect(reply.body.error.identity).to.deep.equal({
        methods: [
          'password',
          'token',
          'totp',
          'oauth1',
          'mapped',
          'openid',
          'saml2',
          'application_credential',
        ],
      });
      expect(message(reply)).to.equal('Attempted to authenticate with an unsupported method.');
    });

    it('returns 400 that names the missing attribute', async () => {
      const post = (body: unknown) =>
        world.ask('identity', 'POST', '/identity/v3/auth/tokens', { token: null, body });
      const nothing = await post({}).expect(400);
      expect(message(nothing)).to.contain("'auth' is a required property");
      const identity = await post({ auth: {} }).expect(400);
      expect(message(identity)).to.contain("'identity' is a required property");
      const user = await signInReply(world, {
        identity: { methods: ['password'], password: { user: { password: 'x' } } },
      }).expect(400);
      expect(message(user)).to.equal(
        'Invalid input for field identity/password/user: id or name must be present.',
      );
      const data = await signInReply(world, { identity: { methods: ['password'] } }).expect(400);
      expect(message(data)).to.match(
        /^Expecting to find password in identity\. The server could not comply/,
      );
      const scope = await signInReply(world, { scope: { project: { name: 'x' } } }).expect(400);
      expect(message(scope)).to.match(/^Expecting to find domain in project\./);
      const both = await signInReply(world, {
        scope: { ...onProject('admin'), ...onSystem },
      }).expect(400);
      expect(message(both)).to.match(
        /^Expecting to find system, project, domain, OS-TRUST:trust or unscoped in scope\./,
      );
    });

    it('exchanges a token for one with another scope and the same expiry', async () => {
      const first = await signInReply(world, { scope: null }).expect(201);
      const id = first.headers['x-subject-token'];
      await world.setTime('2026-11-20T12:30:00Z');
      const second = await signInReply(world, {
        identity: { methods: ['token'], token: { id } },
      }).expect(201);
      expect(second.body.token.methods).to.deep.equal(['token', 'password']);
      expect(second.body.token.expires_at).to.equal('2026-11-20T13:00:00.000000Z');
      expect(second.body.token.issued_at).to.equal('2026-11-20T12:30:00.000000Z');
      expect(second.body.token.audit_ids[1]).to.equal(first.body.token.audit_ids[0]);
    });

    it('returns 403 if a system-scoped token requests a project scope', async () => {
      const id = await signIn(world, { scope: onSystem });
      const reply = await signInReply(world, {
        identity: { methods: ['token'], token: { id } },
      }).expect(403);
      expect(message(reply)).to.contain('Using a system-scoped token to create a project-scoped');
    });

    it('returns 404 for an unknown token', async () => {
      const reply = await signInReply(world, {
        identity: { methods: ['token'], token: { id: 'x.y.z' } },
      }).expect(404);
      expect(message(reply)).to.equal('Could not find token: x.y.z.');
    });

    it('returns 400 for a body that is not a JSON object', async () => {
      for (const body of ['{', '[]', '"x"']) {
        const reply = await world
          .ask('identity', 'POST', '/identity/v3/auth/tokens', { token: null, body })
          .expect(400);
        expect(message(reply)).to.match(/^Expecting to find valid JSON in request body\./);
      }
    });

    it('returns 400 for another content type', async () => {
      const headers = { 'content-type': 'text/plain' };
      const reply = await world
        .ask('identity', 'POST', '/identity/v3/auth/tokens', {
          token: null,
          body: authBody(),
          headers,
        })
        .expect(400);
      expect(message(reply)).to.match(
        /^Expecting to find application\/json in Content-Type header\./,
      );
    });

    it('returns 413 for a body that is too large', async () => {
      const reply = await signInReply(world, { password: 'x'.repeat(120_000) }).expect(413);
      expect(reply.body.error.title).to.equal('Request Entity Too Large');
    });
  });

  describe('GET /v3/auth/tokens', () => {
    it('returns the same body as when the token was issued', async () => {
      const issued = await signInReply(world);
      const token = issued.headers['x-subject-token'] as string;
      const shown = await ask(world, 'GET', '/v3/auth/tokens', {
        token,
        headers: { 'x-subject-token': token },
      });
      expect(shown.status).to.equal(200);
      expect(shown.body).to.deep.equal(issued.body);
      expect(shown.headers['x-subject-token']).to.equal(token);
    });

    it('returns 403 to anyone but administrators, services and the owner', async () => {
      const admin = await signIn(world);
      const demo = await signIn(world, { name: 'demo' });
      const validate = (token: string, subject: string) =>
        ask(world, 'GET', '/v3/auth/tokens', { token, headers: { 'x-subject-token': subject } });
      expect((await validate(demo, admin)).status).to.equal(403);
      expect(message(await validate(demo, admin))).to.equal(
        'You are not authorized to perform the requested action: identity:validate_token.',
      );
      expect((await validate(admin, demo)).status).to.equal(200);
      await makeUser(world, 'nova', 'service');
      const service = await signIn(world, {
        name: 'nova',
        password: 'pw',
        scope: onProject('demo'),
      });
      expect((await validate(service, demo)).status).to.equal(200);
    });

    it('returns 404 without a subject token', async () => {
      expect(message(await ask(world, 'GET', '/v3/auth/tokens'))).to.equal(
        'No token in the request',
      );
    });

    it('returns 404 for an unknown subject token', async () => {
      const unknown = await ask(world, 'GET', '/v3/auth/tokens', {
        headers: { 'x-subject-token': 'nope' },
      });
      expect(unknown.status).to.equal(404);
      expect(message(unknown)).to.equal('Could not find token: nope.');
    });

    it('returns an expired token only with allow_expired, for two days', async () => {
      const old = await signIn(world, { name: 'demo' });
      const headers = { 'x-subject-token': old };
      await world.setTime('2026-11-20T13:00:00Z');
      expect((await ask(world, 'GET', '/v3/auth/tokens', { headers })).status).to.equal(404);
      expect(
        (await ask(world, 'GET', '/v3/auth/tokens?allow_expired=true', { headers })).status,
      ).to.equal(200);
      await world.setTime('2026-11-22T13:00:00Z');
      expect(
        (await ask(world, 'GET', '/v3/auth/tokens?allow_expired=true', { headers })).status,
      ).to.equal(404);
    });
  });

  describe('HEAD /v3/auth/tokens', () => {
    it('returns 200 without a body', async () => {
      const token = await signIn(world);
      const reply = await ask(world, 'HEAD', '/v3/auth/tokens', {
        token,
        headers: { 'x-subject-token': token },
      });
      expect(reply.status).to.equal(200);
      expect(reply.text ?? '').to.equal('');
    });
  });

  describe('DELETE /v3/auth/tokens', () => {
    it('revokes a token, and no other token of the user', async () => {
      const one = await signIn(world, { name: 'demo' });
      const other = await signIn(world, { name: 'demo' });
      const reply = await ask(world, 'DELETE', '/v3/auth/tokens', {
        token: other,
        headers: { 'x-subject-token': one },
      });
      expect(reply.status).to.equal(204);
      expect((await ask(world, 'GET', '/v3/auth/projects', { token: one })).status).to.equal(401);
      expect((await ask(world, 'GET', '/v3/auth/projects', { token: other })).status).to.equal(200);
      const gone = await ask(world, 'GET', '/v3/auth/tokens', {
        headers: { 'x-subject-token': one },
      });
      expect(message(gone)).to.equal('Failed to validate token');
    });

    it("returns 403 for another user's token", async () => {
      const admin = await signIn(world);
      const token = await signIn(world, { name: 'demo' });
      const reply = await ask(world, 'DELETE', '/v3/auth/tokens', {
        token,
        headers: { 'x-subject-token': admin },
      });
      expect(reply.status).to.equal(403);
    });
  });

  describe('a token', () => {
    const works = async (token: string): Promise<boolean> =>
      (await ask(world, 'GET', '/v3/regions', { token })).status === 200;

    it('is rejected after its expiry, even if it is cached', async () => {
      const token = await signIn(world, { name: 'demo' });
      expect(await works(token)).to.equal(true);
      await world.setTime('2026-11-20T12:59:59Z');
      expect(await works(token)).to.equal(true);
      await world.setTime('2026-11-20T13:00:00Z');
      expect(await works(token)).to.equal(false);
    });

    it('is rejected if it was modified', async () => {
      const token = await signIn(world);
      const [head, body, signature] = token.split('.') as [string, string, string];
      const forged = Buffer.from(
        Buffer.from(body, 'base64url').toString().replace(ids.admin, ids.demo),
      ).toString('base64url');
      expect(await works(`${head}.${forged}.${signature}`)).to.equal(false);
    });

    const ends: Record<string, (user: string) => Promise<unknown>> = {
      'the password is changed by an admin': (user) =>
        ask(world, 'PATCH', `/v3/users/${user}`, { body: { user: { password: 'new' } } }),
      'the password is changed by the user': (user) =>
        ask(world, 'POST', `/v3/users/${user}/password`, {
          token: null,
          body: { user: { original_password: 'pw', password: 'new' } },
        }),
      'the user is disabled': (user) =>
        ask(world, 'PATCH', `/v3/users/${user}`, { body: { user: { enabled: false } } }),
      'the user is disabled and enabled again': async (user) => {
        await ask(world, 'PATCH', `/v3/users/${user}`, { body: { user: { enabled: false } } });
        await ask(world, 'PATCH', `/v3/users/${user}`, { body: { user: { enabled: true } } });
      },
      'the user is deleted': (user) => ask(world, 'DELETE', `/v3/users/${user}`),
      'the project is disabled': () =>
        ask(world, 'PATCH', `/v3/projects/${ids.demoProject}`, {
          body: { project: { enabled: false } },
        }),
      'the project is deleted': () => ask(world, 'DELETE', `/v3/projects/${ids.demoProject}`),
      'the last role is revoked': (user) =>
        ask(
          world,
          'DELETE',
          `/v3/projects/${ids.demoProject}/users/${user}/roles/${ids.role('member')}`,
        ),
      'the role is deleted': () => ask(world, 'DELETE', `/v3/roles/${ids.role('member')}`),
    };
    for (const [why, end] of Object.entries(ends)) {
      it(`becomes invalid when ${why}`, async () => {
        const user = await makeUser(world, 'eva', 'member');
        const token = await signIn(world, {
          name: 'eva',
          password: 'pw',
          scope: onProject('demo'),
        });
        expect(await works(token)).to.equal(true);
        await end(user);
        expect(await works(token)).to.equal(false);
      });
    }

    it('stays invalid after its domain was disabled and enabled again', async () => {
      const domain = await make(world, 'domain', { name: 'Elsewhere' });
      await make(world, 'user', { name: 'eva', password: 'pw', domain_id: domain.id });
      const identity = {
        methods: ['password'],
        password: { user: { name: 'eva', password: 'pw', domain: { name: 'Elsewhere' } } },
      };
      const token = await signIn(world, { identity, scope: null });
      expect(await works(token)).to.equal(true);
      await ask(world, 'PATCH', `/v3/domains/${domain.id}`, {
        body: { domain: { enabled: false } },
      });
      expect(await works(token)).to.equal(false);
      await ask(world, 'PATCH', `/v3/domains/${domain.id}`, {
        body: { domain: { enabled: true } },
      });
      expect(await works(token)).to.equal(false);
    });

    it('has the roles of a group until the user leaves the group', async () => {
      const user = await makeUser(world, 'eva');
      const group = await make(world, 'group', { name: 'team' });
      await ask(world, 'PUT', `/v3/groups/${group.id}/users/${user}`);
      await ask(
        world,
        'PUT',
        `/v3/projects/${ids.demoProject}/groups/${group.id}/roles/${ids.role('member')}`,
      );
      const issued = await signInReply(world, {
        name: 'eva',
        password: 'pw',
        scope: onProject('demo'),
      }).expect(201);
      expect(issued.body.token.roles.map((role: { name: string }) => role.name)).to.deep.equal([
        'member',
        'reader',
      ]);
      await ask(world, 'DELETE', `/v3/groups/${group.id}/users/${user}`);
      expect(await works(issued.headers['x-subject-token'] as string)).to.equal(false);
    });

    it("has the user's current roles", async () => {
      const user = await makeUser(world, 'eva', 'member');
      const token = await signIn(world, { name: 'eva', password: 'pw', scope: onProject('demo') });
      expect((await ask(world, 'GET', '/v3/users', { token })).status).to.equal(403);
      await ask(
        world,
        'PUT',
        `/v3/projects/${ids.demoProject}/users/${user}/roles/${ids.role('admin')}`,
      );
      expect((await ask(world, 'GET', '/v3/users', { token })).status).to.equal(200);
      await ask(
        world,
        'DELETE',
        `/v3/projects/${ids.demoProject}/users/${user}/roles/${ids.role('admin')}`,
      );
      expect((await ask(world, 'GET', '/v3/users', { token })).status).to.equal(403);
    });
  });
});
