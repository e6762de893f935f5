// Signing in by assertions: tokens of federation, their users, groups and projects.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, message, signIn } from '../support.ts';
import { bearer, configure, federated, put, root, rule, setUser } from './support.ts';

interface TokenBody {
  readonly methods: string[];
  readonly user: Record<string, never> & { readonly id: string };
  readonly roles?: { readonly name: string }[];
  readonly audit_ids: string[];
  readonly expires_at: string;
}

onEachDatabase('identity: signing in by federation', {}, (world) => {
  const groupRule = (local: object) => ({
    local: [{ user: { name: '{0}' } }, local],
    remote: [{ type: 'HTTP_OIDC_SUB' }],
  });
  const enter = async (name: string): Promise<{ id: string; token: TokenBody }> => {
    const reply = await federated(world, await bearer(world, name));
    expect(reply.status, reply.text).to.equal(201);
    return {
      id: reply.headers['x-subject-token'] as string,
      token: (reply.body as { token: TokenBody }).token,
    };
  };
  const rescope = (id: string, scope: object, method = 'token') =>
    ask(world, 'POST', '/v3/auth/tokens', {
      token: null,
      body: { auth: { identity: { methods: [method], [method]: { id } }, scope } },
    });
  const onDemo = { project: { id: ids.demoProject } };
  const show = (id: string) => ask(world, 'GET', `/v3/users/${id}`);

  beforeEach(() => setUser(world, 'ann', { email: 'ann@partner' }));

  it('issues an unscoped token, and creates the user in the domain of the provider', async () => {
    const domain = await configure(world, [rule]);
    const { id, token } = await enter('ann');
    expect(token).to.not.have.any.keys('project', 'roles', 'catalog');
    expect(token.methods).to.deep.equal(['openid']);
    expect(token.user).to.deep.equal({
      id: createHash('sha256').update(`${domain}userann`).digest('hex'),
      name: 'ann',
      domain: { id: domain, name: domain },
      'OS-FEDERATION': {
        groups: [],
        identity_provider: { id: 'partner' },
        protocol: { id: 'openid' },
      },
    });
    const validated = await ask(world, 'GET', '/v3/auth/tokens', {
      headers: { 'x-subject-token': id },
    });
    expect(validated.body.token.user).to.deep.equal(token.user);
    const { user } = (await show(token.user.id)).body as { user: object };
    expect(user).to.deep.include({
      name: 'ann',
      domain_id: domain,
      enabled: true,
      federated: [{ idp_id: 'partner', protocols: [{ protocol_id: 'openid', unique_id: 'ann' }] }],
    });
  });

  it('knows the user again, and takes over its new name and mail', async () => {
    const user = { id: '{0}', name: '{1}', email: '{2}' };
    const remote = ['SUB', 'NAME', 'EMAIL'].map((claim) => ({ type: `HTTP_OIDC_${claim}` }));
    await configure(world, [{ local: [{ user }], remote }]);
    await setUser(world, 'ann', { name: 'Ann', email: 'a@partner' });
    const { id } = (await enter('ann')).token.user;
    await setUser(world, 'ann', { name: 'Anna', email: 'b@partner' });
    const again = (await enter('ann')).token.user;
    expect([again.id, again['name']]).to.deep.equal([id, 'Anna']);
    expect((await show(id)).body.user).to.include({ name: 'Anna', email: 'b@partner' });
  });

  it('lets two users have one name, and finds them by name and by provider', async () => {
    const user = { id: '{0}', name: 'same' };
    await configure(world, [{ local: [{ user }], remote: [{ type: 'HTTP_OIDC_SUB' }] }], {
      provider: { domain_id: 'default' },
    });
    await make(world, 'user', { name: 'same' });
    await setUser(world, 'ben');
    const known = [(await enter('ann')).token.user.id, (await enter('ben')).token.user.id];
    const found = async (query: string): Promise<string[]> => {
      const { body } = await ask(world, 'GET', `/v3/users?${query}`);
      return (body as { users: { id: string }[] }).users.map((one) => one.id);
    };
    expect(await found('name=same')).to.have.length(3);
    expect(await found('idp_id=partner')).to.have.members(known);
    expect(await found('unique_id=ann')).to.deep.equal([known[0]]);
    expect(await found('protocol_id=other')).to.deep.equal([]);
  });

  it('returns 401 without an assertion, with an invalid or expired one, and if no rule applies', async () => {
    await configure(world, [{ ...rule, remote: [{ type: 'HTTP_OIDC_ROLE' }] }]);
    const token = await bearer(world, 'ann');
    for (const authorization of [undefined, 'Bearer x', `${token}x`, token, 'Basic YTpi'])
      expect((await federated(world, authorization)).status, authorization).to.equal(401);
    await setUser(world, 'ann', { role: 'dev' });
    const valid = await bearer(world, 'ann');
    expect((await federated(world, valid)).status).to.equal(201);
    await world.http.post('/_emulator/clock/advance').send({ seconds: 3601 }).expect(200);
    expect((await federated(world, valid)).status).to.equal(401);
  });

  it('returns 404 for an unknown provider or protocol, and 403 for a disabled one', async () => {
    await configure(world, [rule], { provider: { enabled: false } });
    const token = await bearer(world, 'ann');
    const at = (path: string) => federated(world, token, path);
    const unknown = await at('identity_providers/none/protocols/openid/auth');
    expect([unknown.status, message(unknown)]).to.deep.equal([
      404,
      'Could not find Identity Provider: none.',
    ]);
    expect((await federated(world, token)).status).to.equal(403);
    await ask(world, 'PATCH', `${root}/identity_providers/partner`, {
      body: { identity_provider: { enabled: true } },
    });
    expect((await federated(world, token)).status).to.equal(201);
    expect((await at('identity_providers/partner/protocols/mapped/auth')).status).to.equal(404);
    expect((await at('identity_providers/partner/protocols/other/auth')).status).to.equal(401);
    await ask(world, 'DELETE', `${root}/mappings/m`);
    expect((await federated(world, token)).status).to.equal(404);
  });

  it('checks which provider the assertion is of', async () => {
    await configure(world, [rule], { provider: { remote_ids: ['https://elsewhere'] } });
    const path = `${root}/identity_providers/partner/protocols/openid`;
    const name = (attribute: string) =>
      ask(world, 'PATCH', path, {
        body: { protocol: { mapping_id: 'm', remote_id_attribute: attribute } },
      });
    const token = await bearer(world, 'ann');
    expect((await federated(world, token)).status).to.equal(403);
    await name('HTTP_OIDC_NONE');
    expect((await federated(world, token)).status).to.equal(401);
    await name('HTTP_OIDC_ISS');
    expect((await federated(world, token)).status).to.equal(403);
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as {
      iss: string;
    };
    await ask(world, 'PATCH', `${root}/identity_providers/partner`, {
      body: { identity_provider: { remote_ids: [claims.iss] } },
    });
    expect((await federated(world, token)).status).to.equal(201);
  });

  it('scopes tokens by groups of the assertion, and keeps their expiry', async () => {
    const { id: group } = await make(world, 'group', { name: 'devs' });
    const grant = `/v3/projects/${ids.demoProject}/groups/${group}/roles/${ids.role('member')}`;
    await ask(world, 'PUT', grant);
    await configure(world, [groupRule({ group: { name: 'devs', domain: { name: 'Default' } } })]);
    const { id, token } = await enter('ann');
    const { projects } = (await ask(world, 'GET', `${root}/projects`, { token: id })).body;
    expect(projects.map((one: { id: string }) => one.id)).to.deep.equal([ids.demoProject]);
    expect((await ask(world, 'GET', `${root}/domains`, { token: id })).body.domains).to.deep.equal(
      [],
    );
    await world.http.post('/_emulator/clock/advance').send({ seconds: 60 }).expect(200);
    for (const method of ['token', 'mapped']) {
      const scoped = await rescope(id, onDemo, method);
      expect(scoped.status, scoped.text).to.equal(201);
      const body = (scoped.body as { token: TokenBody }).token;
      expect(body.roles!.map((one) => one.name)).to.include('member');
      expect(body.user['OS-FEDERATION']).to.deep.include({ groups: [{ id: group }] });
      expect(body.expires_at).to.equal(token.expires_at);
      expect(body.audit_ids).to.have.length(1);
      const scopedId = scoped.headers['x-subject-token'] as string;
      const listed = await world.ask('compute', 'GET', '/compute/v2.1/servers', {
        token: scopedId,
      });
      expect(listed.status).to.equal(200);
    }
    expect((await rescope(id, { project: { id: ids.adminProject } })).status).to.equal(401);
    await ask(world, 'DELETE', grant);
    expect((await rescope(id, onDemo)).status).to.equal(401);
  });

  it('returns 400 for a group id that does not exist, and leaves out unknown names', async () => {
    await configure(world, [groupRule({ group: { id: 'none' } })]);
    const reply = await federated(world, await bearer(world, 'ann'));
    expect([reply.status, message(reply)]).to.deep.equal([
      400,
      'Group none returned by mapping m was not found in the backend.',
    ]);
    const rules = [groupRule({ groups: '{0}', domain: { id: 'default' } })];
    await ask(world, 'PATCH', `${root}/mappings/m`, { body: { mapping: { rules } } });
    expect((await enter('ann')).token.user['OS-FEDERATION']).to.deep.include({ groups: [] });
  });

  it('makes the groups memberships for the time of the provider', async () => {
    const { id: group } = await make(world, 'group', { name: 'devs' });
    await ask(
      world,
      'PUT',
      `/v3/projects/${ids.demoProject}/groups/${group}/roles/${ids.role('member')}`,
    );
    await configure(world, [groupRule({ group: { id: group } })], {
      provider: { authorization_ttl: 10 },
    });
    const { id, token } = await enter('ann');
    const groupsOf = async () =>
      (await ask(world, 'GET', `/v3/users/${token.user.id}/groups`)).body.groups as {
        membership_expires_at: string;
      }[];
    expect((await groupsOf()).map((one) => one.membership_expires_at)).to.deep.equal([
      '2026-11-20T12:10:00.000000',
    ]);
    const membership = `/v3/groups/${group}/users/${token.user.id}`;
    expect((await ask(world, 'GET', membership)).status).to.equal(204);
    const projectsPath = `/v3/users/${token.user.id}/projects`;
    expect((await ask(world, 'GET', projectsPath, { token: id })).body.projects).to.have.length(1);
    const scoped = (await rescope(id, onDemo)).headers['x-subject-token'] as string;
    const made = await ask(world, 'POST', `/v3/users/${token.user.id}/application_credentials`, {
      token: scoped,
      body: { application_credential: { name: 'ci' } },
    });
    expect(made.status, made.text).to.equal(201);
    const { id: credential, secret } = made.body.application_credential;
    const byCredential = () =>
      ask(world, 'POST', '/v3/auth/tokens', {
        token: null,
        body: {
          auth: {
            identity: {
              methods: ['application_credential'],
              application_credential: { id: credential, secret },
            },
          },
        },
      });
    const issued = (await byCredential()).headers['x-subject-token'] as string;
    const listServers = () =>
      world.ask('compute', 'GET', '/compute/v2.1/servers', { token: issued });
    expect((await listServers()).status).to.equal(200);
    await world.http.post('/_emulator/clock/advance').send({ minutes: 11 }).expect(200);
    expect(await groupsOf()).to.deep.equal([]);
    expect((await ask(world, 'GET', membership)).status).to.equal(404);
    expect((await listServers()).status).to.equal(401);
    expect((await byCredential()).status).to.equal(401);
    await enter('ann');
    expect((await byCredential()).status).to.equal(201);
  });

  it('ends the tokens of a user who comes with other groups', async () => {
    await make(world, 'group', { name: 'a' });
    await make(world, 'group', { name: 'b' });
    const remote = [{ type: 'HTTP_OIDC_SUB' }, { type: 'HTTP_OIDC_GROUPS' }];
    const local = [{ user: { name: '{0}' } }, { groups: '{1}', domain: { id: 'default' } }];
    await configure(world, [{ local, remote }]);
    await setUser(world, 'ann', { groups: ['a'] });
    const first = await enter('ann');
    const isValid = async ({ id }: { id: string }) =>
      (await ask(world, 'GET', '/v3/auth/tokens', { headers: { 'x-subject-token': id } }))
        .status === 200;
    const second = await enter('ann');
    expect([await isValid(first), await isValid(second)]).to.deep.equal([true, true]);
    await setUser(world, 'ann', { groups: ['a', 'b'] });
    const third = await enter('ann');
    expect([await isValid(first), await isValid(third)]).to.deep.equal([false, true]);
  });

  it('creates projects with the roles of the user', async () => {
    const projects = [{ name: 'of {0}', roles: [{ name: 'member' }, { name: 'reader' }] }];
    const domain = await configure(world, [groupRule({ projects })]);
    const { id, token } = await enter('ann');
    const { projects: own } = (await ask(world, 'GET', '/v3/auth/projects', { token: id })).body;
    expect(own).to.have.length(1);
    expect(own[0]).to.include({ name: 'of ann', domain_id: domain });
    const scoped = await rescope(id, { project: { id: own[0].id } });
    expect(scoped.status).to.equal(201);
    const rolesOf = async (project: string): Promise<string[]> => {
      const path = `/v3/projects/${project}/users/${token.user.id}/roles`;
      const { roles } = (await ask(world, 'GET', path)).body as { roles: { name: string }[] };
      return roles.map(({ name }) => name);
    };
    expect(await rolesOf(own[0].id)).to.have.members(['member', 'reader']);
    const change = (fields: object) =>
      ask(world, 'PATCH', `${root}/mappings/m`, { body: { mapping: fields } });
    const fewer = [groupRule({ projects: [{ name: 'of {0}', roles: [{ name: 'reader' }] }] })];
    await change({ rules: fewer, schema_version: '2.0' });
    await enter('ann');
    expect(await rolesOf(own[0].id)).to.have.members(['member', 'reader']);
    await change({ rules: fewer, schema_version: '3.0' });
    await enter('ann');
    expect(await rolesOf(own[0].id)).to.deep.equal(['reader']);
  });

  it('returns 404 for an unknown role and 403 for one of another domain, and creates nothing', async () => {
    const { id: domain } = await make(world, 'domain', { name: 'other' });
    await make(world, 'role', { name: 'local', domain_id: domain });
    await configure(world, [
      groupRule({
        projects: [{ name: 'p', roles: [{ name: 'none' }] }],
        domain: { id: 'default' },
      }),
    ]);
    const token = await bearer(world, 'ann');
    expect((await federated(world, token)).status).to.equal(404);
    const rules = [groupRule({ projects: [{ name: 'p', roles: [{ name: 'local' }] }] })];
    await ask(world, 'PATCH', `${root}/mappings/m`, { body: { mapping: { rules } } });
    const reply = await federated(world, token);
    expect([reply.status, message(reply)]).to.deep.equal([
      403,
      'role: local must be within the same domain as the identity provider: partner.',
    ]);
    expect((await ask(world, 'GET', '/v3/users?idp_id=partner')).body.users).to.deep.equal([]);
    expect((await ask(world, 'GET', '/v3/projects?name=p')).body.projects).to.deep.equal([]);
  });

  it('signs in a local user, with a token that is not of federation', async () => {
    const user = { name: '{0}', type: 'local', domain: { id: 'default' } };
    await configure(world, [{ local: [{ user }], remote: [{ type: 'HTTP_OIDC_SUB' }] }]);
    await setUser(world, 'demo');
    const { token } = await enter('demo');
    expect(token.user.id).to.equal(ids.demo);
    expect(token.user).to.include.keys('password_expires_at');
    expect((await federated(world, await bearer(world, 'ann'))).status).to.equal(401);
  });

  it('signs in by POST /auth/tokens, with a scope', async () => {
    const projects = [{ name: 'p', roles: [{ name: 'member' }], domain: { id: 'default' } }];
    await configure(world, [groupRule({ projects })]);
    const post = async (openid: object, authorization?: string) =>
      ask(world, 'POST', '/v3/auth/tokens', {
        token: null,
        ...(authorization === undefined ? {} : { headers: { authorization } }),
        body: {
          auth: {
            identity: { methods: ['openid'], openid },
            scope: { unscoped: {} },
          },
        },
      });
    const method = { identity_provider: 'partner', protocol: 'openid' };
    expect((await post(method, await bearer(world, 'ann'))).status).to.equal(201);
    expect((await post(method)).status).to.equal(401);
    const reply = await post({ identity_provider: 'partner' });
    expect([reply.status, message(reply).split(' in ')[0]]).to.deep.equal([
      400,
      'Expecting to find protocol',
    ]);
    const token = await signIn(world);
    expect((await post({ id: token })).status).to.equal(404);
  });

  it('deletes the users with the protocol or the provider, which ends their tokens', async () => {
    await configure(world, [rule]);
    const isValid = async (id: string) =>
      (await ask(world, 'GET', '/v3/auth/tokens', { headers: { 'x-subject-token': id } }))
        .status === 200;
    const { id, token } = await enter('ann');
    const path = `${root}/identity_providers/partner`;
    await ask(world, 'DELETE', `${path}/protocols/openid`);
    expect(await isValid(id)).to.equal(false);
    expect((await show(token.user.id)).status).to.equal(404);
    await put(world, 'identity_providers/partner/protocols/openid', { mapping_id: 'm' });
    const again = await enter('ann');
    expect(again.token.user.id).to.equal(token.user.id);
    expect([await isValid(id), await isValid(again.id)]).to.deep.equal([false, true]);
    await ask(world, 'DELETE', path);
    expect(await isValid(again.id)).to.equal(false);
    expect((await show(token.user.id)).status).to.equal(404);
  });

  it('returns 403 for the exchange of a token once the provider is disabled', async () => {
    await configure(world, [rule]);
    const { id } = await enter('ann');
    await ask(world, 'PATCH', `${root}/identity_providers/partner`, {
      body: { identity_provider: { enabled: false } },
    });
    expect((await rescope(id, { unscoped: {} })).status).to.equal(403);
  });

  it('shows enabled service providers in tokens', async () => {
    const urls = { auth_url: 'https://other/v3', sp_url: 'https://other/saml' };
    await put(world, 'service_providers/other', { ...urls, enabled: true });
    await put(world, 'service_providers/off', urls);
    const token = await signIn(world);
    const { body } = await ask(world, 'GET', '/v3/auth/tokens', {
      headers: { 'x-subject-token': token },
    });
    expect(body.token.service_providers).to.deep.equal([{ id: 'other', ...urls }]);
  });

  describe('users with names at identity providers', () => {
    const federation = (uniqueId: string, protocol = 'openid') => [
      { idp_id: 'partner', protocols: [{ protocol_id: protocol, unique_id: uniqueId }] },
    ];
    beforeEach(() => configure(world, [rule]));

    it('lets local users sign in by federation', async () => {
      const { id, ...made } = await make(world, 'user', {
        name: 'anna',
        federated: federation('ann'),
      } as never);
      expect(made['federated']).to.deep.equal(federation('ann'));
      const { token } = await enter('ann');
      expect([token.user.id, token.user['name']]).to.deep.equal([id, 'anna']);
      const changed = await ask(world, 'PATCH', `/v3/users/${id}`, {
        body: { user: { federated: federation('other') } },
      });
      expect(changed.body.user.federated).to.deep.equal(federation('other'));
      await ask(world, 'DELETE', `${root}/identity_providers/partner`);
      expect((await show(id)).body.user).to.not.have.property('federated');
    });

    it('return 400 for an unknown protocol, and 409 for a name that is taken', async () => {
      const create = (federated_: object) =>
        ask(world, 'POST', '/v3/users', { body: { user: { name: 'x', federated: federated_ } } });
      const unknown = await create(federation('ann', 'none'));
      expect([unknown.status, message(unknown)]).to.deep.equal([
        400,
        'Could not find federated protocol none for Identity Provider: partner.',
      ]);
      await enter('ann');
      expect((await create(federation('ann'))).status).to.equal(409);
      expect((await ask(world, 'GET', '/v3/users?name=x')).body.users).to.deep.equal([]);
    });
  });
});
