// Runs random actions on servers while hosts and the database fail between and during their steps.
import { expect } from 'chai';
import { isoSeconds, SECOND } from '../../../../src/kernel/clock.ts';
import { Breaker } from '../../../support/breaker.ts';
import { noon, onEachDatabase, type World } from '../../../support/cloud.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';
import { actions, checkAgreement, listHypervisors, listServers } from './agreement.ts';
import { admin, imageId, madeGroup, newest, postServer } from './makers.ts';
import { ask, config } from '../support.ts';

const slow = 2 * SECOND;
const latency = Object.fromEntries(
  [
    'create',
    'delete',
    'rebuild',
    'resize',
    'migrate',
    'confirmResize',
    'revertResize',
    'os-migrateLive',
    'evacuate',
    'shelve',
    'shelveOffload',
    'unshelve',
    'createImage',
  ].map((step) => [`server.${step}`, slow]),
);

const ownDisk = {
  source_type: 'image',
  destination_type: 'volume',
  volume_size: 1,
  boot_index: 0,
  uuid: imageId,
  delete_on_termination: true,
};

interface Answer {
  readonly status: number;
  readonly text: string;
}

class Life {
  private readonly world: World;
  private readonly dice: SeededRandom;
  private readonly breaker: Breaker;
  private readonly group: string;
  private readonly network: string;
  private now = noon;
  private count = 0;

  constructor(
    world: World,
    dice: SeededRandom,
    breaker: Breaker,
    { group, network }: { group: string; network: string },
  ) {
    this.world = world;
    this.dice = dice;
    this.breaker = breaker;
    this.group = group;
    this.network = network;
  }

  /**
   * Performs a random action and lets time pass. Only a request during a database failure may
   * return an error of the database.
   */
  async step(): Promise<void> {
    const { dice } = this;
    const what = await this.something();
    await this.mayBreak(async () => {
      const { status, text } = await what();
      expect([200, 202, 204, 400, 403, 404, 409], text).to.include(status);
    });
    if (dice.chance(0.6)) await this.mayBreak(() => this.pass(dice.between(0, 3)));
  }

  /** Lets time pass. */
  async pass(seconds: number): Promise<void> {
    this.now += seconds * SECOND;
    await this.world.setTime(isoSeconds(this.now));
  }

  private async mayBreak(run: () => Promise<void>): Promise<void> {
    const { dice, breaker } = this;
    if (dice.chance(0.3)) breaker.arm(dice.between(1, 12));
    await run().catch((error: unknown) => {
      if (!breaker.broken) throw error;
    });
    breaker.disarm();
  }

  private async something(): Promise<() => PromiseLike<Answer>> {
    const { world, dice } = this;
    if (dice.chance(0.15)) return this.hostChange();
    const servers = await listServers(world);
    if (!servers.length || dice.chance(0.2)) return () => this.create();
    const { id } = dice.pick(servers);
    if (dice.chance(0.1)) return () => ask(world, 'DELETE', `/servers/${id}`, admin);
    if (dice.chance(0.1)) return this.abort(id);
    const body = dice.pick(actions)(dice);
    return () => ask(world, 'POST', `/servers/${id}/action`, { ...admin, version: newest, body });
  }

  private create(): PromiseLike<Answer> {
    const { dice } = this;
    const fields = {
      name: `s${++this.count}`,
      flavorRef: dice.pick(['1', '42']),
      ...(dice.chance(0.5) ? { networks: [{ uuid: this.network }] } : {}),
      ...(dice.chance(0.3) ? { imageRef: undefined, block_device_mapping_v2: [ownDisk] } : {}),
    };
    return postServer(this.world, fields, {
      ...admin,
      hints: dice.chance(0.6) ? { group: this.group } : {},
    });
  }

  /** Takes a host down or up, or disables or enables its service. */
  private async hostChange(): Promise<() => PromiseLike<Answer>> {
    const { world, dice } = this;
    const { services } = (
      await ask(world, 'GET', '/os-services?binary=nova-compute', { ...admin, version: newest })
    ).body as {
      services: { id: string }[];
    };
    const body = dice.pick<object>([
      { forced_down: true },
      { forced_down: false },
      { status: 'disabled' },
      { status: 'enabled' },
    ]);
    const path = `/os-services/${dice.pick(services).id}`;
    return () => ask(world, 'PUT', path, { ...admin, version: newest, body });
  }

  /** Aborts all live migrations. */
  private async abort(id: string): Promise<() => PromiseLike<Answer>> {
    const listed = await ask(this.world, 'GET', `/servers/${id}/migrations`, {
      ...admin,
      version: newest,
    });
    const [first] = (listed.body as { migrations?: { id: number }[] }).migrations ?? [];
    return () =>
      ask(this.world, 'DELETE', `/servers/${id}/migrations/${first?.id ?? 0}`, {
        ...admin,
        version: newest,
      });
  }
}

onEachDatabase('compute: random actions with failures', { ...config, latency }, (world) => {
  for (const seed of [1, 2, 3, 4]) {
    it(`leave nothing behind and all services consistent (${seed})`, async function () {
      const { networks } = (
        await world.ask('network', 'GET', '/network/v2.0/networks?name=private')
      ).body as {
        networks: { id: string }[];
      };
      const group = await madeGroup(world, 'anti-affinity', { max_server_per_host: 2 });
      const breaker = new Breaker(world.cloud.firstRegion.database.db);
      try {
        const life = new Life(world, new SeededRandom(seed), breaker, {
          group,
          network: networks[0]!.id,
        });
        for (let step = 0; step < 120; step++) {
          await life.step();
          if (step % 30 !== 29) continue;
          for (let rest = 0; rest < 8; rest++) await life.pass(5);
          await checkAgreement(world, group);
        }
        for (const { id } of await listServers(world))
          await ask(world, 'DELETE', `/servers/${id}`, admin).expect(204);
        for (let rest = 0; rest < 8; rest++) await life.pass(5);
      } finally {
        breaker.mend();
      }
      // Errors of the database are not in api-ref.
      const others = world.problems.filter(
        (problem) => !problem.endsWith('status 500 is not in the api-ref'),
      );
      world.problems.splice(0, Infinity, ...others);
      expect(await listServers(world)).to.deep.equal([]);
      await checkAgreement(world, group);
      for (const host of await listHypervisors(world))
        expect([host.vcpus_used, host.memory_mb_used - 512, host.running_vms]).to.deep.equal([
          0, 0, 0,
        ]);
    });
  }
});
