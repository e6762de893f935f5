// Revocation events: what has ended tokens.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, makeUser, message, signIn } from '../support.ts';

onEachDatabase('identity: revocation events', {}, (world) => {
  const list = async (query = ''): Promise<Record<string, string>[]> => {
    const reply = await ask(world, 'GET', `/v3/OS-REVOKE/events${query}`);
    expect(reply.status).to.equal(200);
    return (reply.body as { events: Record<string, string>[] }).events;
  };
  const noon = '2026-11-20T12:00:00.000000Z';
  const atNoon = { issued_before: noon, revoked_at: noon };

  it('name the revoked token', async () => {
    const { body, headers } = await world.ask('identity', 'POST', '/identity/v3/auth/tokens', {
      token: null,
      body: {
        auth: {
          identity: {
            methods: ['password'],
            password: { user: { id: ids.demo, password: 'secret' } },
          },
        },
      },
    });
    const subject = { 'x-subject-token': headers['x-subject-token'] as string };
    const reply = await ask(world, 'DELETE', '/v3/auth/tokens', { headers: subject });
    expect(reply.status).to.equal(204);
    const { audit_ids: auditIds } = (body as { token: { audit_ids: string[] } }).token;
    expect(await list()).to.deep.equal([{ audit_id: auditIds[0], ...atNoon }]);
  });

  it('name users who were disabled, deleted, removed from a group, or have a new password', async () => {
    const user = await makeUser(world, 'u', 'member');
    const path = `/v3/users/${user}`;
    const update = (fields: object) => ask(world, 'PATCH', path, { body: { user: fields } });
    await update({ name: 'renamed' });
    expect(await list()).to.deep.equal([]);
    await update({ password: 'p2' });
    await ask(world, 'POST', `${path}/password`, {
      token: null,
      body: { user: { original_password: 'p2', password: 'p3' } },
    });
    await update({ enabled: false });
    const group = await make(world, 'group', { name: 'g' });
    await ask(world, 'PUT', `/v3/groups/${group.id}/users/${user}`);
    await ask(world, 'DELETE', `/v3/groups/${group.id}/users/${user}`);
    await ask(world, 'DELETE', path);
    const event = { user_id: user, ...atNoon };
    expect(await list()).to.deep.equal([event, event, event, event, event]);
  });

  it('name the members of a deleted group that had a role', async () => {
    const group = await make(world, 'group', { name: 'g' });
    const other = await make(world, 'group', { name: 'without a role' });
    const grant = `/v3/projects/${ids.demoProject}/groups/${group.id}/roles/${ids.role('reader')}`;
    await ask(world, 'PUT', grant);
    for (const { id } of [group, other]) {
      await ask(world, 'PUT', `/v3/groups/${id}/users/${ids.demo}`);
      await ask(world, 'DELETE', `/v3/groups/${id}`);
    }
    expect(await list()).to.deep.equal([{ user_id: ids.demo, ...atNoon }]);
  });

  it('name deleted projects and trusts', async () => {
    const project = await make(world, 'project', { name: 'p' });
    await ask(world, 'DELETE', `/v3/projects/${project.id}`);
    const made = await ask(world, 'POST', '/v3/OS-TRUST/trusts', {
      body: {
        trust: {
          trustor_user_id: ids.admin,
          trustee_user_id: ids.demo,
          impersonation: false,
          project_id: ids.adminProject,
          roles: [{ name: 'member' }],
        },
      },
    });
    const { id } = (made.body as { trust: { id: string } }).trust;
    await ask(world, 'DELETE', `/v3/OS-TRUST/trusts/${id}`);
    expect(await list()).to.deep.equal([
      { project_id: project.id, ...atNoon },
      { 'OS-TRUST:trust_id': id, ...atNoon },
    ]);
  });

  it('can be limited to those after a time, and end half an hour after the tokens', async () => {
    const remove = async (): Promise<string> => {
      const { id } = await make(world, 'user', { name: 'u' });
      await ask(world, 'DELETE', `/v3/users/${id}`);
      return id;
    };
    const first = await remove();
    await world.setTime('2026-11-20T13:30:00Z');
    const second = await remove();
    expect((await list()).map((event) => event['user_id'])).to.deep.equal([first, second]);
    const since = await list('?since=2026-11-20T12:00:00Z');
    expect(since.map((event) => event['user_id'])).to.deep.equal([second]);
    await world.setTime('2026-11-20T13:30:01Z');
    const third = await remove();
    expect((await list()).map((event) => event['user_id'])).to.deep.equal([second, third]);
  });

  it('return 400 for a malformed time, and 403 without the role admin or service', async () => {
    const malformed = await ask(world, 'GET', '/v3/OS-REVOKE/events?since=yesterday');
    expect([malformed.status, message(malformed)]).to.deep.equal([
      400,
      'invalidate date format yesterday',
    ]);
    const token = await signIn(world, { name: 'demo' });
    expect((await ask(world, 'GET', '/v3/OS-REVOKE/events', { token })).status).to.equal(403);
  });
});
