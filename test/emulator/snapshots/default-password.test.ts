// Tests that no import, restore or reset brings the default password to a cloud that others reach.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import supertest from 'supertest';
import { kinds } from '../../support/databases.ts';
import { ownCloud } from '../../support/cloud.ts';
import { authBody, ids } from '../../services/identity/support.ts';

const exposures = {
  '--host 0.0.0.0': { host: '0.0.0.0' },
  '--listen placement=0.0.0.0:8778': {
    listen: [{ service: 'placement', host: '0.0.0.0', port: 8778 }],
  },
  "--cors-origin '*'": { corsOrigin: ['*'] },
};

/** The state of a cloud in which the seeded users have the default password. */
async function exportWithDefaultPassword(): Promise<string> {
  const usual = (await ownCloud('sqlite', {}))!;
  try {
    const reply = await supertest(usual.server).get('/_emulator/export').buffer(true).expect(200);
    return reply.text;
  } finally {
    await usual.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'cumulet-passwords-'));
const seed = join(folder, 'seed.ndjson');
let exported: string;
before(async () => {
  exported = await exportWithDefaultPassword();
  writeFileSync(seed, exported);
});
after(() => rmSync(folder, { recursive: true }));

const messageOf = ({ body }: { body: unknown }): string =>
  (body as { error: { message: string } }).error.message;

for (const kind of kinds)
  for (const [option, exposure] of Object.entries(exposures))
    describe(`a cloud with ${option} [${kind}]`, () => {
      it('refuses an import and a restore of the default password, and changes nothing', async function () {
        const opened = await ownCloud(kind, { ...exposure, adminPassword: 'own-password' });
        if (!opened) return this.skip();
        const http = supertest(opened.server);
        const signIn = async (password: string) =>
          http.post('/identity/v3/auth/tokens').send(authBody({ password }));
        try {
          const token = (await signIn('own-password')).headers['x-subject-token'] as string;
          const user = `/identity/v3/users/${ids.demo}`;
          const setPassword = (password: string) =>
            http.patch(user).set('x-auth-token', token).send({ user: { password } }).expect(200);
          await setPassword('secret');
          await http.put('/_emulator/snapshots/exposed').expect(201);
          await setPassword('own-password');

          const imported = await http
            .post('/_emulator/import')
            .set('content-type', 'application/x-ndjson')
            .send(exported)
            .expect(409);
          expect(messageOf(imported)).to.match(
            /needs passwords of your own, and admin and demo of the state to restore have the default one\. Restore it in an emulator without --(?:host|cors).*'openstack user set --password PASSWORD admin', also for demo, and export it again\.$/,
          );
          const restored = await http.post('/_emulator/snapshots/exposed/restore').expect(409);
          expect(messageOf(restored)).to.include(
            'and demo of the state to restore has the default',
          );
          expect((await signIn('own-password')).status).to.equal(201);
          expect((await signIn('secret')).status).to.equal(401);
          await http.get('/identity/v3/users').set('x-auth-token', token).expect(200);
          await http.post('/_emulator/reset').send({}).expect(204);
          expect((await signIn('own-password')).status).to.equal(201);
        } finally {
          await opened.close();
        }
      });

      it('is not created from a seed file with the default password', async function () {
        const outcome = await ownCloud(kind, {
          ...exposure,
          adminPassword: 'own-password',
          seed,
        }).then(
          (opened) => opened?.close().then(() => 'opened'),
          (error: Error) => error.message,
        );
        if (outcome === undefined) return this.skip();
        expect(outcome).to.match(/^--seed .*needs passwords of your own, and admin and demo/);
      });
    });
