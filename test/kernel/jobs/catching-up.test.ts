// Tests of requests that arrive while the jobs of their database catch up with the clock.
import { expect } from 'chai';
import supertest from 'supertest';
import type { Server } from 'node:http';
import { moveClock } from '../../../src/emulator/clock/clock.ts';
import { SECOND } from '../../../src/kernel/clock.ts';
import { ok } from '../../../src/kernel/http/reply.ts';
import { serverFor } from '../../../src/kernel/http/server.ts';
import { schedule } from '../../../src/kernel/jobs/queue.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { toy, withToy } from '../toy.ts';

const config = { regions: ['RegionOne', 'RegionTwo'], catchUpWait: SECOND / 100 };

onEachDatabase('requests while jobs catch up', config, (world) => {
  let server: Server;
  let release: () => void;
  let moved: Promise<unknown>;

  beforeEach(async () => {
    const released = new Promise<void>((resolve) => (release = resolve));
    let begin: () => void;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const routes = [{ method: 'GET', path: '/', handler: () => ok({}) }];
    const wait = {
      run: async (): Promise<void> => {
        begin();
        await released;
      },
    };
    const cloud = withToy(world.cloud, toy(routes, { jobs: { 'toy.wait': wait } }));
    const { db } = cloud.firstRegion.database;
    await schedule(db, { dueAt: noon + SECOND, kind: 'toy.wait', subject: 'a' });
    server = serverFor({ cloud }).listen(0, '127.0.0.1');
    moved = moveClock(cloud, { frozenAt: noon + 3600 * SECOND, offset: 0 });
    await begun;
  });

  afterEach(async () => {
    release();
    await moved;
    server.close();
  });

  const get = (path: string): supertest.Test =>
    supertest(server).get(path).set('x-auth-token', 'admin');

  it('get 503 with Retry-After once they have waited too long', async () => {
    const reply = await get('/toy/').expect(503).expect('retry-after', '5');
    expect(reply.body).to.deep.equal({
      toy:
        'The emulator is catching up with its clock: jobs have run up to 2026-11-20T12:00:01Z of ' +
        '2026-11-20T13:00:00Z. Try again later.',
    });
  });

  it('get 503 with Retry-After from each service of the region', async () => {
    for (const [path, version] of [
      ['/placement/resource_providers', '1.20'],
      ['/compute/v2.1/servers', '2.1'],
      ['/network/v2.0/networks', ''],
      ['/image/v2/images', ''],
      ['/volume/v3/volumes', '3.0'],
      ['/reservation/v1/leases', ''],
      ['/clustering/v1/clusters', '1.14'],
      ['/_emulator/explain', ''],
    ] as const)
      await get(path).set('openstack-api-version', version).expect(503).expect('retry-after', '5');
  });

  it('are served in other regions', () => get('/RegionTwo/toy/').expect(200));

  it('are served when the jobs have run', async () => {
    await get('/toy/').expect(503);
    release();
    await moved;
    await get('/toy/').expect(200);
  });

  it('show at /_emulator/ready what is behind, and how far', async () => {
    await get('/toy/').expect(503); // longer than requests wait
    const { body } = await get('/_emulator/ready').expect(503);
    const { seconds, ...behind } = (body as { catching_up: { seconds: number }[] }).catching_up[0]!;
    expect(seconds).to.be.greaterThan(0);
    expect(behind).to.deep.equal({
      database: 'RegionOne',
      at: '2026-11-20T12:00:01.000000Z',
      until: '2026-11-20T13:00:00.000000Z',
      jobs_run: 0,
      rounds_skipped: 0,
    });
    release();
    await moved;
    await get('/_emulator/ready').expect(200);
  });
});
