// Tests that all state belongs to a cloud: two clouds in one process are independent.
import { expect } from 'chai';
import supertest from 'supertest';
import { closeCloud, openCloud } from '../../src/cloud.ts';
import { configOf } from '../../src/config.ts';
import { parseTime } from '../../src/kernel/clock.ts';
import { dropDatabase } from '../../src/kernel/db/open.ts';
import { serverFor } from '../../src/kernel/http/server.ts';
import type { Cloud } from '../../src/kernel/model.ts';
import { databases, kinds } from '../support/databases.ts';
import { moveClock } from '../../src/emulator/clock/clock.ts';

for (const kind of kinds) {
  describe(`two clouds in one process [${kind}]`, function () {
    const clouds: Cloud[] = [];

    before(async function () {
      for (const adminPassword of ['one', 'two']) {
        const database = await databases.fresh(kind);
        if (!database) return this.skip();
        clouds.push(
          await openCloud(configOf({ database, adminPassword, logLevel: 'silent', hosts: '0' })),
        );
      }
    });

    after(async () => {
      for (const cloud of clouds) {
        await closeCloud(cloud);
        for (const part of ['', 'RegionOne']) await dropDatabase(cloud.config.database, part);
      }
    });

    const http = (n: 0 | 1): ReturnType<typeof supertest> =>
      supertest(serverFor({ cloud: clouds[n]! }));
    const signIn = async (
      n: 0 | 1,
      password: string,
    ): Promise<{ status: number; headers: Record<string, string> }> => {
      const identity = {
        methods: ['password'],
        password: { user: { name: 'admin', password, domain: { id: 'default' } } },
      };
      const scope = { project: { name: 'admin', domain: { id: 'default' } } };
      return http(n).post('/identity/v3/auth/tokens').send({ auth: { identity, scope } });
    };
    const token = async (n: 0 | 1): Promise<string> =>
      (await signIn(n, ['one', 'two'][n]!)).headers['x-subject-token']!;
    const providers = async (n: 0 | 1): Promise<string[]> => {
      const reply = await http(n)
        .get('/placement/resource_providers')
        .set('x-auth-token', await token(n))
        .expect(200);
      return (reply.body as { resource_providers: { name: string }[] }).resource_providers.map(
        ({ name }) => name,
      );
    };

    it('have separate passwords', async () => {
      expect((await signIn(0, 'two')).status).to.equal(401);
      expect((await signIn(1, 'one')).status).to.equal(401);
      expect((await signIn(1, 'two')).status).to.equal(201);
    });

    it('refuse tokens of the other cloud, even if they are in its cache', async () => {
      const first = await token(0);
      await http(0).get('/placement/resource_providers').set('x-auth-token', first).expect(200);
      await http(1).get('/placement/resource_providers').set('x-auth-token', first).expect(401);
      await http(0).get('/placement/resource_providers').set('x-auth-token', first).expect(200);
    });

    it('have separate resources', async () => {
      await http(0)
        .post('/placement/resource_providers')
        .set('x-auth-token', await token(0))
        .send({ name: 'first' })
        .expect(201);
      expect([await providers(0), await providers(1)]).to.deep.equal([['first'], []]);
    });

    it('have separate resource classes', async () => {
      const put = async (n: 0 | 1, name: string): Promise<number> =>
        (
          await http(n)
            .put(`/placement/resource_classes/${name}`)
            .set('x-auth-token', await token(n))
            .set('openstack-api-version', 'placement 1.7')
        ).status;
      expect(await put(0, 'CUSTOM_A')).to.equal(201);
      expect(await put(0, 'CUSTOM_A')).to.equal(204);
      expect(await put(1, 'CUSTOM_A')).to.equal(201);
    });

    it('have separate clocks', async () => {
      await moveClock(clouds[0]!, { frozenAt: parseTime('2030-01-01')!, offset: 0 });
      const now = async (n: 0 | 1): Promise<string> =>
        ((await http(n).get('/_emulator/clock')).body as { now: string }).now;
      expect(await now(0)).to.match(/^2030-01-01/);
      expect(await now(1)).to.not.match(/^2030-01-01/);
      await moveClock(clouds[0]!, { frozenAt: null, offset: 0 });
    });

    it('are reset separately', async () => {
      await http(1).post('/_emulator/reset').send({}).expect(204);
      expect([await providers(0), await providers(1)]).to.deep.equal([['first'], []]);
    });

    it('count requests separately', async () => {
      const count = async (n: 0 | 1): Promise<number> => {
        const { text } = await http(n).get('/_emulator/metrics').expect(200);
        return [
          ...text.matchAll(/^cumulet_requests_total\{.*operation="clock:show".*\} (\d+)$/gm),
        ].reduce((sum, match) => sum + Number(match[1]), 0);
      };
      const before = [await count(0), await count(1)];
      await http(0).get('/_emulator/clock').expect(200);
      expect([await count(0), await count(1)]).to.deep.equal([before[0]! + 1, before[1]]);
    });
  });
}
