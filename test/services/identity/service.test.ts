// The service as a whole: discovery, the order of errors, seeding, and the cache of tokens.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import supertest from 'supertest';
import { openCloud, closeCloud } from '../../../src/cloud.ts';
import { configOf } from '../../../src/config.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import type { Cloud } from '../../../src/kernel/model.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { databases, kinds } from '../../support/databases.ts';
import { ask, authBody, ids, message, onProject, signIn, signInReply } from './support.ts';
import type { Config } from '../../../src/kernel/settings.ts';
import type { DatabaseUrl } from '../../../src/kernel/db/database.ts';
import { moveClock } from '../../../src/emulator/clock/clock.ts';
import { resetCloud } from '../../../src/emulator/reset/reset.ts';

onEachDatabase('identity: the service', {}, (world) => {
  describe('GET /', () => {
    it('returns the version without a token, with and without a trailing slash', async () => {
      for (const path of ['/identity', '/identity/']) {
        const reply = await world.ask('identity', 'GET', path, { token: null });
        expect(reply.status).to.equal(300);
        const [version] = reply.body.versions.values;
        expect(version).to.include({ id: 'v3.14', status: 'stable' });
        expect(version.links[0].href).to.match(/\/identity\/v3\/$/);
        expect(reply.headers['location']).to.equal(version.links[0].href);
        expect(reply.headers['vary']).to.equal('X-Auth-Token');
        expect(reply.headers['x-openstack-request-id']).to.match(/^req-/);
        for (const v3 of ['/identity/v3', '/identity/v3//']) {
          expect(
            (await world.ask('identity', 'GET', v3, { token: null }).expect(200)).body,
          ).to.deep.equal({ version });
        }
      }
    });
  });

  describe('errors', () => {
    it('are checked in the order token, body, path, method, contract, missing token', async () => {
      const asked = (method: string, path: string, token: string | null, body?: unknown) =>
        world.ask('identity', method, `/identity${path}`, {
          token,
          ...(body === undefined ? {} : { body }),
        });
      expect((await asked('POST', '/v3/nothing', 'bad', '{')).status).to.equal(401);
      expect((await asked('GET', '/v3', 'bad')).status).to.equal(401);
      expect((await asked('POST', '/v3/nothing', null, '{')).status).to.equal(400);
      const path = await asked('GET', '/v3/nothing', null);
      expect(path.status).to.equal(404);
      expect(path.headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(path.text).to.contain('The requested URL was not found on the server.');
      const method = await asked('PATCH', '/v3/users', null);
      expect(method.status).to.equal(405);
      expect(method.headers['allow']).to.contain('POST');
      expect((await asked('POST', '/v3/users', null, { user: {} })).status).to.equal(400);
      const none = await asked('GET', '/v3/users', null);
      expect(none.status).to.equal(401);
      expect(none.headers['www-authenticate']).to.match(/^Keystone uri=/);
    });

    it('name the required property if the body is missing', async () => {
      const reply = await ask(world, 'POST', '/v3/users');
      expect(reply.status).to.equal(400);
      expect(message(reply)).to.equal("'user' is a required property");
    });
  });

  describe('HEAD', () => {
    it('returns the status of GET, without a body', async () => {
      for (const path of [
        '/v3/users',
        `/v3/users/${ids.demo}`,
        '/v3/roles',
        '/v3/auth/projects',
        '/v3/regions/RegionOne',
      ]) {
        const reply = await ask(world, 'HEAD', path);
        expect(reply.status, path).to.equal(200);
        expect(reply.text ?? '').to.equal('');
      }
      expect((await ask(world, 'HEAD', '/v3/users/nope')).status).to.equal(404);
      expect((await ask(world, 'HEAD', '/v3/users?enabled=maybe')).status).to.equal(400);
    });
  });

  describe('a new cloud', () => {
    it("has the same ids after a reset, so that admin's token stays valid", async () => {
      const token = await signIn(world);
      const before = (await ask(world, 'GET', '/v3/users', { token })).body;
      await ask(world, 'DELETE', `/v3/users/${ids.demo}`, { token });
      await resetCloud(world.cloud, {});
      // A reset restores the system clock, by which the token has expired.
      await moveClock(world.cloud, { frozenAt: noon, offset: 0 });
      expect((await ask(world, 'GET', '/v3/users', { token })).body).to.deep.equal(before);
      await signInReply(world, { name: 'demo' }).expect(201);
    });
  });

  describe('authenticate', () => {
    it('caches the caller of a token, and rejects a modified token', async () => {
      const token = await signIn(world);
      const { cloud } = world;
      const first = await cloud.authenticate(token, noon);
      expect(first).to.include({
        userId: ids.admin,
        userName: 'admin',
        projectId: ids.adminProject,
        projectDomainId: 'default',
      });
      expect(first!.roles).to.deep.equal(['admin', 'manager', 'member', 'reader']);
      // The same object, not an equal one.
      for (let n = 0; n < 1000; n++) expect(await cloud.authenticate(token, noon)).to.equal(first);
      expect(await cloud.authenticate(`${token}x`, noon)).to.equal(undefined);
      expect(await cloud.authenticate('', noon)).to.equal(undefined);
    });
  });
});

onEachDatabase('identity: without Keystone', { auth: 'noauth2' }, (world) => {
  it('accepts the caller without authentication, and still issues tokens', async () => {
    const users = await world
      .ask('identity', 'GET', '/identity/v3/users', { token: 'admin' })
      .expect(200);
    expect(users.body.users).to.have.length(2);
    await world.ask('identity', 'GET', '/identity/v3/users', { token: 'someone' }).expect(403);
    const reply = await signInReply(world, { scope: onProject('admin') }).expect(201);
    expect(reply.body.token.project.name).to.equal('admin');
  });
});

/** Opens another cloud, passes it to `use`, and closes it. */
async function withCloud<T>(
  overrides: Partial<Config>,
  use: (cloud: Cloud) => Promise<T>,
): Promise<T> {
  const cloud = await openCloud(configOf({ logLevel: 'silent', ...overrides }));
  try {
    return await use(cloud);
  } finally {
    await closeCloud(cloud);
  }
}

async function signInStatus(cloud: Cloud, password: string): Promise<number> {
  const server = serverFor({ cloud }).listen(0, '127.0.0.1');
  const reply = await supertest(server)
    .post('/identity/v3/auth/tokens')
    .send(authBody({ password }));
  server.close();
  return reply.status;
}

describe('identity: two clouds in one process', () => {
  it('have different token keys and passwords', async () => {
    const open = (adminPassword: string) =>
      withCloud({ database: { kind: 'memory' }, adminPassword }, async (cloud) => {
        expect(await signInStatus(cloud, adminPassword)).to.equal(201);
        expect(await signInStatus(cloud, 'third')).to.equal(401);
        return cloud.central
          .db<{ name: string; value: string }>('cumulet_secrets')
          .where({ name: 'identity.token_key' })
          .first();
      });
    const [one, two] = await Promise.all([open('first'), open('second')]);
    expect(one?.value).to.be.a('string').and.not.equal(two?.value);
  });
});

for (const kind of kinds) {
  describe(`identity: an existing cloud [${kind}]`, () => {
    let database: DatabaseUrl;
    beforeEach(async function () {
      const folder = mkdtempSync(join(tmpdir(), 'cumulet-identity-'));
      const fresh = kind === 'sqlite' ? ({ kind, folder } as const) : await databases.fresh(kind);
      if (fresh) database = fresh;
      else this.skip();
    });

    const endpoints = (cloud: Cloud) =>
      cloud.central.db('identity_endpoints').orderBy('url').pluck('url') as unknown as Promise<
        string[]
      >;

    it('keeps its password and deletions, and lists new regions', async () => {
      await withCloud({ database, adminPassword: 'old' }, async (cloud) => {
        await cloud.central.db('identity_users').where({ name: 'demo' }).delete();
        await cloud.central.db('identity_endpoints').where('url', 'like', '%/placement').delete();
      });
      await withCloud(
        { database, adminPassword: 'new', regions: ['RegionOne', 'RegionTwo'] },
        async (cloud) => {
          expect(await signInStatus(cloud, 'old')).to.equal(201);
          expect(await signInStatus(cloud, 'new')).to.equal(401);
          expect(await cloud.central.db('identity_users').pluck('name')).to.deep.equal(['admin']);
          const placement = (await endpoints(cloud)).filter((url) => url.endsWith('/placement'));
          expect(new Set(placement)).to.deep.equal(
            new Set(['$(cumulet_origin)s/RegionTwo/placement']),
          );
          await resetCloud(cloud, {});
          expect(await signInStatus(cloud, 'new')).to.equal(201);
        },
      );
    });

    // A folder of SQLite belongs to one process: test/cli/commands.test.ts.
    if (kind === 'mysql')
      it('can be opened by two processes at once when it is new', async () => {
        const inspect = async (cloud: Cloud) => [
          await endpoints(cloud),
          await signInStatus(cloud, 'secret'),
        ];
        const open = () => withCloud({ database }, inspect);
        const [one, two] = await Promise.all([open(), open()]);
        expect(one).to.deep.equal(two);
        expect(one![1]).to.equal(201);
      });
  });
}
