// Users who have not signed in for a number of days.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { bearer, configure, federated, rule, setUser } from '../federation/support.ts';
import { ask, ids, make, makeUser, signIn, signInReply } from '../support.ts';

onEachDatabase('identity: inactive users', {}, (world) => {
  const limit = (days: number | null) =>
    world.http
      .put('/_emulator/identity/settings')
      .send({ disable_user_account_days_inactive: days })
      .expect(200);
  const advance = (days: number) =>
    world.http
      .post('/_emulator/clock/advance')
      .send({ hours: 24 * days })
      .expect(200);
  const enter = async (name: string, password = 'pw'): Promise<number> =>
    (await signInReply(world, { name, password, scope: null })).status;
  const show = async (id: string): Promise<Record<string, unknown>> =>
    (await ask(world, 'GET', `/v3/users/${id}`)).body.user as Record<string, unknown>;
  const isEnabled = async (id: string): Promise<unknown> => (await show(id))['enabled'];
  const update = (id: string, user: object) =>
    ask(world, 'PATCH', `/v3/users/${id}`, { body: { user } });

  beforeEach(() => update(ids.admin, { options: { ignore_user_inactivity: true } }));

  it('are disabled after so many days without signing in', async () => {
    await limit(3);
    const id = await makeUser(world, 'ann');
    await advance(2);
    expect([await enter('ann'), await isEnabled(id)]).to.deep.equal([201, true]);
    await advance(2);
    expect([await enter('ann'), await isEnabled(id)]).to.deep.equal([201, true]);
    await advance(3);
    expect([await enter('ann'), await isEnabled(id)]).to.deep.equal([401, false]);
    await limit(null);
    expect([await enter('ann'), await isEnabled(id)]).to.deep.equal([201, true]);
  });

  it('count days by the calendar of UTC', async () => {
    await limit(1);
    const id = await makeUser(world, 'ann');
    await world.http.post('/_emulator/clock/advance').send({ hours: 11 }).expect(200);
    expect(await isEnabled(id)).to.equal(true);
    await world.http.post('/_emulator/clock/advance').send({ hours: 1 }).expect(200);
    expect(await isEnabled(id)).to.equal(false);
  });

  it('count from their creation, unless they have signed in before the setting was made', async () => {
    const [ann, ben] = [await makeUser(world, 'ann'), await makeUser(world, 'ben')];
    await advance(2);
    expect(await enter('ben')).to.equal(201);
    await limit(2);
    expect([await isEnabled(ann), await isEnabled(ben)]).to.deep.equal([false, true]);
  });

  it('become active when they are enabled, or updated in time', async () => {
    await limit(2);
    const [ann, ben] = [await makeUser(world, 'ann'), await makeUser(world, 'ben')];
    await advance(1);
    expect((await update(ben, { description: 'x' })).body.user.enabled).to.equal(true);
    await advance(1);
    expect([await isEnabled(ann), await isEnabled(ben)]).to.deep.equal([false, true]);
    expect((await update(ann, { enabled: true })).body.user.enabled).to.equal(true);
    expect([await enter('ann'), await isEnabled(ann)]).to.deep.equal([201, true]);
    await update(ann, { enabled: false });
    expect([await enter('ann'), await isEnabled(ann)]).to.deep.equal([401, false]);
  });

  it('stay disabled if they are updated in another way', async () => {
    await limit(1);
    const ann = await makeUser(world, 'ann');
    await advance(1);
    expect((await update(ann, { description: 'x' })).body.user.enabled).to.equal(false);
    await limit(null);
    expect([await enter('ann'), await isEnabled(ann)]).to.deep.equal([401, false]);
  });

  it('are exempt by their option', async () => {
    await limit(1);
    const { id } = await make(world, 'user', {
      name: 'robot',
      password: 'pw',
      options: { ignore_user_inactivity: true },
    } as never);
    await advance(5);
    expect([await enter('robot'), await isEnabled(id)]).to.deep.equal([201, true]);
    await advance(5);
    await update(id, { options: { ignore_user_inactivity: false } });
    await advance(1);
    expect([await enter('robot'), await isEnabled(id)]).to.deep.equal([401, false]);
  });

  it('cannot change their passwords or use application credentials', async () => {
    await limit(1);
    const id = await makeUser(world, 'ann', 'member');
    const token = await signIn(world, {
      name: 'ann',
      password: 'pw',
      scope: { project: { id: ids.demoProject } },
    });
    const path = `/v3/users/${id}/application_credentials`;
    const made = await ask(world, 'POST', path, {
      token,
      body: { application_credential: { name: 'ci' } },
    });
    const { id: credential, secret } = made.body.application_credential;
    const byCredential = () =>
      signInReply(world, {
        identity: {
          methods: ['application_credential'],
          application_credential: { id: credential, secret },
        },
        scope: null,
      });
    const change = (password: string, original: string) =>
      ask(world, 'POST', `/v3/users/${id}/password`, {
        token: null,
        body: { user: { password, original_password: original } },
      });
    expect((await byCredential()).status).to.equal(201);
    expect((await change('pw2', 'pw')).status).to.equal(204);
    await advance(1);
    expect((await byCredential()).status).to.equal(401);
    expect((await change('pw3', 'pw2')).status).to.equal(401);
  });

  it('are listed as disabled, whatever the filter', async () => {
    await limit(1);
    const id = await makeUser(world, 'ann');
    const { id: group } = await make(world, 'group', { name: 'g' });
    await ask(world, 'PUT', `/v3/groups/${group}/users/${id}`);
    await advance(1);
    for (const path of ['users?name=ann', 'users?name=ann&enabled=true', `groups/${group}/users`]) {
      const { users } = (await ask(world, 'GET', `/v3/${path}`)).body as { users: object[] };
      expect(users, path).to.have.length(1);
      expect(users[0], path).to.include({ id, enabled: false });
    }
    const none = await ask(world, 'GET', '/v3/users?name=ann&enabled=false');
    expect(none.body.users).to.deep.equal([]);
  });

  it('become active when they sign in by federation', async () => {
    await setUser(world, 'ann');
    await configure(world, [rule]);
    await limit(1);
    const first = await federated(world, await bearer(world, 'ann'));
    const { id } = (first.body as { token: { user: { id: string } } }).token.user;
    await advance(2);
    expect(await isEnabled(id)).to.equal(false);
    expect((await federated(world, await bearer(world, 'ann'))).status).to.equal(201);
    expect(await isEnabled(id)).to.equal(true);
  });
});
