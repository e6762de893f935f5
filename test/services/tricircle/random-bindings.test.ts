// Random operations of tenants and admins: no tenant gets a pod that is full or under maintenance,
// and the history is complete.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { advance, asker, choose, makePod, type Ask, type Fields } from './support.ts';

const podRegions = ['RegionOne', 'RegionTwo', 'RegionThree', 'RegionFour', 'RegionFive'];
const regions = ['CentralRegion', ...podRegions];
const zones = ['az1', 'az2'];
const tags: readonly Readonly<Record<string, string>>[] = [
  {},
  { resource: 'CAD' },
  { resource: 'CAD', license: 'a' },
  { gpu: '1' },
];
/** The extra specs of requests: of no tag, of one, of several, and of a part of one. */
const specs = [...tags, { resource: 'CAD', gpu: '1' }, { license: 'a' }];
const tenants = ['t1', 't2', 't3'];

/** A tag as a key. */
const groupOf = (tag: Fields): string => JSON.stringify(Object.entries(tag).toSorted());

onEachDatabase('random bindings', { auth: 'noauth2', regions, hosts: '1' }, (world) => {
  const seeds = (process.env['CUMULET_TEST_SEEDS'] ?? '5,11').split(',').map(Number);
  const rounds = Number(process.env['CUMULET_TEST_ROUNDS'] ?? 50);
  let ask: Ask;

  for (const seed of seeds)
    it(`are always suitable, with a complete history (seed ${seed})`, async () => {
      ask = asker(world);
      const dice = new SeededRandom(seed);
      const story = new Story(dice);
      const weighers = [{ name: 'CreateTimeWeigher', multiplier: 1 }];
      await world.http.put('/_emulator/tricircle/settings').send({ weighers }).expect(200);
      await makePod(ask, { region_name: 'CentralRegion' });
      for (const region of podRegions) await story.register(region);
      for (let round = 0; round < rounds; round++) {
        await advance(world, dice.between(1, 600));
        await story.step();
        check(await history());
      }
      expect(story.chosen, 'the story must have provisioned something').to.be.greaterThan(
        rounds / 8,
      );
    });

  const history = async (): Promise<Fields[]> =>
    ((await ask('GET', '/bindings/history').expect(200)).body as Fields)[
      'pod_bindings'
    ] as Fields[];

  class Story {
    chosen = 0;
    private readonly dice: SeededRandom;

    constructor(dice: SeededRandom) {
      this.dice = dice;
    }

    async step(): Promise<void> {
      const { dice } = this;
      const { pods } = (await ask('GET', '/pods').expect(200)).body as { pods: Fields[] };
      const pod = dice.pick(pods.filter(({ az_name: zone }) => zone !== ''));
      const what = dice.between(0, 17);
      if (what < 8) await this.provision(pods);
      else if (what < 10) await this.change(pod, { is_under_maintenance: dice.chance(0.4) });
      else if (what < 11) await this.change(pod, { resource_affinity_tag: dice.pick(tags) });
      else if (what < 12)
        await this.change(pod, {
          threshold_percent: dice.pick([null, 20, 99]),
          weight: dice.pick([null, 1, 2]),
        });
      else if (what < 14) await this.fill(pod['region_name'] as string);
      else if (what < 15) await ask('POST', '/usages', { usage: {} }).expect(200);
      else if (what < 16) await this.bind(pod);
      else if (what < 17) await this.unbind();
      else await this.replace(pod);
    }

    async register(region: string): Promise<void> {
      const { dice } = this;
      await makePod(ask, {
        region_name: region,
        az_name: dice.pick(zones),
        resource_affinity_tag: dice.pick(tags),
      });
    }

    private async change({ pod_id: id }: Fields, pod: Fields): Promise<void> {
      await ask('PUT', `/pods/${id}`, { pod }).expect(200);
    }

    /** Allocates a part of a region's only host to other consumers. */
    private async fill(region: string): Promise<void> {
      const prefix = region === 'RegionOne' ? '' : `/${region}`;
      const path = `${prefix}/placement`;
      const uuid = '2f5a4f3c-6b62-44cd-9b4e-3c07c8a7b6d2';
      const { body } = await world
        .ask('placement', 'GET', `${path}/resource_providers`)
        .expect(200);
      await world.ask('placement', 'DELETE', `${path}/allocations/${uuid}`);
      const used = this.dice.pick([0, 4, 15]);
      if (!used) return;
      const allocations = {
        [body.resource_providers[0].uuid as string]: { resources: { VCPU: used } },
      };
      const allocation = { allocations, project_id: 'p', user_id: 'u', consumer_generation: null };
      await world
        .ask('placement', 'PUT', `${path}/allocations/${uuid}`, {
          version: '1.28',
          body: allocation,
        })
        .expect(204);
    }

    private async bind({ pod_id: id }: Fields): Promise<void> {
      const tenant = this.dice.pick(tenants);
      const isBound = (await history()).some(
        (one) => one['is_binding'] && one['tenant_id'] === tenant && one['pod_id'] === id,
      );
      await ask('POST', '/bindings', { pod_binding: { tenant_id: tenant, pod_id: id } }).expect(
        isBound ? 409 : 200,
      );
    }

    private async unbind(): Promise<void> {
      const { pod_bindings: all } = (await ask('GET', '/bindings').expect(200)).body as {
        pod_bindings: Fields[];
      };
      if (all.length) await ask('DELETE', `/bindings/${this.dice.pick(all)['id']}`).expect(200);
    }

    /** Deletes a pod that nothing refers to, and registers its region again. */
    private async replace({ pod_id: id, region_name: region }: Fields): Promise<void> {
      const { pod_bindings: all } = (await ask('GET', `/bindings?pod_id=${id}`).expect(200))
        .body as { pod_bindings: Fields[] };
      await ask('DELETE', `/pods/${id}`).expect(all.length ? 500 : 200);
      if (!all.length) await this.register(region as string);
    }

    private async provision(pods: readonly Fields[]): Promise<void> {
      const { dice } = this;
      const wish = {
        tenant: dice.pick(tenants),
        zone: dice.pick(['', ...zones]),
        specs: { ...dice.pick(specs), 'hw:x': 'y' },
      };
      const before = await history();
      const expected = await this.expected(pods, before, wish);
      const chosen = await choose(world.cloud, wish).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 500) throw error;
        return undefined;
      });
      expect(chosen?.id, JSON.stringify(wish)).to.equal(expected?.['pod_id']);
      if (!chosen) return void expect(await history()).to.deep.equal(before);
      this.chosen++;
      const active = (await history()).filter(
        (one) => one['is_binding'] && one['tenant_id'] === wish.tenant,
      );
      expect(active.map(({ pod_id: id }) => id as string)).to.include(chosen.id);
    }

    /** The expected pod by the rules of the specification, from the API's data. */
    private async expected(
      pods: readonly Fields[],
      bindings: readonly Fields[],
      wish: { tenant: string; zone: string; specs: Fields },
    ): Promise<Fields | undefined> {
      const { usages } = (await ask('GET', '/usages').expect(200)).body as { usages: Fields[] };
      const full = new Set(
        usages
          .filter(({ exhausted }) => exhausted as boolean)
          .map(({ pod_id: id }) => id as string),
      );
      const isIn = (tag: Fields): boolean =>
        Object.entries(tag).every(([key, value]) => wish.specs[key] === value);
      const tagsOfPods = pods.map(({ resource_affinity_tag: tag }) => tag as Fields);
      const required = Object.assign({}, ...tagsOfPods.filter(isIn)) as Fields;
      const group = groupOf(required);
      const usable = pods.filter((pod) => {
        const tag = pod['resource_affinity_tag'] as Fields;
        return (
          pod['az_name'] !== '' &&
          !pod['is_under_maintenance'] &&
          !full.has(pod['pod_id'] as string) &&
          (Object.keys(tag).length ? isIn(tag) : groupOf(required) === groupOf({})) &&
          (wish.zone === '' || pod['az_name'] === wish.zone)
        );
      });
      const history = bindings
        .filter(
          (one) =>
            one['tenant_id'] === wish.tenant &&
            groupOf(one['resource_affinity_tag'] as Fields) === group,
        )
        .toReversed();
      const mine = history.filter((one) => one['is_binding'] as boolean);
      // The zone of the tenant's first binding, among the zones that it is bound in now.
      const shown = await this.listed();
      const zones = history.filter(({ id }) => shown.has(id as string));
      const home = zones.find(({ az_name: zone }) => mine.some((one) => one['az_name'] === zone))?.[
        'az_name'
      ] as string | undefined;
      const inHome = usable.filter(({ az_name: zone }) => zone === home);
      const bound = (from: readonly Fields[]): Fields | undefined =>
        mine.map(({ pod_id: id }) => from.find((pod) => pod['pod_id'] === id)).find(Boolean);
      if (wish.zone === '' && home !== undefined && inHome.length)
        return bound(inHome) ?? this.best(inHome);
      return bound(usable) ?? this.best(usable);
    }

    /** The ids of the bindings that no administrator has deleted. */
    private async listed(): Promise<Set<string>> {
      const { pod_bindings: all } = (await ask('GET', '/bindings').expect(200)).body as {
        pod_bindings: Fields[];
      };
      return new Set(all.map(({ id }) => id as string));
    }

    /** The oldest pod, or the first in the manual order. */
    private best(candidates: readonly Fields[]): Fields | undefined {
      // Pods are listed by age.
      if (!candidates.every(({ weight }) => weight !== null)) return candidates[0];
      return candidates.toSorted((a, b) => Number(a['weight']) - Number(b['weight']))[0];
    }
  }

  /** Checks the invariants of all current and previous bindings. */
  function check(all: readonly Fields[]): void {
    const places = all
      .filter((one) => one['is_binding'])
      .map((one) =>
        [one['tenant_id'], one['az_name'], groupOf(one['resource_affinity_tag'] as Fields)].join(),
      );
    expect(new Set(places).size, 'one active binding for a tenant, zone and group').to.equal(
      places.length,
    );
    for (const one of all) {
      const { start_binding_time: start, end_binding_time: end, end_reason: why } = one;
      expect(end === null).to.equal(one['is_binding']);
      expect(why === null).to.equal(one['is_binding']);
      if (end !== null) expect(end >= start, 'it ends after it began').to.equal(true);
      const others = all.filter((other) => other !== one && sameGroup(one, other));
      const inZone = others.filter((other) => other['az_name'] === one['az_name']);
      // The bindings of a tenant in a zone and group do not overlap.
      for (const other of inZone)
        expect(overlap(one, other), `${JSON.stringify(one)} and ${JSON.stringify(other)}`).to.equal(
          false,
        );
      const reason = /^rebind:(.+)$/.exec(one['start_reason'] as string)?.[1];
      if (reason !== undefined)
        expect(
          others.some(
            (other) => other['end_binding_time'] === start && other['end_reason'] === reason,
          ),
          'what it follows ends as it begins',
        ).to.equal(true);
      // A binding that was not ended by an admin is followed by another at once.
      if (['maintenance', 'exhausted', 'pod_unreachable'].includes(why as string))
        expect(
          others.some((other) => other['start_binding_time'] === end),
          'what ends by itself is followed',
        ).to.equal(true);
    }
  }

  const sameGroup = (one: Fields, other: Fields): boolean =>
    one['tenant_id'] === other['tenant_id'] &&
    groupOf(one['resource_affinity_tag'] as Fields) ===
      groupOf(other['resource_affinity_tag'] as Fields);

  const overlap = (one: Fields, other: Fields): boolean => {
    const ends = ({ end_binding_time: end }: Fields): string => (end as string | null) ?? '9999';
    return (
      (one['start_binding_time'] as string) < ends(other) &&
      (other['start_binding_time'] as string) < ends(one)
    );
  };
});
