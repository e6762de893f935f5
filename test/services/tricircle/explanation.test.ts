// GET /_emulator/explain/pods/{id}: why a project gets a pod, keeps it, or gets none.
import { expect } from 'chai';
import { machineNow } from '../../../src/kernel/clock.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { SeededRandom } from '../../support/seeded-random.ts';
import { asker, choose, makePod, regions, type Ask, type Fields } from './support.ts';

const cad = { resource: 'CAD Modeling' };

/** CUMULET_TEST_SEED=... repeats a run. */
const seed = Number(process.env['CUMULET_TEST_SEED'] ?? machineNow() % 1_000_000);

interface Explained {
  readonly outcome: string;
  readonly summary: string;
  readonly text: readonly string[];
  readonly details: {
    readonly bindings: readonly { readonly pod: string; readonly ended: string | null }[];
    readonly pods: readonly {
      readonly pod: string;
      readonly causes: readonly { readonly cause: string; readonly text: string }[];
    }[];
    readonly weights: readonly { readonly pod: string; readonly weight: number }[];
    readonly selected: string | null;
  };
}

onEachDatabase(
  'explanations of pods',
  { auth: 'noauth2', regions: [...regions, 'RegionThree'], hosts: '1' },
  (world) => {
    let ask: Ask;
    const ids = new Map<string, string>();

    beforeEach(async () => {
      ask = asker(world);
      await world.ask('', 'PUT', '/_emulator/explain', { body: { all: true } }).expect(200);
      await makePod(ask, { region_name: 'CentralRegion', az_name: '' });
      for (const region_name of ['RegionOne', 'RegionTwo', 'RegionThree']) {
        const pod = await makePod(ask, { region_name, az_name: 'az1' });
        ids.set(region_name, pod['pod_id'] as string);
      }
    });

    const put = (region: string, pod: Fields) =>
      ask('PUT', `/pods/${ids.get(region)}`, { pod }).expect(200);
    const exhaust = async (region: string): Promise<void> => {
      await ask('POST', '/usages', { usage: { pod_id: ids.get(region) } }).expect(200);
      await put(region, { headroom: { vcpus: 1000 } });
    };
    const why = async (tenant: string): Promise<Explained> => {
      const { body } = await world.ask('', 'GET', `/_emulator/explain/pods/${tenant}`).expect(200);
      return (body as { explanation: Explained }).explanation;
    };
    const causesOf = ({ details }: Explained): Record<string, string[]> =>
      Object.fromEntries(
        details.pods.map(({ pod, causes }) => [pod, causes.map(({ cause }) => cause)]),
      );
    const tryToChoose = (specs: Fields = {}) =>
      choose(world.cloud, { tenant: 't', specs }).then(
        ({ regionName }) => regionName,
        () => null,
      );

    it('shows the weights of the suitable pods, then that the binding is kept', async () => {
      await tryToChoose();
      const first = await why('t');
      expect(first.summary).to.equal('RegionOne is the best of 3 suitable pods.');
      const weights = first.details.weights.map(({ pod, weight }) => [pod, weight] as const);
      expect(weights.map(([pod]) => pod)).to.deep.equal(['RegionOne', 'RegionTwo', 'RegionThree']);
      expect(weights[0]![1]).to.be.greaterThan(weights[1]![1]);
      await choose(world.cloud, { tenant: 't' });
      const { body } = await world.ask('', 'GET', '/_emulator/explain?kind=pod').expect(200);
      const [newest] = (body as { explanations: Explained[] }).explanations;
      expect(newest!.summary).to.equal('The project keeps its binding to RegionOne.');
    });

    it('says why a binding ended', async () => {
      await tryToChoose();
      await put('RegionOne', { is_under_maintenance: true });
      await tryToChoose();
      const explained = await why('t');
      expect(explained.summary).to.equal(
        'RegionTwo is the best of 2 suitable pods; the binding to RegionOne (maintenance) ended.',
      );
      expect(explained.details.bindings).to.deep.equal([
        { pod: 'RegionOne', ended: 'maintenance' },
      ]);
    });

    it('lists every cause of each pod if none is suitable', async () => {
      await put('RegionOne', { is_under_maintenance: true });
      await exhaust('RegionTwo');
      await put('RegionThree', { resource_affinity_tag: cad });
      expect(await tryToChoose({ resource: 'other' })).to.equal(null);
      const explained = await why('t');
      expect(explained).to.include({ outcome: 'failure', summary: 'None of 4 pods is suitable.' });
      expect(causesOf(explained)).to.deep.equal({
        CentralRegion: ['central', 'BottomPodFilter'],
        RegionOne: ['maintenance'],
        RegionTwo: ['exhausted'],
        RegionThree: ['ResourceAffinityFilter'],
      });
      expect(explained.text.join('\n')).to.match(/RegionTwo is exhausted: \d+ of \d+ vcpus/);
    });

    it(`agrees with the choice in random clouds, from seed ${seed}`, async () => {
      const random = new SeededRandom(seed);
      for (let round = 0; round < 12; round++) {
        const label = `seed ${seed}, round ${round}`;
        for (const region of ids.keys())
          await put(region, {
            is_under_maintenance: random.chance(0.6),
            resource_affinity_tag: random.chance(0.4) ? cad : null,
          });
        const specs = random.chance(0.5) ? cad : {};
        const chosen = await choose(world.cloud, { tenant: `t${round}`, specs }).then(
          ({ regionName }) => regionName,
          () => null,
        );
        const explained = await why(`t${round}`);
        expect(explained.details.selected, label).to.equal(chosen);
        const suitable = Object.entries(causesOf(explained)).filter(([, causes]) => !causes.length);
        expect(suitable.length > 0, label).to.equal(chosen !== null);
        if (chosen !== null) continue;
        // Without its causes, the first rejected pod is chosen.
        const [rejected] = Object.entries(causesOf(explained)).filter(
          ([, causes]) => !causes.includes('central'),
        );
        const [region, causes] = rejected!;
        if (causes.includes('maintenance')) await put(region, { is_under_maintenance: false });
        if (causes.includes('ResourceAffinityFilter'))
          await put(region, { resource_affinity_tag: Object.keys(specs).length ? specs : null });
        const again = await choose(world.cloud, { tenant: `t${round}`, specs });
        expect(again.regionName, label).to.equal(region);
      }
    });
  },
);
