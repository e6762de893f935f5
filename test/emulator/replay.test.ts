// POST /_emulator/replay: arrivals in a copy of the cloud, under configurations to compare.
import { expect } from 'chai';
import { onEachDatabase, type World } from '../support/cloud.ts';
import { madeServer, spread } from '../services/compute/servers/makers.ts';
import * as reservation from '../services/reservation/support.ts';

interface Replay {
  readonly configuration: string;
  readonly from: string;
  readonly until: string;
  readonly arrivals: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly causes: readonly { readonly cause: string; readonly count: number }[];
  readonly use: readonly {
    readonly resource_class: string;
    readonly mean: number;
    readonly peak: number;
  }[];
  readonly samples: readonly { readonly time: string; readonly use: Record<string, number> }[];
  readonly changes: readonly { readonly failed: boolean }[];
  readonly text: readonly string[];
}

async function replay(world: World, arrivals: object[], configuration?: object): Promise<Replay> {
  const body = { arrivals, ...(configuration ? { configuration } : {}) };
  const reply = await world.ask('', 'POST', '/_emulator/replay', { body });
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as { replay: Replay }).replay;
}

/** Servers of 16 GiB: a host has room for three. */
const large = (at: number | string, more: object = {}): object => ({
  at,
  server: { name: `server-${at}`, flavor: 'm1.xlarge' },
  ...more,
});

const hour = 3600;

onEachDatabase('replay', { auth: 'noauth2', hosts: '3' }, (world) => {
  it('accepts what fits at its time, and rejects the rest with the cause', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => large(index, { lasts: hour }));
    const result = await replay(world, [...nine, large(20), large(2 * hour)]);
    expect(result).to.include({ arrivals: 11, accepted: 10, rejected: 1 });
    expect(result.causes).to.deep.equal([
      { cause: 'Placement has no candidate: not enough MEMORY_MB.', count: 1 },
    ]);
    expect(result.from.slice(0, 19)).to.equal('2026-11-20T12:00:00');
    expect(result.until.slice(0, 19)).to.equal('2026-11-20T14:00:00');
  });

  it('leaves the cloud as it was', async () => {
    await madeServer(world, { name: 'one' });
    await replay(world, [large(0), large(10 * hour, { lasts: 1 })]);
    expect(Object.values(await spread(world))).to.deep.equal([1]);
    const { body } = await world.ask('', 'GET', '/_emulator/clock').expect(200);
    expect(body).to.include({ now: '2026-11-20T12:00:00.000000Z' });
    const snapshots = await world.ask('', 'GET', '/_emulator/snapshots').expect(200);
    expect(snapshots.body).to.deep.equal({ snapshots: [] });
  });

  it('reads times in any order, and counts from the first', async () => {
    const later = large('2020-01-01T02:00:00Z');
    const nine = Array.from({ length: 9 }, (_, index) =>
      large(`2020-01-01T00:00:0${index}Z`, { lasts: hour }),
    );
    expect(await replay(world, [later, ...nine])).to.include({ accepted: 10 });
  });

  it('reports how full the region was', async () => {
    // Three of nine places are used for half of the time.
    const three = Array.from({ length: 3 }, () => large(0, { lasts: hour }));
    const { use, samples } = await replay(world, [...three, large(2 * hour)]);
    const memory = use.find((one) => one.resource_class === 'MEMORY_MB')!;
    const part = (3 * 16384) / (3 * 65024);
    expect(memory.peak).to.be.closeTo(part, 0.001);
    expect(memory.mean).to.be.closeTo(part / 2, part / 50);
    expect(samples).to.have.length(100);
    expect(samples[0]!.use['MEMORY_MB']).to.be.closeTo(part, 0.001);
  });

  it('plays leases, and rejects those that find no hosts', async () => {
    await reservation.registerHosts(world);
    const result = await replay(world, [
      { at: 0, lease: { name: 'first', hosts: 3, for: '1h' } },
      { at: 60, lease: { name: 'second', hosts: 1, for: '1h' } },
      { at: 2 * hour, lease: { name: 'third', hosts: 1, start: '+1h', for: '2d' } },
    ]);
    expect(result).to.include({ accepted: 2, rejected: 1 });
    expect(result.causes[0]!.cause).to.include('Not enough hosts available');
  });

  it('makes the changes of a configuration first', async () => {
    const ten = Array.from({ length: 10 }, (_, at) => large(at));
    const ratio = { set_ratio: { resource_class: 'MEMORY_MB', ratio: 2 } };
    expect(await replay(world, ten)).to.include({ configuration: 'unchanged', rejected: 1 });
    const more = await replay(world, ten, { name: 'more', changes: [ratio] });
    expect(more).to.include({ configuration: 'more', rejected: 0 });
  });

  it('fills hosts or spreads servers, as the weights of a configuration say', async () => {
    // With one of these on each host, there is room for two large servers on each, and not three.
    const changes = [{ resize_flavor: { name: 'm1.small', memory_mb: 16_000 } }];
    const trace = [
      { at: 0, server: { name: 'small', flavor: 'm1.small', count: 3 } },
      ...Array.from({ length: 7 }, (_, index) => large(index + 1)),
    ];
    const weight = { ram_weight_multiplier: -1, cpu_weight_multiplier: -1 };
    const settings = { compute: { ...weight, disk_weight_multiplier: -1 } };
    const spreading = await replay(world, trace, { name: 'spread', changes });
    const filling = await replay(world, trace, { name: 'fill', settings, changes });
    expect(spreading.rejected).to.equal(1);
    expect(filling.rejected).to.equal(0);
    expect(filling.text[1]).to.match(/^fill +8 +0 +100.0 %/);
  });

  it('applies the quotas of a project that an arrival names', async () => {
    const ofProject = Array.from({ length: 11 }, (_, at) => ({
      at,
      server: { name: `server-${at}`, flavor: 'm1.tiny', project: 'demo' },
    }));
    const { causes } = await replay(world, ofProject);
    expect(causes).to.have.length(1);
    expect(causes[0]!.cause).to.include('Quota exceeded for instances');
  });

  it('keeps signing in while the clock moves by weeks', async () => {
    const weeks = [0, 1, 2, 3].map((week) => large(week * 7 * 24 * hour, { lasts: 60 }));
    expect(await replay(world, weeks)).to.include({ accepted: 4 });
  });

  it('reports changes that fail, and refuses what it cannot read', async () => {
    const wrong = { changes: [{ remove_host: 'compute-9' }] };
    const { changes, text } = await replay(world, [large(0)], wrong);
    expect(changes[0]!.failed).to.equal(true);
    expect(text.join('\n')).to.include('unchanged: a change FAILED:');
    const refused = async (arrivals: object[], configuration: object, status: number) => {
      const body = { arrivals, configuration };
      const reply = await world.ask('', 'POST', '/_emulator/replay', { body });
      expect(reply.status, reply.text).to.equal(status);
    };
    await refused([large('soon')], {}, 400);
    await refused([{ at: 0 }], {}, 400);
    await refused([large(0), large(1e300)], {}, 400);
    const { causes } = await replay(world, [
      { at: 0, lease: { name: 'never', start: '2020-99-99', hosts: 1 } },
    ]);
    expect(causes[0]!.cause).to.equal("'2020-99-99' is not a time.");
    await refused([large(0)], { settings: { compute: { unknown: 1 } } }, 400);
    await refused([large(0)], { settings: { nothing: {} } }, 404);
  });
});
