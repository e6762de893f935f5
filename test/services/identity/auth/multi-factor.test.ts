// One-time passwords, the rules for several methods, and the receipts of incomplete sign-ins.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Test } from 'supertest';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, message, onProject, signIn, signInReply } from '../support.ts';

/** The example of RFC 6238, in base32. */
const key = '12345678901234567890';
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** The passcode at a time in seconds, computed without the code under test. */
function passcodeAt(seconds: number): string {
  const counter = Math.floor(seconds / 30)
    .toString(16)
    .padStart(16, '0');
  const digest = createHmac('sha1', key).update(Buffer.from(counter, 'hex')).digest('hex');
  const offset = 2 * Number.parseInt(digest.at(-1)!, 16);
  const number = Number.parseInt(digest.slice(offset, offset + 8), 16) % 2 ** 31;
  return String(number).slice(-6).padStart(6, '0');
}

/** The clock of the tests. */
const now = Date.parse('2026-11-20T12:00:00Z') / 1000;

onEachDatabase('identity: several methods', {}, (world) => {
  const domain = { id: 'default' };
  const byPassword = { password: { user: { name: 'demo', password: 'secret', domain } } };
  const byTotp = (passcode: string) => ({ totp: { user: { name: 'demo', passcode, domain } } });
  const send = (identity: object, receipt?: string): Test => {
    const test = signInReply(world, {
      identity: { methods: Object.keys(identity), ...identity },
      scope: onProject('demo'),
    });
    return receipt === undefined ? test : test.set('openstack-auth-receipt', receipt);
  };
  const addSecret = (blob = secret) =>
    make(world, 'credential', { user_id: ids.demo, type: 'totp', blob });
  const setOptions = async (options: object): Promise<void> => {
    const { status } = await ask(world, 'PATCH', `/v3/users/${ids.demo}`, {
      body: { user: { options } },
    });
    expect(status).to.equal(200);
  };
  const needBoth = () => setOptions({ multi_factor_auth_rules: [['password', 'totp']] });

  describe('the method totp', () => {
    it('accepts the current passcode and the one before', async () => {
      await addSecret();
      for (const seconds of [now, now - 30]) {
        const { body } = await send(byTotp(passcodeAt(seconds))).expect(201);
        expect(body.token.methods).to.deep.equal(['totp']);
        expect(body.token.user.id).to.equal(ids.demo);
      }
      for (const seconds of [now - 60, now + 30])
        await send(byTotp(passcodeAt(seconds))).expect(401);
    });

    it('accepts as many earlier passcodes as the settings say', async () => {
      await addSecret();
      const body = { totp_previous_windows: 0 };
      await world.ask('emulator', 'PUT', '/_emulator/identity/settings', { token: null, body });
      await send(byTotp(passcodeAt(now))).expect(201);
      await send(byTotp(passcodeAt(now - 30))).expect(401);
    });

    it('returns 401 without a credential, and for a secret that is short or no base32', async () => {
      await send(byTotp(passcodeAt(now))).expect(401);
      for (const blob of ['GEZDGNBV', 'not base32!']) await addSecret(blob);
      await send(byTotp(passcodeAt(now))).expect(401);
      await addSecret();
      await send(byTotp(passcodeAt(now))).expect(201);
    });

    it('returns 400 without a user, or for a user without id and name', async () => {
      expect(message(await send({ totp: {} }).expect(400))).to.contain('Expecting to find user');
      const reply = await send({ totp: { user: { passcode: '123456' } } }).expect(400);
      expect(message(reply)).to.contain('Expecting to find id or name in user');
      await send({ totp: { user: { id: ids.demo, passcode: 123_456 } } }).expect(400);
    });
  });

  describe('multi_factor_auth_rules', () => {
    it('return a receipt for the first method, with which the second is enough', async () => {
      await addSecret();
      await needBoth();
      const first = await send(byPassword).expect(401);
      expect(first.body).to.deep.equal({
        receipt: {
          methods: ['password'],
          user: { id: ids.demo, name: 'demo', domain: { id: 'default', name: 'Default' } },
          expires_at: '2026-11-20T12:05:00.000000Z',
          issued_at: '2026-11-20T12:00:00.000000Z',
        },
        required_auth_methods: [['password', 'totp']],
      });
      const receipt = first.headers['openstack-auth-receipt'] as string;
      const { body } = await send(byTotp(passcodeAt(now)), receipt).expect(201);
      expect(body.token.methods).to.have.members(['password', 'totp']);
    });

    it('accept both methods at once, and a token from them', async () => {
      await addSecret();
      await needBoth();
      const both = await send({ ...byPassword, ...byTotp(passcodeAt(now)) }).expect(201);
      const id = both.headers['x-subject-token'];
      const again = await send({ token: { id } }).expect(201);
      expect(again.body.token.methods).to.have.members(['token', 'password', 'totp']);
    });

    it('are ignored if they are disabled, or name no supported method', async () => {
      await setOptions({
        multi_factor_auth_rules: [['password', 'totp']],
        multi_factor_auth_enabled: false,
      });
      await send(byPassword).expect(201);
      await setOptions({
        multi_factor_auth_rules: [['kerberos'], ['x509']],
        multi_factor_auth_enabled: true,
      });
      await send(byPassword).expect(201);
      await setOptions({
        multi_factor_auth_rules: [
          ['password', 'kerberos'],
          ['totp', 'token'],
        ],
      });
      await send(byPassword).expect(201);
    });
  });

  describe('a receipt', () => {
    const receiptOf = async (): Promise<string> =>
      (await send(byPassword).expect(401)).headers['openstack-auth-receipt'] as string;

    it('is not accepted after it has expired, for another user, or if it was not signed', async () => {
      await addSecret();
      await needBoth();
      const receipt = await receiptOf();
      await signInReply(world).set('openstack-auth-receipt', receipt).expect(401);
      await send(byTotp(passcodeAt(now)), 'nonsense').expect(401);
      const token = await signIn(world);
      await send(byTotp(passcodeAt(now)), token).expect(401);
      await world.http.post('/_emulator/clock/advance').send({ seconds: 300 }).expect(200);
      await send(byTotp(passcodeAt(now + 300)), receipt).expect(401);
    });

    it('is not a token', async () => {
      await needBoth();
      const { status } = await ask(world, 'GET', '/v3/auth/projects', { token: await receiptOf() });
      expect(status).to.equal(401);
    });
  });
});
