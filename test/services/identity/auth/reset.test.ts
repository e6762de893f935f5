// Tokens after a reset: those of the seeded users stay valid, and those that were revoked stay invalid.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ids, signIn } from '../support.ts';

onEachDatabase('identity: tokens after a reset', {}, (world) => {
  const reset = () =>
    world
      .ask('emulator', 'POST', '/_emulator/reset', { token: null, body: { service: 'identity' } })
      .expect(204);
  const works = async (token: string): Promise<boolean> =>
    (await world.ask('identity', 'GET', '/identity/v3/auth/projects', { token })).status === 200;

  it('stay valid, unless they were revoked', async () => {
    const [kept, revoked] = [await signIn(world), await signIn(world)];
    await world
      .ask('identity', 'DELETE', '/identity/v3/auth/tokens', {
        token: kept,
        headers: { 'x-subject-token': revoked },
      })
      .expect(204);
    for (let time = 0; time < 2; time++) {
      await reset();
      expect([await works(kept), await works(revoked)]).to.deep.equal([true, false]);
    }
  });

  it('stay invalid after a password change, although the reset restores the first password', async () => {
    const before = await signIn(world);
    const body = { user: { password: 'other', original_password: 'secret' } };
    await world
      .ask('identity', 'POST', `/identity/v3/users/${ids.admin}/password`, { token: before, body })
      .expect(204);
    const after = await signIn(world, { password: 'other' });
    await reset();
    expect([await works(before), await works(after)]).to.deep.equal([false, true]);
    expect(await works(await signIn(world))).to.equal(true);
  });

  it('stay invalid if the user was deleted', async () => {
    const [admin, demo] = [await signIn(world), await signIn(world, { name: 'demo' })];
    await world
      .ask('identity', 'DELETE', `/identity/v3/users/${ids.demo}`, { token: admin })
      .expect(204);
    await reset();
    await reset();
    expect([await works(admin), await works(demo)]).to.deep.equal([true, false]);
    expect(await works(await signIn(world, { name: 'demo' }))).to.equal(true);
  });
});
