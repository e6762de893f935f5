// Tests of /_emulator/health, /ready, /info and /metrics, and of unknown endpoints.
import { expect } from 'chai';
import { packageVersion } from '../../src/kernel/package-root.ts';
import { onEachDatabase } from '../support/cloud.ts';

onEachDatabase('/_emulator', { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2' }, (world) => {
  const get = (path: string) => world.http.get(`/_emulator${path}`);

  describe('GET /_emulator/health', () => {
    it('returns ok', () => get('/health').expect(200, { status: 'ok' }));
    it('has a request id, like every response', async () => {
      expect((await get('/health')).headers['x-openstack-request-id']).to.match(
        /^req-[0-9a-f-]{36}$/,
      );
    });
  });

  describe('GET /_emulator/ready', () => {
    it('lists every database as reachable', () =>
      get('/ready').expect(200, {
        ready: true,
        databases: { central: true, RegionOne: true, RegionTwo: true },
        catching_up: [],
      }));
  });

  describe('GET /_emulator/info', () => {
    it('shows version, database, regions, services and time', async () => {
      const { body } = await get('/info').expect(200);
      const { services, ...rest } = body as Record<
        string,
        Record<
          string,
          { path: string; min_version: string; max_version: string; operations: number }
        >
      >;
      expect(rest).to.deep.equal({
        version: packageVersion(),
        database: world.kind,
        auth: 'noauth2',
        regions: ['RegionOne', 'RegionTwo'],
        now: '2026-11-20T12:00:00.000000Z',
      });
      const { operations, ...placement } = services!['placement']!;
      expect(placement).to.deep.equal({
        path: '/placement',
        min_version: '1.0',
        max_version: '1.39',
      });
      expect(operations).to.be.greaterThan(30);
      expect(Object.keys(services!)).to.include.members(['identity', 'emulator']);
    });
  });

  describe('GET /_emulator/metrics', () => {
    it('counts responses by operation and status, in the format of Prometheus', async () => {
      const count = async (): Promise<number> => {
        const { text } = await get('/metrics')
          .expect(200)
          .expect('content-type', /^text\/plain; version=/);
        const line =
          /^cumulet_requests_total\{service="placement",region="RegionTwo",operation="resource_providers:show",status="404"\} (\d+)$/m;
        return Number(line.exec(text)?.[1] ?? 0);
      };
      const before = await count();
      await world.ask('placement', 'GET', '/RegionTwo/placement/resource_providers/x').expect(404);
      expect(await count()).to.equal(before + 1);
    });

    it('counts all unknown paths under one name, so that clients cannot create more', async () => {
      for (const path of ['/placement/a', '/placement/b', '/c', '/d'])
        await world.ask('placement', 'GET', path).expect(404);
      const { text } = await get('/metrics').expect(200);
      expect(text).to.match(/operation="unknown",status="404"/);
      expect(text).to.not.match(/"\/?[abcd]"/);
    });
  });

  describe('unknown endpoints', () => {
    it('returns 404 and refers to /_emulator/info', async () => {
      const { body } = await get('/nothing').expect(404);
      expect(body).to.deep.equal({
        error: {
          code: 404,
          message: 'No such endpoint. See GET /_emulator/info for a list.',
        },
      });
    });

    it('returns 405 with the allowed methods', async () => {
      const { body } = await world.http
        .delete('/_emulator/clock')
        .expect(405)
        .expect('allow', 'GET, PUT');
      expect(body).to.deep.equal({
        error: { code: 405, message: 'Method not allowed. Use GET, PUT.' },
      });
    });
  });
});
