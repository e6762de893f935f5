// POST /_emulator/what-if: changes in a copy of the cloud, and what fits before and after them.
import { expect } from 'chai';
import { onEachDatabase, type World } from '../support/cloud.ts';
import {
  act,
  admin,
  madeGroup,
  madeServer,
  newest,
  showServer,
} from '../services/compute/servers/makers.ts';
import { ask as askCompute } from '../services/compute/support.ts';
import * as reservation from '../services/reservation/support.ts';

interface Answer {
  readonly count: number | null;
  readonly text: string;
}

interface Result {
  readonly changes: readonly { readonly text: string; readonly failed: boolean }[];
  readonly questions: readonly {
    readonly question: string;
    readonly before: Answer;
    readonly after: Answer;
    readonly difference: number | null;
  }[];
  readonly text: readonly string[];
}

async function whatIf(world: World, changes: object[], questions?: object[]): Promise<Result> {
  const body = { changes, ...(questions ? { questions } : {}) };
  const reply = await world.ask('', 'POST', '/_emulator/what-if', { body });
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as { what_if: Result }).what_if;
}

const xlarge = { servers: { flavor: 'm1.xlarge' } };

/** The counts before and after. */
const counts = ({ questions }: Result): (number | null)[][] =>
  questions.map(({ before, after }) => [before.count, after.count]);

