// Tests of the choice of a pod: a tenant stays bound to a suitable pod, or else moves to the best
// of the others, and the history has the reason.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import type { Pod } from '../../../src/services/tricircle/index.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import {
  advance,
  asker,
  choose,
  historyOf,
  makePod,
  regions,
  type Ask,
  type Fields,
  type PodRequest,
} from './support.ts';

const cad = { resource: 'CAD Modeling' };

onEachDatabase(
  'the choice of a pod',
  { auth: 'noauth2', regions: [...regions, 'RegionThree', 'RegionFour'], hosts: '1' },
  (world) => {
    let ask: Ask;
    let one: string;
    let two: string;
    let three: string;

    const make = async (region: string, fields: Fields = {}): Promise<string> =>
      (await makePod(ask, { region_name: region, az_name: 'az1', ...fields }))['pod_id'] as string;

    beforeEach(async () => {
      ask = asker(world);
      await make('CentralRegion', { az_name: '' });
      [one, two, three] = [
        await make('RegionOne'),
        await make('RegionTwo'),
        await make('RegionThree'),
      ];
    });

    const regionFor = async (wish: PodRequest): Promise<string> =>
      (await choose(world.cloud, wish)).regionName;
    const put = (id: string, pod: Fields) => ask('PUT', `/pods/${id}`, { pod }).expect(200);
    const set = (settings: Fields) =>
      world.http.put('/_emulator/tricircle/settings').send(settings).expect(200);
    const fault = async (wish: PodRequest): Promise<[number, unknown, string]> =>
      choose(world.cloud, wish).then(
        ({ regionName }: Pod) => [200, undefined, regionName],
        (error: unknown) =>
          error instanceof ApiError
            ? [error.status, error.code, error.message]
            : Promise.reject(error),
      );
    const noPod = [500, 'tricircle.no_pod', 'Pod not configured or scheduling failure'];
    /** Makes a pod exhausted or free again, by its headroom. */
    const exhaust = async (id: string, isExhausted = true): Promise<void> => {
      await ask('POST', '/usages', { usage: { pod_id: id } }).expect(200);
      await put(id, { headroom: isExhausted ? { vcpus: 1000 } : null });
    };

    describe('new bindings', () => {
      it('binds a new tenant to the oldest pod, once #tricircle-12', async () => {
        for (let i = 0; i < 3; i++) expect(await regionFor({ tenant: 't' })).to.equal('RegionOne');
        expect(await historyOf(ask, 't')).to.have.length(1);
        expect((await historyOf(ask, 't'))[0]).to.deep.include({
          pod_id: one,
          start_reason: 'first',
          is_binding: true,
          az_name: 'az1',
        });
      });

      it('creates one binding for each zone #tricircle-27', async () => {
        const four = await make('RegionFour', { az_name: 'az2' });
        expect(await regionFor({ tenant: 't', zone: 'az2' })).to.equal('RegionFour');
        expect(await regionFor({ tenant: 't', zone: 'az1' })).to.equal('RegionOne');
        expect(
          (await historyOf(ask, 't')).map(({ pod_id: id, is_binding: on }) => [id, on] as unknown),
        ).to.have.deep.members([
          [one, true],
          [four, true],
        ]);
        // A request for any zone uses the first binding.
        expect(await regionFor({ tenant: 't' })).to.equal('RegionFour');
        expect(await fault({ tenant: 't', zone: 'az3' })).to.deep.equal(noPod);
      });

      it('creates one binding for each group of pods #tricircle-2 #tricircle-13', async () => {
        await put(two, { resource_affinity_tag: cad });
        await put(three, { resource_affinity_tag: { ...cad, license: 'a' } });
        expect(await regionFor({ tenant: 't', specs: { 'hw:cpu_policy': 'dedicated' } })).to.equal(
          'RegionOne',
        );
        expect(
          await regionFor({ tenant: 't', specs: { ...cad, 'trait:HW_CPU_X86_AVX': 'required' } }),
        ).to.equal('RegionTwo');
        await exhaust(two);
        expect(await regionFor({ tenant: 't', specs: { license: 'a', ...cad } })).to.equal(
          'RegionThree',
        );
        expect(
          (await historyOf(ask, 't')).filter(({ is_binding: on }) => on as boolean),
        ).to.have.length(3);
      });

      it('chooses a pod of all whose tags the extra specs include #tricircle-16', async () => {
        await put(two, { resource_affinity_tag: { gpu: '1' } });
        await put(three, { resource_affinity_tag: cad });
        const both = { ...cad, gpu: '1', 'hw:cpu_policy': 'dedicated' };
        expect(await regionFor({ tenant: 't', specs: both })).to.equal('RegionTwo');
        await put(two, { is_under_maintenance: true });
        expect(await regionFor({ tenant: 't', specs: both })).to.equal('RegionThree');
        expect((await historyOf(ask, 't'))[0]).to.deep.include({
          resource_affinity_tag: { gpu: '1', ...cad },
          start_reason: 'rebind:maintenance',
        });
      });

      it('uses pods without a tag for extra specs that include the tag of no pod', async () => {
        await put(two, { resource_affinity_tag: cad });
        await put(three, { resource_affinity_tag: { ...cad, license: 'a' } });
        expect(await regionFor({ tenant: 't', specs: { license: 'a' } })).to.equal('RegionOne');
        const other = { resource: 'Word Processing' };
        expect(await regionFor({ tenant: 't', specs: other })).to.equal('RegionOne');
        expect(await historyOf(ask, 't')).to.have.length(1);
      });

      it('never uses a pod without a tag for the tag of pods that are not suitable #tricircle-28', async () => {
        await put(two, { resource_affinity_tag: cad, is_under_maintenance: true });
        expect(await fault({ tenant: 't', specs: cad })).to.deep.equal(noPod);
      });

      it('never uses a tagged pod for a general request #tricircle-14 #tricircle-28', async () => {
        await put(one, { resource_affinity_tag: cad });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionTwo');
      });

      it('returns 500 without a suitable pod, and keeps the bindings', async () => {
        await regionFor({ tenant: 't' });
        for (const id of [one, two, three]) await put(id, { is_under_maintenance: true });
        expect(await fault({ tenant: 't' })).to.deep.equal(noPod);
        expect(await fault({ tenant: 'u' })).to.deep.equal(noPod);
        expect((await historyOf(ask, 't'))[0]).to.include({ is_binding: true });
      });

      it('never chooses a pod without services in the catalog', async () => {
        await put(one, { is_under_maintenance: true });
        await make('Nowhere', { create_time: '2000-01-01' });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionTwo');
      });
    });

    describe('replaced bindings', () => {
      it('replaces the binding to a pod under maintenance, for good #tricircle-11 #tricircle-33', async () => {
        await regionFor({ tenant: 't' });
        await advance(world, 60);
        await put(one, { is_under_maintenance: true });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionTwo');
        await put(one, { is_under_maintenance: false });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionTwo');
        expect(await regionFor({ tenant: 'u' })).to.equal('RegionOne');
        const [now, before] = await historyOf(ask, 't');
        expect(before).to.include({
          pod_id: one,
          end_reason: 'maintenance',
          end_binding_time: '2026-11-20 12:01:00',
        });
        expect(now).to.include({
          pod_id: two,
          start_reason: 'rebind:maintenance',
          start_binding_time: '2026-11-20 12:01:00',
        });
      });

      it('replaces the bindings to exhausted pods in turn #tricircle-9 #tricircle-24', async () => {
        const path: string[] = [];
        for (const id of [one, two, three]) {
          path.push(await regionFor({ tenant: 't' }));
          await advance(world, 60);
          await exhaust(id);
          if (id === three) await exhaust(one, false);
        }
        path.push(await regionFor({ tenant: 't' }));
        expect(path).to.deep.equal(['RegionOne', 'RegionTwo', 'RegionThree', 'RegionOne']);
        const history = await historyOf(ask, 't');
        expect(
          history.map(({ pod_id: id, start_reason: why }) => [id, why] as unknown),
        ).to.deep.equal([
          [one, 'rebind:exhausted'],
          [three, 'rebind:exhausted'],
          [two, 'rebind:exhausted'],
          [one, 'first'],
        ]);
        for (const [at, { start_binding_time: start }] of history.slice(0, -1).entries())
          expect(history[at + 1]!['end_binding_time']).to.equal(start);
      });

      it('replaces the binding to a pod that leaves the group or the catalog', async () => {
        await regionFor({ tenant: 't' });
        await put(one, { resource_affinity_tag: cad });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionTwo');
        expect((await historyOf(ask, 't'))[0]).to.include({ start_reason: 'first' });
        const { body } = await world
          .ask('identity', 'GET', '/identity/v3/endpoints?region_id=RegionTwo')
          .expect(200);
        for (const { id } of body.endpoints as Fields[])
          await world.ask('identity', 'DELETE', `/identity/v3/endpoints/${id}`).expect(204);
        expect(await regionFor({ tenant: 't' })).to.equal('RegionThree');
        expect((await historyOf(ask, 't'))[0]).to.include({
          start_reason: 'rebind:pod_unreachable',
        });
      });

      it('prefers the zone of the previous binding if the request has no zone', async () => {
        await make('RegionFour', { az_name: 'az2', create_time: '2000-01-01' });
        expect(await regionFor({ tenant: 't', zone: 'az1' })).to.equal('RegionOne');
        await put(one, { is_under_maintenance: true });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionTwo');
        for (const id of [two, three]) await put(id, { is_under_maintenance: true });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionFour');
        expect(
          (await historyOf(ask, 't')).filter(({ is_binding: on }) => on as boolean),
        ).to.have.length(1);
      });

      it('stays in the zone of the first binding if the request has no zone', async () => {
        await make('RegionFour', { az_name: 'az2' });
        expect(await regionFor({ tenant: 't', zone: 'az1' })).to.equal('RegionOne');
        expect(await regionFor({ tenant: 't', zone: 'az2' })).to.equal('RegionFour');
        await put(one, { is_under_maintenance: true });
        await advance(world, 60);
        for (let i = 0; i < 2; i++) expect(await regionFor({ tenant: 't' })).to.equal('RegionTwo');
        const active = (await historyOf(ask, 't')).filter(({ is_binding: on }) => on as boolean);
        expect(active.map(({ az_name: zone }) => zone as unknown)).to.have.members(['az1', 'az2']);
        // Without a pod in that zone, the tenant is served in the other zone that it is bound in.
        for (const id of [two, three]) await put(id, { is_under_maintenance: true });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionFour');
        await put(three, { is_under_maintenance: false });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionThree');
      });

      it('uses a pod that is added after the others are exhausted #tricircle-8', async () => {
        await regionFor({ tenant: 't' });
        for (const id of [one, two, three]) await exhaust(id);
        await make('RegionFour', { resource_affinity_tag: cad });
        expect(await fault({ tenant: 't' })).to.deep.equal(noPod);
        const { body } = await ask('GET', '/pods').expect(200);
        const four = (body.pods as Fields[]).find(
          ({ region_name: name }) => name === 'RegionFour',
        )!;
        await put(four['pod_id'] as string, { resource_affinity_tag: null });
        expect(await regionFor({ tenant: 't' })).to.equal('RegionFour');
        expect(await regionFor({ tenant: 'u' })).to.equal('RegionFour');
      });

      it('replaces the binding of one group only #tricircle-17', async () => {
        await put(two, { resource_affinity_tag: cad });
        await regionFor({ tenant: 't' });
        await regionFor({ tenant: 't', specs: cad });
        await exhaust(one);
        expect(await regionFor({ tenant: 't', specs: cad })).to.equal('RegionTwo');
        expect(await regionFor({ tenant: 't' })).to.equal('RegionThree');
      });
    });

    describe('references of a request', () => {
      it('chooses the pod of the referenced resources, whatever the binding is', async () => {
        await regionFor({ tenant: 't' });
        await exhaust(two);
        expect(await regionFor({ tenant: 't', refs: [two, two] })).to.equal('RegionTwo');
        expect(await regionFor({ tenant: 't', refs: [two], zone: 'az1' })).to.equal('RegionTwo');
        expect(await historyOf(ask, 't')).to.have.length(1);
      });

      it('returns an error for several pods, another zone, and maintenance', async () => {
        expect(await fault({ tenant: 't', refs: [one, two] })).to.deep.equal([
          400,
          'tricircle.pods_differ',
          'Server and volume not in the same pod: the request refers to resources in RegionOne, ' +
            'RegionTwo. A volume that is created with the scheduler hint local_to_instance is in ' +
            'the pod of that server. An administrator can move one of them with POST ' +
            '/tricircle/v1.0/migrations.',
        ]);
        expect((await fault({ tenant: 't', refs: [one], zone: 'az2' })).slice(0, 2)).to.deep.equal([
          400,
          'tricircle.zone_differs',
        ]);
        await put(one, { is_under_maintenance: true });
        expect((await fault({ tenant: 't', refs: [one] })).slice(0, 2)).to.deep.equal([
          409,
          'tricircle.under_maintenance',
        ]);
        expect(await historyOf(ask, 't')).to.have.length(0);
      });
    });

    describe('weighers', () => {
      it('prefer the oldest pod, or the manual order if it is complete #tricircle-30', async () => {
        await put(three, { weight: 1 });
        await put(two, { weight: 2 });
        expect(await regionFor({ tenant: 'a' })).to.equal('RegionOne');
        await put(one, { weight: 3 });
        expect(await regionFor({ tenant: 'b' })).to.equal('RegionThree');
      });

      const only = (name: string, multiplier = 1) => set({ weighers: [{ name, multiplier }] });

      it('count all by default, and age more than all others together #tricircle-29', async () => {
        const { body } = await world.http.get('/_emulator/tricircle/settings').expect(200);
        const weighers = body.weighers as { name: string; multiplier: number }[];
        expect(weighers).to.deep.equal([
          { name: 'CreateTimeWeigher', multiplier: 1 },
          { name: 'IdleCapacityWeigher', multiplier: 0.05 },
          { name: 'IdleVcpusWeigher', multiplier: 0.01 },
          { name: 'IdleMemoryWeigher', multiplier: 0.01 },
          { name: 'IdleDiskWeigher', multiplier: 0.01 },
          { name: 'IdleVolumesWeigher', multiplier: 0.01 },
          { name: 'IdleShareWeigher', multiplier: 0.01 },
          { name: 'CostWeigher', multiplier: 0.1 },
        ]);
        await occupy('', 'RegionOne');
        await put(one, { prices: { vcpus: 1 } });
        await ask('POST', '/usages', { usage: {} }).expect(200);
        expect(await regionFor({ tenant: 'a' })).to.equal('RegionOne');
      });

      it('prefer the pod with the most free capacity, by share or by amount #tricircle-31', async () => {
        await report(one, { vcpus: 48, vcpus_used: 10 });
        await report(two, { vcpus: 32, vcpus_used: 1 });
        await put(three, { is_under_maintenance: true });
        await only('IdleShareWeigher');
        expect(await regionFor({ tenant: 'share' })).to.equal('RegionTwo');
        for (const name of ['IdleVcpusWeigher', 'IdleCapacityWeigher']) {
          await only(name);
          expect(await regionFor({ tenant: name })).to.equal('RegionOne');
          await only(name, -1);
          expect(await regionFor({ tenant: `not ${name}` })).to.equal('RegionTwo');
        }
      });

      it('prefer the pod with the most of one resource, or of all resources together', async () => {
        const sizes = { vcpus: 10, memory_mb: 1000, local_gb: 100 };
        await report(one, { ...sizes, vcpus: 11 }, 10);
        await report(two, { ...sizes, memory_mb: 9000 }, 10);
        await report(three, { ...sizes, local_gb: 101 }, 11);
        const best = {
          IdleVcpusWeigher: 'RegionOne',
          IdleMemoryWeigher: 'RegionTwo',
          IdleDiskWeigher: 'RegionThree',
          IdleVolumesWeigher: 'RegionThree',
          IdleCapacityWeigher: 'RegionTwo',
        };
        for (const [name, region] of Object.entries(best)) {
          await only(name);
          expect(await regionFor({ tenant: name }), name).to.equal(region);
        }
      });

      it('count unknown usage as free', async () => {
        await report(one, { vcpus: 48, vcpus_used: 10 });
        await report(two, { vcpus: 32, vcpus_used: 10 });
        await only('IdleShareWeigher');
        expect(await regionFor({ tenant: 'share' })).to.equal('RegionThree');
        await only('IdleVcpusWeigher');
        expect(await regionFor({ tenant: 'amount' })).to.equal('RegionOne');
        await put(one, { is_under_maintenance: true });
        await report(two, { vcpus: 0, vcpus_used: 0 });
        expect(await regionFor({ tenant: 'unlimited' })).to.equal('RegionTwo');
      });

      it('prefer the pod in which the request is cheapest with CostWeigher #tricircle-32', async () => {
        await put(one, { prices: { vcpus: 2, volume_gb: 1 } });
        await put(two, { prices: { vcpus: 1, volume_gb: 2 } });
        await put(three, { prices: { vcpus: 3, volume_gb: 3 } });
        await only('CostWeigher');
        const askFor = (tenant: string, demand: Fields) => regionFor({ tenant, demand });
        expect(await askFor('a', { vcpus: 4, memory_mb: 512 })).to.equal('RegionTwo');
        expect(await askFor('b', { volume_gb: 4 })).to.equal('RegionOne');
        expect(await askFor('c', {})).to.equal('RegionOne');
        await put(three, { prices: null });
        expect(await askFor('d', { vcpus: 1 })).to.equal('RegionThree');
        await only('CostWeigher', -1);
        expect(await askFor('e', { vcpus: 1 })).to.equal('RegionOne');
      });

      /** Stores the last known usage of a pod. */
      const report = async (pod_id: string, nova: Fields, volume_gb?: number): Promise<void> => {
        const usages = world.cloud.central.db('tricircle_pod_usages');
        const pools = [{ name: 'p', updated: null, ...sizeOf(volume_gb!) }];
        const cinder = volume_gb === undefined ? null : { pools, ...sizeOf(volume_gb) };
        const usage = {
          nova_usage: JSON.stringify(nova),
          cinder_usage: cinder && JSON.stringify(cinder),
        };
        await usages.clone().where({ pod_id }).delete();
        await usages.insert({ pod_id, ...usage, collected_at: 1, last_error: null });
      };
      const sizeOf = (gb: number) => ({ total_capacity_gb: gb, free_capacity_gb: gb });

      /** Uses a quarter of a region's only host. */
      const occupy = async (prefix: string, consumer: string): Promise<void> => {
        const { body } = await world
          .ask('placement', 'GET', `${prefix}/placement/resource_providers`)
          .expect(200);
        const allocations = {
          [body.resource_providers[0].uuid as string]: { resources: { VCPU: 4 } },
        };
        const uuid =
          consumer === 'RegionOne'
            ? '2f5a4f3c-6b62-44cd-9b4e-3c07c8a7b6d2'
            : '2f5a4f3c-6b62-44cd-9b4e-3c07c8a7b6d3';
        const allocation = {
          allocations,
          project_id: 'p',
          user_id: 'u',
          consumer_generation: null,
        };
        await world
          .ask('placement', 'PUT', `${prefix}/placement/allocations/${uuid}`, {
            version: '1.28',
            body: allocation,
          })
          .expect(204);
      };
    });

    it('never chooses the central region, whatever the settings are', async () => {
      const { body } = await ask('GET', '/pods').expect(200);
      for (const { pod_id: id } of body.pods as Fields[])
        await ask('DELETE', `/pods/${id}`).expect(200);
      await set({ filters: [] });
      await make('CentralRegion', { az_name: '' });
      expect(await fault({ tenant: 't' })).to.deep.equal(noPod);
      await ask('DELETE', `/pods/${(await ask('GET', '/pods')).body.pods[0].pod_id}`).expect(200);
      await make('CentralRegion');
      expect(await fault({ tenant: 't' })).to.deep.equal(noPod);
    });

    describe('filters', () => {
      it('are those of the settings #tricircle-25', async () => {
        await set({ filters: ['BottomPodFilter'] });
        await put(one, { resource_affinity_tag: cad });
        for (let i = 0; i < 2; i++)
          expect(await regionFor({ tenant: 't', zone: 'az9' })).to.equal('RegionOne');
        expect(await historyOf(ask, 't')).to.have.length(1);
        await set({ filters: ['BottomPodFilter', 'ResourceAffinityFilter'] });
        expect(await regionFor({ tenant: 't', zone: 'az9' })).to.equal('RegionTwo');
        expect(
          (await historyOf(ask, 't')).filter(({ is_binding: on }) => on as boolean),
        ).to.have.length(1);
        await set({ filters: ['AvailabilityZoneFilter'] });
        expect(await fault({ tenant: 't', zone: 'az9' })).to.deep.equal(noPod);
      });

      for (const filters of [[], ['ALLPodsFilter']])
        it(`check maintenance, capacity and the catalog, too, if they are [${filters.join()}] #tricircle-26`, async () => {
          await set({ filters });
          await put(one, { is_under_maintenance: true });
          await exhaust(two);
          await make('Nowhere', { create_time: '2000-01-01' });
          await put(three, { resource_affinity_tag: cad });
          expect(await regionFor({ tenant: 't', zone: 'az9' })).to.equal('RegionThree');
          await put(three, { is_under_maintenance: true });
          expect(await fault({ tenant: 't', zone: 'az9' })).to.deep.equal(noPod);
        });
    });
  },
);
