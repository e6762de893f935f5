// Tests of the usage of pods: its collection from Nova and Cinder, daily and on demand, and the
// threshold and headroom.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  isExhausted,
  computeFills,
  freeShare,
} from '../../../src/services/tricircle/domain/exhaustion.ts';
import type { Pod, PodUsage } from '../../../src/services/tricircle/model.ts';
import { advance, asker, makePod, regions, type Ask, type Fields } from './support.ts';

onEachDatabase('usages', { auth: 'noauth2', regions, hosts: '1' }, (world) => {
  let ask: Ask;
  let one: string;

  beforeEach(async () => {
    ask = asker(world);
    await makePod(ask, { region_name: 'CentralRegion' });
    one = (await makePod(ask, { region_name: 'RegionOne', az_name: 'az1' }))['pod_id'] as string;
  });

  const collect = async (podId?: string): Promise<Fields[]> =>
    (
      await ask('POST', '/usages', { usage: podId === undefined ? {} : { pod_id: podId } }).expect(
        200,
      )
    ).body.usages as Fields[];
  const usage = async (podId = one): Promise<Fields> =>
    (await ask('GET', `/usages/${podId}`).expect(200)).body.usage as Fields;
  const set = (settings: Fields) =>
    world.http.put('/_emulator/tricircle/settings').send(settings).expect(200);

  it('are null before the first collection, and count as free #tricircle-34', async () => {
    const { body } = await ask('GET', '/usages').expect(200);
    expect(body.usages).to.deep.equal([
      {
        pod_id: one,
        region_name: 'RegionOne',
        nova: null,
        cinder: null,
        collected_at: null,
        threshold_percent: 80,
        headroom: null,
        dimensions: {},
        exhausted: false,
        last_error: null,
      },
    ]);
  });

  it("are those of the pod's Nova and Cinder #tricircle-18 #tricircle-34", async () => {
    const [found] = await collect(one);
    const statistics = await world
      .ask('compute', 'GET', '/compute/v2.1/os-hypervisors/statistics', { version: '2.1' })
      .expect(200);
    expect(found!['nova']).to.deep.equal(statistics.body.hypervisor_statistics);
    expect(found!['nova']).to.include({ count: 1, vcpus: 16, vcpus_used: 0 });
    expect(found!['cinder'].pools[0]).to.include({
      total_capacity_gb: 'infinite',
      free_capacity_gb: 'infinite',
    });
    expect(found).to.include({
      collected_at: '2026-11-20 12:00:00',
      exhausted: false,
      last_error: null,
    });
    expect(found!['dimensions'].vcpus).to.deep.equal({
      total: 16,
      used: 0,
      limit: 12,
      exhausted: false,
    });
    expect(found!['dimensions'].volume_gb).to.deep.equal({
      total: 0,
      used: 0,
      limit: 1,
      exhausted: false,
    });
    expect(await usage()).to.deep.equal(found);
  });

  it('are exhausted by the threshold and by the headroom #tricircle-20', async () => {
    await collect();
    const put = (pod: Fields) => ask('PUT', `/pods/${one}`, { pod }).expect(200);
    await put({ headroom: { vcpus: 16 } });
    expect(await usage()).to.include({ exhausted: true });
    await put({ headroom: { vcpus: 15 }, threshold_percent: 7 });
    expect((await usage())['dimensions'].vcpus).to.deep.equal({
      total: 16,
      used: 0,
      limit: 1,
      exhausted: false,
    });
    const uuid = (await world.ask('placement', 'GET', '/placement/resource_providers').expect(200))
      .body.resource_providers[0].uuid;
    const allocations = { [uuid]: { resources: { VCPU: 1, MEMORY_MB: 64 } } };
    const body = { allocations, project_id: 'p', user_id: 'u', consumer_generation: null };
    await world
      .ask('placement', 'PUT', '/placement/allocations/2f5a4f3c-6b62-44cd-9b4e-3c07c8a7b6d2', {
        version: '1.28',
        body,
      })
      .expect(204);
    expect(await usage()).to.include({ exhausted: false });
    await collect();
    expect((await usage())['dimensions'].vcpus).to.deep.equal({
      total: 16,
      used: 1,
      limit: 1,
      exhausted: true,
    });
    await put({ headroom: null, threshold_percent: null });
    expect(await usage()).to.include({ exhausted: false, threshold_percent: 80 });
    await set({ threshold_percent: 10 });
    expect(await usage()).to.include({ exhausted: true, threshold_percent: 10 });
  });

  it("are collected once a day of the emulator's clock, while there are pods #tricircle-19", async () => {
    await advance(world, 86_399);
    expect(await usage()).to.include({ collected_at: null });
    await advance(world, 1);
    expect(await usage()).to.include({ collected_at: '2026-11-21 12:00:00' });
    await advance(world, 3 * 86_400);
    expect(await usage()).to.include({ collected_at: '2026-11-24 12:00:00' });
    await set({ usage_interval: 60 });
    await advance(world, 90);
    expect(await usage()).to.include({ collected_at: '2026-11-24 12:01:00' });
    await set({ usage_interval: 0 });
    await advance(world, 86_400);
    expect(await usage()).to.include({ collected_at: '2026-11-24 12:01:00' });
  });

  it('have an error for a pod without services, and are collected for the others', async () => {
    const nowhere = await makePod(ask, { region_name: 'Nowhere', az_name: 'az1' });
    const found = await collect();
    expect(found.map(({ last_error: error }) => error as string)).to.deep.equal([
      null,
      'The catalog has no services in the region Nowhere.',
    ]);
    expect(await usage(nowhere['pod_id'] as string)).to.include({
      nova: null,
      exhausted: false,
      collected_at: null,
    });
  });

  describe('of a pod in another cloud', () => {
    let other: Server;
    let answer: (path: string) => [status: number, body: unknown];
    let asked: { path: string; token: unknown }[];

    beforeEach((done) => {
      asked = [];
      other = createServer((request, response) => {
        asked.push({ path: request.url!, token: request.headers['x-auth-token'] });
        const [status, body] = answer(request.url!);
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify(body));
      }).listen(0, '127.0.0.1', done);
    });
    afterEach(() => {
      other.closeAllConnections();
      other.close();
    });

    const list = async (): Promise<string> => {
      const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const post = async (path: string, body: Fields): Promise<Fields> =>
        (await world.ask('identity', 'POST', `/identity/v3/${path}`, { body }).expect(201))
          .body as Fields;
      await post('regions', { region: { id: 'Elsewhere' } });
      for (const [type, url] of [
        ['compute', `${origin}/v2.1`],
        ['volumev3', `${origin}/v3/$(project_id)s`],
      ] as const) {
        const { body } = await world
          .ask('identity', 'GET', `/identity/v3/services?type=${type}`)
          .expect(200);
        const endpoint = {
          service_id: body.services[0].id,
          interface: 'public',
          region_id: 'Elsewhere',
          url,
        };
        await post('endpoints', { endpoint });
      }
      return (await makePod(ask, { region_name: 'Elsewhere', az_name: 'az1' }))['pod_id'] as string;
    };

    it("are read over HTTP, with a token of Tricircle's user #tricircle-18", async () => {
      const id = await list();
      const capabilities = {
        total_capacity_gb: 100,
        free_capacity_gb: '10.5',
        timestamp: '2026-11-20T12:00:00.000000',
      };
      answer = (path) =>
        path.startsWith('/v2.1')
          ? [
              200,
              {
                hypervisor_statistics: {
                  vcpus: 10,
                  vcpus_used: 8,
                  memory_mb: 0,
                  memory_mb_used: 0,
                  local_gb: null,
                  count: 1,
                },
              },
            ]
          : [200, { pools: [{ name: 'pool', capabilities }] }];
      const [found] = await collect(id);
      expect(asked.map(({ path }) => path)).to.deep.equal([
        '/v2.1/os-hypervisors/statistics?detail=true',
        '/v3/scheduler-stats/get_pools?detail=true',
      ]);
      expect(asked.every(({ token }) => token === 'admin')).to.equal(true);
      expect(found!['cinder']).to.deep.equal({
        pools: [
          {
            name: 'pool',
            updated: '2026-11-20T12:00:00.000000',
            total_capacity_gb: 100,
            free_capacity_gb: 10.5,
          },
        ],
        total_capacity_gb: 100,
        free_capacity_gb: 10.5,
      });
      expect(found!['dimensions'].volume_gb).to.deep.equal({
        total: 100,
        used: 89.5,
        limit: 80,
        exhausted: true,
      });
      expect(found!['dimensions'].vcpus).to.deep.equal({
        total: 10,
        used: 8,
        limit: 8,
        exhausted: true,
      });
    });

    it('stay unchanged after a failure', async () => {
      const id = await list();
      answer = (path) =>
        path.startsWith('/v2.1')
          ? [200, { hypervisor_statistics: { vcpus: 10, vcpus_used: 9 } }]
          : [503, {}];
      const [first] = await collect(id);
      expect(first!['last_error']).to.match(
        /^cinderv3 at http:\/\/127\.0\.0\.1:\d+\/v3 answers with 503\.$/,
      );
      expect(first).to.deep.include({ collected_at: null, cinder: null, exhausted: true });
      other.closeAllConnections();
      await new Promise((closed) => other.close(closed));
      const [second] = await collect(id);
      expect(second!['last_error']).to.match(
        /^nova at .* does not answer\. cinderv3 at .* does not answer\.$/,
      );
      expect(second!['nova']).to.deep.equal(first!['nova']);
    });

    it('have an error for an unexpected reply', async () => {
      const id = await list();
      answer = () => [200, []];
      expect((await collect(id))[0]!['last_error']).to.match(/does not answer as it should\.$/);
    });
  });

  it('return an error for a body without usage, and for unknown pods', async () => {
    expect((await ask('POST', '/usages', {}).expect(400)).body.description).to.equal(
      'Request body usage not found',
    );
    expect((await ask('POST', '/usages', { usage: { pod_id: 1 } }).expect(422)).text).to.equal(
      'Valid pod_id is required for usage',
    );
    const { body } = await ask('GET', '/pods').expect(200);
    const top = body.pods.find((pod: Fields) => pod['az_name'] === '').pod_id as string;
    for (const id of ['x', top]) {
      expect((await ask('GET', `/usages/${id}`).expect(404)).body.description).to.equal(
        'Pod not found',
      );
      await ask('POST', '/usages', { usage: { pod_id: id } }).expect(404);
    }
  });
});