onEachDatabase('what-if', { auth: 'noauth2', hosts: '3' }, (world) => {
  const hosts = async (): Promise<string[]> => {
    const { body } = await world.ask('', 'GET', '/_emulator/hosts').expect(200);
    return (body as { hosts: { name: string }[] }).hosts.map(({ name }) => name);
  };

  it('adds and removes hosts in a copy, and leaves the cloud as it was', async () => {
    const sizes = { vcpus: 64, memory_mb: 65536, disk_gb: 1000 };
    const more = { add_hosts: { name: 'big', count: 2, ...sizes, zone: 'new' } };
    const result = await whatIf(
      world,
      [more, { remove_host: 'compute-1' }],
      [xlarge, { servers: { flavor: 'm1.xlarge', zone: 'new' } }],
    );
    expect(result.changes.map(({ text, failed }) => [text, failed])).to.deep.equal([
      ['added 2 hosts (big)', false],
      ['removed host compute-1', false],
    ]);
    expect(counts(result)).to.deep.equal([
      [9, 12],
      [null, 6],
    ]);
    expect(result.text.some((line) => /^servers of m1.xlarge +9 +12 +\+3 /.test(line))).to.equal(
      true,
    );
    expect(await hosts()).to.deep.equal(['compute-1', 'compute-2', 'compute-3']);
    const { body } = await world.ask('', 'GET', '/_emulator/snapshots').expect(200);
    expect(body).to.deep.equal({ snapshots: [] });
  });

  it('drains a host, and says which servers stay and why', async () => {
    const group = await madeGroup(world, 'anti-affinity');
    for (const name of ['one', 'two', 'three'])
      await madeServer(world, { name }, { ...admin, hints: { group } });
    const free = await madeServer(world, { name: 'free', host: 'compute-2' });
    const stopped = await madeServer(world, { name: 'off', host: 'compute-2' });
    await act(world, stopped.id, { 'os-stop': null });
    const drain = { drain_host: 'compute-2' };
    const result = await whatIf(world, [drain], [{ n_plus_1: 'host' }, xlarge]);
    expect(result.changes[0]!.text).to.match(
      /^disabled compute-2; 2 of 3 servers moved; (one|two|three) stays: .*anti-affinity/,
    );
    expect(result.questions[0]!.question).to.equal('hosts that may fail');
    expect(result.questions[0]!.before.count).to.equal(0);
    expect(result.questions[1]!.difference).to.be.lessThan(0);
    const server = await showServer(world, free.id);
    expect(server['OS-EXT-SRV-ATTR:host']).to.equal('compute-2');
  });

  it('changes ratios and flavors, and asks about all flavors by default', async () => {
    const ratio = { set_ratio: { resource_class: 'MEMORY_MB', ratio: 2, hosts: ['compute-1'] } };
    const resized = { resize_flavor: { name: 'm1.xlarge', memory_mb: 8192, disk_gb: 10 } };
    const result = await whatIf(world, [ratio, resized]);
    const own = result.questions.find(({ question }) => question === 'servers of m1.xlarge')!;
    expect(own.before.count).to.equal(9);
    expect(own.after.count).to.be.greaterThan(20);
    const names = result.questions.map(({ question }) => question);
    expect(names).to.include.members(['servers of m1.tiny', 'servers of m1.small']);
  });

  it('moves the clock and ends leases in the copy only', async () => {
    await reservation.registerHosts(world);
    const three = reservation.hostReservation({ min: 3, max: 3 });
    await reservation.createLease(world, [three]);
    const advance = { advance: { hours: 1, minutes: 30 } };
    const tiny = { servers: { flavor: 'm1.tiny' } };
    const started = await whatIf(world, [advance], [tiny]);
    const ended = await whatIf(world, [advance, { end_lease: 'lease' }], [tiny]);
    expect(started.changes[0]!.text).to.equal('moved the clock to 2026-11-20T13:30:00.000000Z');
    expect(ended.changes[1]!.text).to.equal('ended lease lease');
    expect(started.questions[0]!.after.count).to.equal(0);
    const { body } = await world.ask('', 'GET', '/_emulator/clock').expect(200);
    expect((body as { now: string }).now).to.include('T12:00:00');
  });

  it('counts what the end of a lease releases', async () => {
    await reservation.registerHosts(world);
    const lease = await reservation.createLease(world, [reservation.hostReservation()]);
    const [{ id }] = lease['reservations'] as [{ id: string }];
    await world.setTime('2026-11-20T13:05:00Z');
    await reservation.bootServer(world, '1', { reservation: id });
    const path = '/_emulator/capacity/timeline?query=resources%3DVCPU%3A1&until=';
    const reply = await world.ask('', 'GET', `${path}2026-11-21`).expect(200);
    const { periods, text } = (reply.body as { timeline: { periods: Answer[]; text: string[] } })
      .timeline;
    const [before, after, ...others] = periods.map(({ count }) => count!);
    expect(others).to.deep.equal([]);
    expect(after).to.equal(before! + 1);
    expect(text[1]).to.match(/^2026-11-20 13:05 /);
    expect(text[2]).to.match(/^2026-11-20 14:00 /);
    for (const wrong of ['2026-11-19', 'soon'])
      await world.ask('', 'GET', path + wrong).expect(400);
  });

  it('adds servers, and reports what is refused', async () => {
    const result = await whatIf(
      world,
      [
        { add_servers: { name: 'web', count: 5, flavor: 'm1.xlarge' } },
        { remove_host: 'compute-9' },
        { set_ratio: { resource_class: 'VGPU', ratio: 2 } },
        { end_lease: 'nothing' },
        { drain_host: 'compute-9' },
      ],
      [xlarge, { candidates: 'resources=CUSTOM_NONE:1' }],
    );
    expect(result.changes.map(({ failed }) => failed)).to.deep.equal([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(result.changes[0]!.text).to.include('Quota exceeded');
    expect(result.changes[4]!.text).to.equal("there is no host 'compute-9' in RegionOne.");
    expect(counts(result)).to.deep.equal([
      [9, 9],
      [null, null],
    ]);
    const body = { changes: [{ drain_host: 'compute-1', remove_host: 'compute-1' }] };
    await world.ask('', 'POST', '/_emulator/what-if', { body }).expect(400);
    const { body: listed } = await askCompute(world, 'GET', '/servers?all_tenants=1', {
      ...admin,
      version: newest,
    });
    expect(listed).to.deep.equal({ servers: [] });
  });
});
