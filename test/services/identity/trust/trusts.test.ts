// Trusts, and tokens for them.
import { expect } from 'chai';
import { ensureAssignments } from '../../../../src/services/identity/store/assignment/assignments.ts';
import { ensureRoles } from '../../../../src/services/identity/store/assignment/roles.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, makeUser, message, onProject, signIn, signInReply } from '../support.ts';

onEachDatabase('identity: trusts', {}, (world) => {
  const path = '/v3/OS-TRUST/trusts';
  let trustor: string;
  let trustee: string;
  let token: string;
  beforeEach(async () => {
    trustor = await makeUser(world, 'tor', 'member');
    trustee = await makeUser(world, 'tee');
    token = await signIn(world, { name: 'tor', password: 'pw', scope: onProject('demo') });
  });

  const fields = (more: object = {}): object => ({
    trustor_user_id: trustor,
    trustee_user_id: trustee,
    impersonation: true,
    project_id: ids.demoProject,
    roles: [{ name: 'member' }],
    ...more,
  });
  const post = (more: object = {}, by = token) =>
    ask(world, 'POST', path, { token: by, body: { trust: fields(more) } });
  const make = async (more: object = {}, by = token): Promise<string> => {
    const reply = await post(more, by);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(201);
    return reply.body.trust.id as string;
  };
  const by = (id: string, name = 'tee') =>
    signInReply(world, { name, password: 'pw', scope: { 'OS-TRUST:trust': { id } } });
  const tokenBy = async (id: string, name = 'tee'): Promise<string> =>
    (await by(id, name).expect(201)).headers['x-subject-token'] as string;
  const validate = (subject: string) =>
    ask(world, 'GET', '/v3/auth/tokens', { headers: { 'x-subject-token': subject } });
  const plain = 'You are not authorized to perform the requested action.';

  describe('POST /v3/OS-TRUST/trusts', () => {
    it('creates a trust, and stores undefined attributes', async () => {
      const { trust } = (await post({ note: 'n', expires_at: '2030-01-01T00:00:00.123456Z' })).body;
      expect(trust).to.deep.include({
        trustor_user_id: trustor,
        trustee_user_id: trustee,
        project_id: ids.demoProject,
        impersonation: true,
        expires_at: '2030-01-01T00:00:00.000000Z',
        remaining_uses: null,
        deleted_at: null,
        redelegated_trust_id: null,
        redelegation_count: 0,
        note: 'n',
      });
      expect(trust.roles.map((role: { name: string }) => role.name)).to.deep.equal(['member']);
      expect(trust.roles_links.self).to.match(new RegExp(`/v3/${trust.id}/roles$`));
      expect((await ask(world, 'GET', `${path}/${trust.id}`, { token })).body.trust).to.deep.equal(
        trust,
      );
    });

    it('delegates any number of roles', async () => {
      const { db } = world.cloud.central;
      const roles = Array.from({ length: 700 }, (_, index) => ({
        id: index.toString(16).padStart(32, '0'),
        name: `role-${index}`,
        domainId: null,
        description: null,
        options: {},
        extra: {},
      }));
      await ensureRoles(db, roles);
      const target = { targetType: 'project', targetId: ids.demoProject } as const;
      const actor = { actorType: 'user', actorId: trustor, inherited: false } as const;
      await ensureAssignments(
        db,
        roles.map((role) => ({ ...actor, ...target, roleId: role.id })),
      );
      const names = roles.map(({ name }) => ({ name }));
      const { id, roles: delegated } = (await post({ roles: names })).body.trust;
      expect(delegated).to.have.length(700);
      expect((await validate(await tokenBy(id as string))).body.token.roles).to.have.length(700);
    });

    it('returns an error for another trustor, and for unknown or unauthorized roles', async () => {
      expect(message(await post({}, await signIn(world)))).to.contain('identity:create_trust');
      expect(message(await post({ roles: [] }))).to.contain(
        'At least one role should be specified',
      );
      expect(message(await post({ trustee_user_id: 'x' }))).to.equal('Could not find user: x.');
      expect(message(await post({ roles: [{ name: 'x' }] }))).to.equal('Role x is not defined');
      expect(message(await post({ roles: [{ id: ids.role('admin') }] }))).to.equal(
        `Could not find role: ${ids.role('admin')}.`,
      );
      expect(message(await post({ project_id: 'x' }))).to.equal('Could not find project: x.');
      expect(message(await post({ project_id: null }))).to.equal(
        `Could not find role: ${ids.role('member')}.`,
      );
    });

    it('returns 400 for an invalid or past expiry', async () => {
      expect(message(await post({ expires_at: '' }))).to.match(/^Timestamp not in expected format/);
      expect(message(await post({ expires_at: '2026-11-20T11:59:59Z' }))).to.match(
        /^The 'expires_at' must not be before now/,
      );
    });

    it('returns 409 for a trust equal to a deleted one', async () => {
      const id = await make({ expires_at: '2030-01-01T00:00:00Z' });
      await ask(world, 'DELETE', `${path}/${id}`, { token });
      const again = await post({ expires_at: '2030-01-01T00:00:00Z' });
      expect(again.status).to.equal(409);
      expect(message(again)).to.match(
        /^Conflict occurred attempting to store trust - Duplicate entry found with ID \w{32}\.$/,
      );
    });

    it('sets the redelegation count', async () => {
      const count = async (more: object) => {
        const reply = await post(more);
        return reply.status === 201
          ? (reply.body.trust.redelegation_count as number)
          : message(reply);
      };
      expect(await count({ redelegation_count: 2 })).to.equal(0);
      expect(await count({ allow_redelegation: true })).to.equal(3);
      expect(await count({ allow_redelegation: true, redelegation_count: 1 })).to.equal(1);
      expect(await count({ allow_redelegation: true, redelegation_count: 4 })).to.equal(plain);
      expect(await count({ allow_redelegation: true, remaining_uses: 1 })).to.equal(
        'remaining_uses must not be set if redelegation is allowed',
      );
    });

    it('redelegates a trust, and returns 403 if it would grant more than the parent', async () => {
      const first = await make({ allow_redelegation: true, expires_at: '2030-01-01T00:00:00Z' });
      const third = await makeUser(world, 'third');
      const on = await tokenBy(first);
      const pass = (more: object) => post({ trustee_user_id: third, ...more }, on);
      const tooMuch = [
        { allow_redelegation: true, redelegation_count: 1 },
        { remaining_uses: 1 },
        { expires_at: '2031-01-01T00:00:00Z' },
        { roles: [{ name: 'reader' }] },
      ];
      for (const more of tooMuch)
        expect(message(await pass(more)), JSON.stringify(more)).to.equal(plain);
      const second = (await pass({ allow_redelegation: true })).body.trust;
      expect(second).to.include({
        redelegated_trust_id: first,
        redelegation_count: 2,
        expires_at: '2030-01-01T00:00:00.000000Z',
        trustor_user_id: trustor,
      });
      const last = await tokenBy(second.id, 'third');
      await ask(world, 'PATCH', `/v3/users/${trustee}`, { body: { user: { enabled: false } } });
      expect((await ask(world, 'GET', `${path}/${second.id}`, { token })).status).to.equal(403);
      expect((await validate(last)).status).to.equal(403);
      await ask(world, 'PATCH', `/v3/users/${trustee}`, { body: { user: { enabled: true } } });
      expect((await ask(world, 'DELETE', `${path}/${first}`, { token })).status).to.equal(204);
      expect(message(await ask(world, 'GET', `${path}/${second.id}`, { token }))).to.equal(
        `Could not find trust: ${second.id}.`,
      );
      expect((await by(second.id, 'third')).status).to.equal(401);
    });
  });

  describe('GET /v3/OS-TRUST/trusts', () => {
    it('lists trusts to their trustor or trustee, and all trusts to administrators', async () => {
      const id = await make();
      const list = async (query: string, as?: string) =>
        (await ask(world, 'GET', `${path}${query}`, as ? { token: as } : {})).body.trusts?.map(
          (one: { id: string }) => one.id,
        );
      const theirs = await signIn(world, { name: 'tee', password: 'pw', scope: null });
      expect(await list('')).to.deep.equal([id]);
      expect(await list('', token)).to.equal(undefined);
      expect(await list(`?trustor_user_id=${trustor}`, token)).to.deep.equal([id]);
      expect(await list(`?trustee_user_id=${trustor}`, token)).to.deep.equal([]);
      expect(await list(`?trustee_user_id=${trustee}`, token)).to.equal(undefined);
      expect(await list(`?trustee_user_id=${trustee}`, theirs)).to.deep.equal([id]);
      expect(await list('?other=x')).to.deep.equal([]);
      const [one] = (await ask(world, 'GET', path)).body.trusts;
      expect(one).not.to.have.any.keys('roles', 'roles_links');
    });
  });

  describe('GET /v3/OS-TRUST/trusts/{trust_id}/roles', () => {
    it('lists and shows the roles', async () => {
      const id = await make();
      const { roles, links } = (await ask(world, 'GET', `${path}/${id}/roles`, { token })).body;
      expect(roles.map((role: { id: string }) => role.id)).to.deep.equal([ids.role('member')]);
      expect(links).to.include({ next: null, previous: null });
      const one = `${path}/${id}/roles/${ids.role('member')}`;
      expect((await ask(world, 'GET', one, { token })).body.role.name).to.equal('member');
      expect((await ask(world, 'HEAD', one, { token })).status).to.equal(200);
      expect(
        (await ask(world, 'GET', `${path}/${id}/roles/${ids.role('reader')}`, { token })).status,
      ).to.equal(404);
    });
  });

  describe('DELETE /v3/OS-TRUST/trusts/{trust_id}', () => {
    it('deletes the trust and ends its tokens', async () => {
      const id = await make();
      const subject = await tokenBy(id);
      expect((await ask(world, 'GET', '/v3/auth/projects', { token: subject })).status).to.equal(
        200,
      );
      expect((await ask(world, 'DELETE', `${path}/${id}`, { token })).status).to.equal(204);
      expect((await ask(world, 'DELETE', `${path}/${id}`, { token })).status).to.equal(404);
      expect(message(await validate(subject))).to.equal(`Could not find trust: ${id}.`);
      expect((await ask(world, 'GET', '/v3/auth/projects', { token: subject })).status).to.equal(
        401,
      );
    });

    it('returns 403 to application credentials, like all other operations', async () => {
      const id = await make();
      const fields = { name: 'ci', unrestricted: true };
      const made = await ask(world, 'POST', `/v3/users/${trustor}/application_credentials`, {
        token,
        body: { application_credential: fields },
      });
      const { id: credential, secret } = made.body.application_credential;
      const identity = {
        methods: ['application_credential'],
        application_credential: { id: credential, secret },
      };
      const other = await signIn(world, { scope: null, identity });
      const why = /Using method 'application_credential' is not allowed for managing trusts\.\.$/;
      expect(message(await post({}, other))).to.match(why);
      for (const [method, place] of [
        ['GET', `?trustor_user_id=${trustor}`],
        ['GET', `/${id}`],
        ['GET', `/${id}/roles`],
        ['DELETE', `/${id}`],
      ])
        expect(message(await ask(world, method!, `${path}${place}`, { token: other }))).to.match(
          why,
        );
    });
  });

  describe('a token for a trust', () => {
    it('has the trustor as user and the roles of the trust, if it impersonates', async () => {
      const id = await make();
      const reply = await by(id).expect(201);
      const { token: body } = reply.body;
      expect(body['OS-TRUST:trust']).to.deep.equal({
        id,
        impersonation: true,
        trustor_user: { id: trustor },
        trustee_user: { id: trustee },
      });
      expect(body.user.id).to.equal(trustor);
      expect(body.project.id).to.equal(ids.demoProject);
      expect(body).not.to.have.property('is_domain');
      expect(body.roles.map((role: { name: string }) => role.name)).to.deep.equal([
        'member',
        'reader',
      ]);
      expect(body.roles[0]).to.have.property('domain_id', null);
      const subject = reply.headers['x-subject-token'] as string;
      expect((await validate(subject)).body.token).to.deep.equal(body);
      const servers = await world.ask('compute', 'GET', '/compute/v2.1/servers', {
        token: subject,
      });
      expect(servers.status).to.equal(200);
    });

    it('has the trustee as user, if the trust does not impersonate', async () => {
      const { token: body } = (await by(await make({ impersonation: false })).expect(201)).body;
      expect(body.user.id).to.equal(trustee);
      expect(body.roles.map((role: { name: string }) => role.name)).to.deep.equal([
        'member',
        'reader',
      ]);
    });

    it('is issued to the trustee only, and only for a trust with a project', async () => {
      const id = await make();
      expect((await by(id, 'tor')).status).to.equal(403);
      expect((await by('nope')).status).to.equal(401);
      expect((await by('')).status).to.equal(400);
      expect(message(await by(await make({ project_id: null, roles: [] })))).to.equal(
        'Could not find project: None.',
      );
    });

    it('cannot be exchanged, or manage application credentials', async () => {
      const subject = await tokenBy(await make());
      const identity = { methods: ['token'], token: { id: subject } };
      for (const scope of [null, onProject('demo')])
        expect(message(await signInReply(world, { scope, identity }))).to.contain(
          'Using trust-scoped token to create another',
        );
      const mine = `/v3/users/${trustor}`;
      expect(
        message(await ask(world, 'GET', `${mine}/application_credentials`, { token: subject })),
      ).to.equal(plain);
      expect(message(await ask(world, 'GET', `${mine}/access_rules`, { token: subject }))).to.equal(
        plain,
      );
      const body = { application_credential: { name: 'x' } };
      expect(
        message(
          await ask(world, 'POST', `${mine}/application_credentials`, { token: subject, body }),
        ),
      ).to.equal(plain);
    });

    it('counts as a use, and stays valid after the last use', async () => {
      const id = await make({ remaining_uses: 2 });
      await tokenBy(id);
      expect(
        (await ask(world, 'GET', `${path}/${id}`, { token })).body.trust.remaining_uses,
      ).to.equal(1);
      const last = await tokenBy(id);
      expect((await ask(world, 'GET', `${path}/${id}`, { token })).status).to.equal(404);
      expect((await by(id)).status).to.equal(401);
      expect((await validate(last)).status).to.equal(200);
    });

    it('expires with the trust', async () => {
      const id = await make({ expires_at: '2026-11-20T12:10:00Z' });
      const reply = await by(id).expect(201);
      expect(reply.body.token.expires_at).to.equal('2026-11-20T12:10:00.000000Z');
      await world.setTime('2026-11-20T12:10:01Z');
      expect((await validate(reply.headers['x-subject-token'] as string)).status).to.equal(404);
      expect((await by(id)).status).to.equal(401);
      expect((await ask(world, 'GET', `${path}/${id}`)).status).to.equal(404);
    });

    it('is invalid while the trustor lacks a role', async () => {
      const id = await make();
      const subject = await tokenBy(id);
      const grant = `/v3/projects/${ids.demoProject}/users/${trustor}/roles/${ids.role('member')}`;
      await ask(world, 'DELETE', grant);
      expect((await validate(subject)).status).to.equal(403);
      expect((await by(id)).status).to.equal(403);
      expect((await ask(world, 'GET', '/v3/auth/projects', { token: subject })).status).to.equal(
        401,
      );
      await ask(world, 'PUT', grant);
      expect((await validate(subject)).status).to.equal(200);
    });

    it('becomes invalid when the trustor or the trustee is disabled', async () => {
      const id = await make();
      for (const user of [trustor, trustee]) {
        const subject = await tokenBy(id);
        await ask(world, 'PATCH', `/v3/users/${user}`, { body: { user: { enabled: false } } });
        expect((await validate(subject)).status).to.equal(user === trustor ? 403 : 404);
        expect((await by(id)).status).to.equal(user === trustor ? 403 : 401);
        await ask(world, 'PATCH', `/v3/users/${user}`, { body: { user: { enabled: true } } });
        expect(message(await validate(subject))).to.equal('Failed to validate token');
      }
    });

    it('is deleted with the project or the trustee', async () => {
      const project = (
        await ask(world, 'POST', '/v3/projects', { body: { project: { name: 'p' } } })
      ).body.project.id as string;
      await ask(
        world,
        'PUT',
        `/v3/projects/${project}/users/${trustor}/roles/${ids.role('member')}`,
      );
      const own = await signIn(world, {
        name: 'tor',
        password: 'pw',
        scope: { project: { id: project } },
      });
      const here = await make({ project_id: project }, own);
      const there = await make();
      const subject = await tokenBy(here);
      await ask(world, 'DELETE', `/v3/projects/${project}`);
      expect((await ask(world, 'GET', `${path}/${here}`)).status).to.equal(404);
      expect((await validate(subject)).status).to.equal(404);
      expect((await ask(world, 'GET', `${path}/${there}`)).status).to.equal(200);
      await ask(world, 'DELETE', `/v3/users/${trustee}`);
      expect((await ask(world, 'GET', `${path}/${there}`)).status).to.equal(404);
    });
  });
});
