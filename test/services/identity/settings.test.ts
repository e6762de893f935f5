// The settings of Identity: lifetimes of tokens, the depth of projects, and locked accounts.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, ids, make, message, signIn, signInReply } from './support.ts';

const path = '/_emulator/identity/settings';

onEachDatabase('identity: settings', {}, (world) => {
  const change = (body: object) =>
    world.ask('emulator', 'PUT', path, { token: null, body }).expect(200);
  const token = async (): Promise<{ id: string; expires_at: string }> => {
    const { headers, body } = await signInReply(world).expect(201);
    return { id: headers['x-subject-token']!, expires_at: body.token.expires_at };
  };

  it('are those of keystone.conf, and keep their values until they are changed', async () => {
    const initial = (await world.ask('emulator', 'GET', path, { token: null }).expect(200)).body;
    expect(initial).to.deep.equal({
      token_expiration: 3600,
      allow_expired_window: 172_800,
      receipt_expiration: 300,
      totp_previous_windows: 1,
      request_token_duration: 28_800,
      access_token_duration: 86_400,
      remote_id_attribute: null,
      trusted_dashboard: [],
      sso_callback_template: null,
      default_authorization_ttl: 0,
      idp_entity_id: null,
      assertion_expiration_time: 3600,
      max_project_tree_depth: 5,
      list_limit: null,
      password_regex: null,
      password_regex_description: null,
      password_expires_days: null,
      unique_last_password_count: 0,
      minimum_password_age: 0,
      change_password_upon_first_use: false,
      lockout_failure_attempts: null,
      lockout_duration: 1800,
      disable_user_account_days_inactive: null,
      default_endpoint_group: null,
    });
    const changed = (await change({ lockout_failure_attempts: 3 })).body;
    expect(changed).to.deep.equal({ ...initial, lockout_failure_attempts: 3 });
    expect((await world.ask('emulator', 'GET', path, { token: null })).body).to.deep.equal(changed);
  });

  it('return 400 for an unknown setting or a value out of range', async () => {
    for (const body of [{ nope: 1 }, { token_expiration: 0 }, { lockout_failure_attempts: 0 }])
      await world.ask('emulator', 'PUT', path, { token: null, body }).expect(400);
  });

  it('are the defaults again after a reset', async () => {
    await change({ max_project_tree_depth: 1 });
    await world.ask('emulator', 'POST', '/_emulator/reset', { token: null, body: {} }).expect(204);
    const { body } = await world.ask('emulator', 'GET', path, { token: null });
    expect(body).to.include({ max_project_tree_depth: 5 });
  });

  describe('list_limit', () => {
    const list = async (query: string): Promise<Record<string, unknown>> =>
      (await ask(world, 'GET', `/v3/${query}`)).body as Record<string, unknown>;

    it('truncates lists, which link to their next page', async () => {
      for (const name of ['a', 'b', 'c']) await make(world, 'role', { name });
      const { roles: all } = (await list('roles')) as { roles: { id: string }[] };
      await change({ list_limit: 2 });
      const { roles, links, truncated } = (await list('roles?name__contains=')) as {
        roles: { id: string }[];
        links: { next: string };
        truncated: boolean;
      };
      const ordered = all.map(({ id }) => id).toSorted();
      expect(roles.map(({ id }) => id)).to.deep.equal(ordered.slice(0, 2));
      expect(truncated).to.equal(true);
      expect(new URL(links.next).search).to.equal(`?name__contains=&limit=2&marker=${ordered[1]}`);
    });

    it('leaves lists whole that have no more members', async () => {
      await make(world, 'role', { name: 'a' });
      const { roles: all } = await list('roles');
      await change({ list_limit: (all as unknown[]).length });
      const { roles, truncated } = await list('roles');
      expect(roles).to.have.deep.members(all as unknown[]);
      expect(truncated).to.equal(undefined);
    });

    it('gives way to the limit of a request, except for users and groups', async () => {
      for (const name of ['a', 'b', 'c']) await make(world, 'group', { name });
      await change({ list_limit: 1 });
      expect((await list('roles?limit=2'))['roles']).to.have.length(2);
      expect((await list('groups?limit=2'))['groups']).to.have.length(1);
      expect((await list('users'))['users']).to.have.length(1);
    });

    it('does not truncate the projects of a user', async () => {
      await change({ list_limit: 1 });
      expect((await list('projects'))['projects']).to.have.length(1);
      const { projects } = await list(`users/${ids.admin}/projects`);
      expect(projects).to.have.length.greaterThan(1);
    });
  });

  it('token_expiration is the lifetime of new tokens', async () => {
    const before = await token();
    await change({ token_expiration: 60 });
    const after = await token();
    expect([before.expires_at, after.expires_at]).to.deep.equal([
      '2026-11-20T13:00:00.000000Z',
      '2026-11-20T12:01:00.000000Z',
    ]);
    await world.setTime('2026-11-20T12:01:01Z');
    const status = async (id: string): Promise<number> =>
      (await ask(world, 'GET', '/v3/auth/projects', { token: id })).status;
    expect([await status(before.id), await status(after.id)]).to.deep.equal([200, 401]);
  });

  it('allow_expired_window is how long expired tokens can be validated', async () => {
    const { id } = await token();
    await world.setTime('2026-11-20T14:00:00Z');
    const status = async (): Promise<number> => {
      const headers = { 'x-subject-token': id };
      const asked = { headers, token: await signIn(world) };
      return (await ask(world, 'GET', '/v3/auth/tokens?allow_expired=1', asked)).status;
    };
    expect(await status()).to.equal(200);
    await change({ allow_expired_window: 3000 });
    expect(await status()).to.equal(404);
  });

  it('max_project_tree_depth limits the depth of new projects', async () => {
    await change({ max_project_tree_depth: 2 });
    const { id } = await make(world, 'project', { name: 'top' });
    const below = await make(world, 'project', { name: 'below', parent_id: id });
    const project = { name: 'bottom', parent_id: below.id };
    const refused = await ask(world, 'POST', '/v3/projects', { body: { project } });
    expect(refused.status).to.equal(403);
    expect(message(refused)).to.equal(`Max hierarchy depth reached for ${below.id} branch.`);
    await change({ max_project_tree_depth: 3 });
    await make(world, 'project', project);
  });

  describe('password_regex', () => {
    const regex = String.raw`^(?=.*\d)(?=.*[a-zA-Z]).{7,}$`;
    const description = 'at least 7 characters with a letter and a digit';
    const refused = `The password does not match the requirements: ${description}.`;
    const put = (body: object) => world.ask('emulator', 'PUT', path, { token: null, body });
    beforeEach(() => change({ password_regex: regex, password_regex_description: description }));

    it('limits the passwords of new users', async () => {
      for (const password of ['short1', 'onlyletters', '12345678']) {
        const user = { name: 'u', password };
        const reply = await ask(world, 'POST', '/v3/users', { body: { user } });
        expect([reply.status, message(reply)], password).to.deep.equal([400, refused]);
      }
      await make(world, 'user', { name: 'u', password: 'letters1' });
      await make(world, 'user', { name: 'v' });
    });

    it('limits the passwords that administrators and users set', async () => {
      const { id } = await make(world, 'user', { name: 'u', password: 'letters1' });
      const body = { user: { password: 'short' } };
      const set = await ask(world, 'PATCH', `/v3/users/${id}`, { body });
      expect([set.status, message(set)]).to.deep.equal([400, refused]);
      const user = { original_password: 'letters1', password: 'short' };
      const own = await ask(world, 'POST', `/v3/users/${id}/password`, {
        token: null,
        body: { user },
      });
      expect([own.status, message(own)]).to.deep.equal([400, refused]);
      const renamed = await ask(world, 'PATCH', `/v3/users/${id}`, {
        body: { user: { name: 'w' } },
      });
      expect(renamed.status).to.equal(200);
    });

    it('is in the configuration of the default domain', async () => {
      const { body } = await ask(world, 'GET', '/v3/domains/default/config/security_compliance');
      expect(body).to.deep.equal({
        config: {
          security_compliance: { password_regex: regex, password_regex_description: description },
        },
      });
    });

    it('returns 400 for an expression that is invalid or not supported', async () => {
      for (const password_regex of ['(', 'a(?=b)', '(?=a)b|c', String.raw`(a)\1`, '(?<=a)b'])
        await put({ password_regex }).expect(400);
    });
  });

  describe('unique_last_password_count', () => {
    const used =
      'The new password cannot be identical to a previous password. The total number which ' +
      'includes the new password must be unique is 2.';

    it('keeps users from choosing one of their last passwords again', async () => {
      await change({ unique_last_password_count: 2 });
      const { id } = await make(world, 'user', { name: 'u', password: 'p1' });
      const choose = async (original_password: string, password: string): Promise<string> => {
        const body = { user: { original_password, password } };
        const reply = await ask(world, 'POST', `/v3/users/${id}/password`, { token: null, body });
        return reply.status === 204 ? 'changed' : `${reply.status} ${message(reply)}`;
      };
      expect(await choose('p1', 'p1')).to.equal(`400 ${used}`);
      expect(await choose('p1', 'p2')).to.equal('changed');
      expect(await choose('p2', 'p1')).to.equal(`400 ${used}`);
      expect(await choose('p2', 'p3')).to.equal('changed');
      expect(await choose('p3', 'p1')).to.equal('changed');
      const reset = await ask(world, 'PATCH', `/v3/users/${id}`, {
        body: { user: { password: 'p1' } },
      });
      expect(reset.status).to.equal(200);
    });
  });

  describe('password_expires_days', () => {
    const expiresAt = '2026-11-22T12:00:00.000000';
    const signInAs = (name: string, password: string) =>
      signInReply(world, { name, password, scope: null });
    const named = async (query: string): Promise<string[]> => {
      const { body } = await ask(world, 'GET', `/v3/users?${query}`);
      return (body as { users: { name: string }[] }).users.map(({ name }) => name);
    };
    beforeEach(() => change({ password_expires_days: 2 }));

    it('ends the validity of new passwords, which users can still change', async () => {
      const user = await make(world, 'user', { name: 'u', password: 'p1' });
      expect(user['password_expires_at']).to.equal(expiresAt);
      const token = await signInAs('u', 'p1').expect(201);
      expect(token.body.token.user.password_expires_at).to.equal(expiresAt);
      await world.setTime('2026-11-22T12:00:00Z');
      const expired = await signInAs('u', 'p1');
      expect([expired.status, message(expired)]).to.deep.equal([
        401,
        `The password is expired and needs to be changed for user: ${user.id}.`,
      ]);
      const body = { user: { original_password: 'p1', password: 'p2' } };
      const changed = await ask(world, 'POST', `/v3/users/${user.id}/password`, {
        token: null,
        body,
      });
      expect(changed.status).to.equal(204);
      await signInAs('u', 'p2').expect(201);
    });

    it('leaves older passwords and exempt users alone', async () => {
      const options = { ignore_password_expiry: true };
      const exempt = await make(world, 'user', { name: 'u', password: 'p', options });
      expect(exempt['password_expires_at']).to.equal(null);
      await world.setTime('2026-12-20T12:00:00Z');
      await signInAs('u', 'p').expect(201);
      await signInAs('demo', 'secret').expect(201);
    });

    it('lets lists filter by password_expires_at', async () => {
      await make(world, 'user', { name: 'u', password: 'p1' });
      expect(await named('password_expires_at=lt:2026-11-22T12:00:01Z')).to.deep.equal(['u']);
      expect(await named('password_expires_at=gt:2026-11-22T12:00:01Z')).to.deep.equal([]);
      expect(await named('password_expires_at=2026-11-22T12:00:00Z')).to.deep.equal(['u']);
    });
  });

  describe('minimum_password_age and change_password_upon_first_use', () => {
    const choose = (id: string, original_password: string, password: string) =>
      ask(world, 'POST', `/v3/users/${id}/password`, {
        token: null,
        body: { user: { original_password, password } },
      });

    it('keep a password that its user chose for some days', async () => {
      await change({ minimum_password_age: 2 });
      const { id } = await make(world, 'user', { name: 'u', password: 'p1' });
      expect((await choose(id, 'p1', 'p2')).status).to.equal(204);
      await world.setTime('2026-11-21T11:00:00Z');
      const refused = await choose(id, 'p2', 'p3');
      expect(refused.status).to.equal(400);
      expect(message(refused)).to.equal(
        'You cannot change your password at this time due to the minimum password age. Once you ' +
          'change your password, it must be used for 2 day(s) before it can be changed. Please ' +
          'try again in 1 day(s) or contact your administrator to reset your password.',
      );
      await ask(world, 'PATCH', `/v3/users/${id}`, { body: { user: { password: 'p4' } } });
      expect((await choose(id, 'p4', 'p5')).status).to.equal(204);
      await world.setTime('2026-11-23T11:00:00Z');
      expect((await choose(id, 'p5', 'p6')).status).to.equal(204);
    });

    it('require a change of a password that an administrator chose', async () => {
      await change({ change_password_upon_first_use: true });
      const { id } = await make(world, 'user', { name: 'u', password: 'p1' });
      const attempt = (password: string) =>
        signInReply(world, { name: 'u', password, scope: null });
      const expired = `The password is expired and needs to be changed for user: ${id}.`;
      expect(message(await attempt('p1').expect(401))).to.equal(expired);
      expect((await choose(id, 'p1', 'p2')).status).to.equal(204);
      await attempt('p2').expect(201);
      await ask(world, 'PATCH', `/v3/users/${id}`, { body: { user: { password: 'p3' } } });
      await attempt('p3').expect(401);
      const options = { ignore_change_password_upon_first_use: true };
      await ask(world, 'PATCH', `/v3/users/${id}`, { body: { user: { password: 'p4', options } } });
      await attempt('p4').expect(201);
    });
  });

  describe('lockout_failure_attempts', () => {
    const attempt = async (password: string): Promise<string> => {
      const reply = await signInReply(world, { name: 'demo', password });
      return reply.status === 201 ? 'signed in' : message(reply);
    };
    const wrong = 'The request you have made requires authentication.';
    const locked = `The account is locked for user: ${ids.demo}.`;
    beforeEach(() => change({ lockout_failure_attempts: 2 }));

    it('locks an account for the lockout_duration', async () => {
      expect([await attempt('x'), await attempt('x')]).to.deep.equal([wrong, wrong]);
      expect([await attempt('x'), await attempt('secret')]).to.deep.equal([locked, locked]);
      await world.setTime('2026-11-20T12:30:00Z');
      expect([await attempt('x'), await attempt('secret')]).to.deep.equal([wrong, 'signed in']);
    });

    it('counts wrong passwords in a row only', async () => {
      for (const password of ['x', 'secret', 'x', 'secret'])
        expect(await attempt(password)).to.not.equal(locked);
      expect(await attempt('secret')).to.equal('signed in');
    });

    it('locks an account until the user is updated, without a lockout_duration', async () => {
      await change({ lockout_duration: null });
      await attempt('x');
      await attempt('x');
      await world.setTime('2027-11-20T12:00:00Z');
      expect(await attempt('secret')).to.equal(locked);
      await ask(world, 'PATCH', `/v3/users/${ids.demo}`, { body: { user: { enabled: true } } });
      expect(await attempt('secret')).to.equal('signed in');
    });

    it('spares users with ignore_lockout_failure_attempts', async () => {
      const options = { ignore_lockout_failure_attempts: true };
      await ask(world, 'PATCH', `/v3/users/${ids.demo}`, { body: { user: { options } } });
      for (const password of ['x', 'x', 'x']) expect(await attempt(password)).to.equal(wrong);
      expect(await attempt('secret')).to.equal('signed in');
    });

    it('counts wrong passwords of password changes', async () => {
      const change = (original_password: string) =>
        ask(world, 'POST', `/v3/users/${ids.demo}/password`, {
          token: null,
          body: { user: { original_password, password: 'new' } },
        });
      for (const password of ['x', 'x']) expect((await change(password)).status).to.equal(401);
      expect(message(await change('secret'))).to.equal(locked);
      expect(await attempt('secret')).to.equal(locked);
    });
  });
});