describe('exhaustion of a pod', () => {
  const pod = (fields: Partial<Pod> = {}): Pod =>
    ({ thresholdPercent: null, headroom: null, ...fields }) as Pod;
  const of = (
    novaUsage: PodUsage['novaUsage'],
    cinderUsage: PodUsage['cinderUsage'] = null,
  ): PodUsage => ({ novaUsage, cinderUsage }) as PodUsage;
  const cpus = (total: number, used: number): PodUsage => of({ vcpus: total, vcpus_used: used });

  it('is false if the usage is unknown or the total is 0', () => {
    for (const usage of [undefined, of(null), cpus(0, 0), of({})]) {
      expect(isExhausted(computeFills(pod(), usage, 1))).to.equal(false);
      expect(freeShare(computeFills(pod(), usage, 1))).to.equal(1);
    }
  });

  it('starts at the threshold, rounded down', () => {
    const exhausted = (total: number, used: number, percent: number): boolean =>
      isExhausted(computeFills(pod({ thresholdPercent: percent }), cpus(total, used), 80));
    expect([exhausted(10, 7, 80), exhausted(10, 8, 80), exhausted(11, 8, 80)]).to.deep.equal([
      false,
      true,
      true,
    ]);
    expect([exhausted(1, 0, 50), exhausted(1, 1, 50)]).to.deep.equal([false, true]);
  });

  it('depends on the fullest dimension', () => {
    const fills = computeFills(
      pod(),
      of({
        vcpus: 10,
        vcpus_used: 1,
        memory_mb: 100,
        memory_mb_used: 90,
        local_gb: 10,
        local_gb_used: 0,
      }),
      80,
    );
    expect(isExhausted(fills)).to.equal(true);
    expect(freeShare(fills)).to.equal(0.1);
  });

  it('is false with an unlimited pool, even if other pools are full', () => {
    const pools = [
      { name: 'full', updated: null, total_capacity_gb: 10, free_capacity_gb: 0 },
      {
        name: 'endless',
        updated: null,
        total_capacity_gb: 'infinite',
        free_capacity_gb: 'unknown',
      },
    ];
    const cinder = { pools, total_capacity_gb: 10, free_capacity_gb: 0 };
    expect(isExhausted(computeFills(pod(), of(null, cinder), 80))).to.equal(false);
    expect(
      isExhausted(computeFills(pod(), of(null, { ...cinder, pools: pools.slice(0, 1) }), 80)),
    ).to.equal(true);
  });
});
