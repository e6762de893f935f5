// Tests that whatever is done with leases in whatever order, no host is promised twice, Placement and Compute agree, and nothing is left over.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { Dice } from '../placement/dice.ts';
import {
  aggregates, ask, boot, classOf, compute, config, hostsWanted, instancesWanted, inventoriesOf, liftQuota, member, placement, registerHosts,
  type Fields,
} from './support.ts'; // prettier-ignore

const hosts = ['compute-1', 'compute-2', 'compute-3'];
const hour = 3_600_000;
const begin = Date.parse('2026-11-20T12:00:00Z');

onEachDatabase('random leases', config, (world) => {
  const seeds = (process.env['CUMULET_TEST_SEEDS'] ?? '7,23').split(',').map(Number);
  const rounds = Number(process.env['CUMULET_TEST_ROUNDS'] ?? 60);
  for (const seed of seeds)
    it(`keep every promise, for months (seed ${seed})`, async function () {
      this.timeout(240_000);
      const story = new Story(new Dice(seed));
      await registerHosts(world);
      await liftQuota(world);
      for (let round = 0; round < rounds; round++) {
        await story.step();
        await check();
      }
      await story.end();
      await nothingLeft();
    });

  class Story {
    private now = begin;
    private leases: string[] = [];
    private readonly dice: Dice;

    constructor(dice: Dice) {
      this.dice = dice;
    }

    async step(): Promise<void> {
      const { dice } = this;
      const what = dice.between(0, 10);
      if (what < 4) await this.create();
      else if (what < 6) await this.update();
      else if (what < 7) await this.remove();
      else if (what < 8) await this.server();
      else if (what < 9) await this.host();
      else await this.wait(dice.pick([1, 5, 24, 24 * 10]) * hour);
    }

    private date(time: number): string {
      return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
    }

    private wanted(): Fields {
      const { dice } = this;
      const amount = dice.between(1, 8);
      return dice.chance(0.3)
        ? hostsWanted({ min: 1, max: dice.between(1, 2) })
        : dice.chance(0.15)
          ? { resource_type: 'flavor:instance', flavor_id: '3', amount, affinity: null }
          : instancesWanted({
              amount,
              vcpus: dice.between(1, 8),
              memory_mb: 2048,
              affinity: dice.pick([null, null, true, false]),
            });
    }

    private async create(): Promise<void> {
      const { dice } = this;
      const start = this.now + dice.between(0, 40) * hour;
      const body = {
        name: 'random',
        start_date: start === this.now ? 'now' : this.date(start),
        end_date: this.date(start + dice.between(1, 30) * hour),
        reservations: Array.from({ length: dice.between(1, 2) }, () => this.wanted()),
      };
      const reply = await ask(world, 'POST', '/v1/leases', { ...member, body });
      expect(reply.status, reply.text).to.be.oneOf([201, 409, 500]);
      if (reply.status === 500) expect((reply.body as Fields)['error_message']).to.equal('Not enough hosts available');
      if (reply.status === 201) this.leases.push((reply.body as Fields)['lease'].id as string);
    }

    private async update(): Promise<void> {
      const { dice } = this;
      if (!this.leases.length) return;
      const id = dice.pick(this.leases);
      const { lease } = (await ask(world, 'GET', `/v1/leases/${id}`, member).expect(200)).body as Fields;
      const part = dice.pick(lease.reservations as Fields[]);
      const start = Date.parse(`${lease.start_date}Z`) + dice.between(-3, 3) * hour;
      const body: Fields = dice.chance(0.5)
        ? { reservations: [{ id: part['id'], ...(part['min'] ? { max: dice.between(1, 3) } : { amount: dice.between(1, 10) }) }] }
        : {
            ...(dice.chance(0.5) ? { start_date: this.date(start) } : {}),
            end_date: this.date(start + dice.between(1, 40) * hour),
          };
      const before = await ask(world, 'GET', `/v1/leases/${id}`, member);
      const reply = await ask(world, 'PUT', `/v1/leases/${id}`, { ...member, body });
      expect(reply.status, reply.text).to.be.oneOf([200, 400, 409, 500]);
      if (reply.status === 500) expect((reply.body as Fields)['error_message']).to.equal('Not enough hosts available');
      if (reply.status !== 200) expect((await ask(world, 'GET', `/v1/leases/${id}`, member)).body).to.deep.equal(before.body);
    }

    private async remove(): Promise<void> {
      if (!this.leases.length) return;
      const id = this.dice.pick(this.leases);
      await ask(world, 'DELETE', `/v1/leases/${id}`, member).expect(204);
      this.leases = this.leases.filter((one) => one !== id);
    }

    /** Boots a server on something that is active. */
    private async server(): Promise<void> {
      const { leases } = (await ask(world, 'GET', '/v1/leases', member).expect(200)).body as Fields;
      const active = (leases as Fields[])
        .flatMap(({ reservations }) => reservations as Fields[])
        .filter(({ status }) => status === 'active');
      if (!active.length) return;
      const { id, min, affinity } = this.dice.pick(active);
      const server = min ? await boot(world, '1', { reservation: id }) : await boot(world, id as string);
      expect(server['status']).to.be.oneOf(['ACTIVE', 'ERROR']);
      if (min) expect(server['status'], `${affinity}`).to.equal('ACTIVE');
    }

    /** Takes the last host away, where nothing is promised on it, or brings it back; or says something else of the first. */
    private async host(): Promise<void> {
      const { dice } = this;
      const known = ((await ask(world, 'GET', '/v1/os-hosts').expect(200)).body as Fields)['hosts'] as Fields[];
      const last = known.find((one) => one['hypervisor_hostname'] === hosts[2]);
      if (dice.chance(0.3)) {
        const id = known.find((one) => one['hypervisor_hostname'] === hosts[0])!['id'] as string;
        await ask(world, 'PUT', `/v1/os-hosts/${id}`, { body: { rack: String(dice.between(1, 9)) } }).expect(200);
      } else if (last) {
        const { status } = await ask(world, 'DELETE', `/v1/os-hosts/${last['id']}`);
        const held = await db()('reservation_allocations').where({ host_id: Number(last['id']) }).first('host_id'); // prettier-ignore
        expect(status).to.equal(held ? 409 : 204);
      } else await ask(world, 'POST', '/v1/os-hosts', { body: { name: hosts[2] } }).expect(201);
    }

    private async wait(by: number): Promise<void> {
      this.now += by;
      await world.setTime(new Date(this.now).toISOString());
    }

    async end(): Promise<void> {
      await this.wait(24 * 100 * hour);
      await ask(world, 'POST', '/v1/os-hosts', { body: { name: hosts[2] } }); // where it is away
      const { leases } = (await ask(world, 'GET', '/v1/leases').expect(200)).body as Fields;
      expect(
        (leases as Fields[]).map(({ status }) => status as string).filter((status) => status !== 'TERMINATED'),
      ).to.deep.equal([]);
      for (const { id } of leases as Fields[]) await ask(world, 'DELETE', `/v1/leases/${id}`).expect(204);
    }
  }

  const db = () => world.cloud.firstRegion.database.db;

  /** Holds what is promised against what hosts have, and against Placement and Compute. */
  async function check(): Promise<void> {
    const { leases } = (await ask(world, 'GET', '/v1/leases').expect(200)).body as Fields;
    const all = (leases as Fields[]).flatMap(({ reservations }) => reservations as Fields[]);
    expect((leases as Fields[]).filter(({ status }) => status === 'ERROR')).to.deep.equal([]);
    const byId = new Map(all.map((one) => [one['id'] as string, one]));
    const rows = (await db()('reservation_allocations as a').join('reservation_hosts as h', 'h.id', 'a.host_id').orderBy('a.host_id').select('a.*', 'h.hypervisor_hostname as host')) as Fields[]; // prettier-ignore
    const registered = ((await db()('reservation_hosts').orderBy('id').select('hypervisor_hostname as name')) as Fields[]).map(({ name }) => name as string); // prettier-ignore
    for (const host of hosts) {
      const own = rows.filter((row) => row['host'] === host);
      if (!registered.includes(host)) expect(await inventoriesOf(world, host)).to.equal(undefined);
      if (!registered.includes(host)) continue;
      checkCapacity(own, byId);
      const active = own.filter(({ reservation_id: id }) => byId.get(id as string)!['status'] === 'active');
      const slots = active.filter(({ reservation_id: id }) => !byId.get(id as string)!['min']);
      const inventories = (await inventoriesOf(world, host))!;
      const totals = Object.fromEntries(
        Object.entries(inventories).map(([name, { total }]: [string, Fields]) => [name, total as number]),
      );
      expect(totals).to.deep.equal(
        Object.fromEntries(slots.map((row) => [classOf(row['reservation_id'] as string), row['slots'] as number])),
      );
    }
    const pools = await aggregates(world);
    const taken = rows.filter(({ reservation_id: id }) => byId.get(id as string)!['min'] && byId.get(id as string)!['status'] === 'active'); // prettier-ignore
    expect(pools['freepool']).to.have.members(registered.filter((host) => !taken.some((row) => row['host'] === host)));
    const living = all.filter(({ status }) => status !== 'deleted').map(({ id }) => id as string);
    expect(Object.keys(pools)).to.have.members(['freepool', ...living]);
  }

  function checkCapacity(rows: readonly Fields[], byId: ReadonlyMap<string, Fields>): void {
    for (const { start_at: moment } of rows) {
      const at = rows.filter((row) => Number(row['start_at']) <= Number(moment) && Number(row['end_at']) > Number(moment));
      const parts = at.map((row) => ({ row, part: byId.get(row['reservation_id'] as string)! }));
      if (parts.some(({ part }) => part['min'])) expect(parts).to.have.length(1);
      // Flavors alone are counted in Placement's figures, which the scheduler holds them to.
      if (parts.every(({ part }) => part['min'] || part['resource_type'] === 'flavor:instance')) continue;
      const used = parts.reduce((sum, { row, part }) => sum + (row['slots'] as number) * (part['vcpus'] as number), 0);
      expect(used).to.be.at.most(16);
    }
  }

  async function nothingLeft(): Promise<void> {
    const classes = ((await placement(world, 'GET', '/resource_classes').expect(200)).body as Fields)[
      'resource_classes'
    ] as Fields[];
    expect(classes.filter(({ name }) => (name as string).startsWith('CUSTOM_'))).to.deep.equal([]);
    for (const host of hosts) expect(await inventoriesOf(world, host)).to.deep.equal({});
    expect(await aggregates(world)).to.deep.equal({ freepool: hosts });
    expect(((await compute(world, 'GET', '/flavors?is_public=False').expect(200)).body as Fields)['flavors']).to.deep.equal([]);
    const groups = await compute(world, 'GET', '/os-server-groups?all_projects=1').expect(200);
    expect((groups.body as Fields)['server_groups']).to.deep.equal([]);
    for (const table of [
      'jobs',
      'reservation_leases',
      'reservation_reservations',
      'reservation_events',
      'reservation_allocations',
    ])
      expect(await db()(table).orderBy(1).select(), table).to.deep.equal([]);
  }
});
