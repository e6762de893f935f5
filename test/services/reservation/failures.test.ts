// Leases whose server is killed while they start or end, and leases that are deleted while they do:
// through processes of their own.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databases } from '../../support/databases.ts';
import { onTwoProcesses, startEmulator, type Emulator } from '../../support/processes.ts';
import { askAt, expectNothingLeft, mustAt, setClockAt, slotsAt } from './remote.ts';
import { classOf, hostsWanted, instancesWanted, type Fields } from './support.ts';

const hosts = ['compute-1', 'compute-2', 'compute-3'];
const flags = ['--auth', 'noauth2', '--hosts', '3'];
const [noon, start, end] = ['2040-01-01 12:00', '2040-01-01 13:00', '2040-01-01 14:00'];

/**
 * One host as a whole, and slots on the other two: a start takes some dozens of steps in Compute
 * and Placement.
 */
const wanted = [
  hostsWanted(),
  instancesWanted({ vcpus: 8, amount: 3 }),
  instancesWanted({ affinity: true, amount: 2 }),
];

async function registerAll(origin: string): Promise<void> {
  await setClockAt(origin, noon);
  for (const name of hosts) await mustAt(origin, 'POST', '/reservation/v1/os-hosts', { name });
}

async function makeLease(origin: string): Promise<Fields> {
  const body = { name: 'lease', start_date: start, end_date: end, reservations: wanted };
  return (await mustAt(origin, 'POST', '/reservation/v1/leases', body))['lease'] as Fields;
}

/** Expects that a lease has started, with all that belongs to it, and no slot more. */
async function expectStarted(origin: string, id: string): Promise<void> {
  const { lease } = await mustAt(origin, 'GET', `/reservation/v1/leases/${id}`);
  expect(lease).to.include({ status: 'ACTIVE' });
  expect(lease.reservations.map(({ status }: Fields) => status as string)).to.deep.equal([
    'active',
    'active',
    'active',
  ]);
  const { allocations } = await mustAt(origin, 'GET', '/reservation/v1/os-hosts/allocations');
  const promised: Record<string, Record<string, number>> = Object.fromEntries(
    hosts.map((host) => [`blazar_${host}`, {}]),
  );
  for (const { resource_id: host, reservations } of allocations as Fields[])
    for (const { id: reservation } of reservations as Fields[]) {
      if (reservation === lease.reservations[0].id) continue;
      const own = promised[`blazar_compute-${host}`]!;
      own[classOf(reservation as string)] = (own[classOf(reservation as string)] ?? 0) + 1;
    }
  expect(await slotsAt(origin)).to.deep.equal(promised);
}

/**
 * How long after the beginning of a start or an end the server is killed, in milliseconds: from its
 * first steps to after its last.
 */
const moments = [3, 30];

/**
 * Lets the clock go to a time, and kills the server in the middle.
 * @returns whether it was still at it
 */
async function killAt(emulator: Emulator, now: string, after: number): Promise<boolean> {
  let isDone = false;
  const moving = setClockAt(emulator.origin, now)
    .then(() => (isDone = true))
    .catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, after));
  const wasDone = isDone;
  await emulator.kill();
  await moving;
  return !wasDone;
}

/**
 * A lease is made and started, ended and deleted, with a server that is killed in the middle of
 * each, and started again.
 */
async function survive(database: string): Promise<void> {
  const all = [...flags, '--database', database];
  let emulator = await startEmulator(all);
  await registerAll(emulator.origin);
  let interrupted = 0;
  for (const after of moments) {
    await setClockAt(emulator.origin, noon);
    const { id } = (await makeLease(emulator.origin)) as { id: string };
    for (const [moment, isThere] of [
      [start, true],
      [end, false],
    ] as const) {
      if (await killAt(emulator, moment, after)) interrupted++;
      emulator = await startEmulator(all);
      await setClockAt(emulator.origin, moment);
      if (isThere) await expectStarted(emulator.origin, id);
    }
    const { lease } = await mustAt(emulator.origin, 'GET', `/reservation/v1/leases/${id}`);
    expect(lease).to.include({ status: 'TERMINATED' });
    await mustAt(emulator.origin, 'DELETE', `/reservation/v1/leases/${id}`);
    await expectNothingLeft(emulator.origin, hosts);
  }
  expect(interrupted, 'how often it was killed in the middle').to.be.above(0);
  expect(await emulator.stop()).to.equal(0);
}

describe('a server that is killed while a lease starts or ends', function () {
  this.timeout(600_000);

  it('goes on with it after its next start, on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-killed-'));
    try {
      await survive(`sqlite:${folder}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('goes on with it after its next start, on MySQL', async function () {
    const url = await databases.freshUrl();
    if (!url) return this.skip();
    await survive(url);
  });
});

onTwoProcesses('leases that are deleted while they start or end', ['--hosts', '3'], (origins) => {
  it('are gone, or refuse to go, and leave nothing behind', async function () {
    this.timeout(600_000);
    const [first, second] = origins();
    await registerAll(first);
    for (let round = 0; round < 12; round++) {
      await setClockAt(first, noon);
      const { id } = (await makeLease(first)) as { id: string };
      const moment = round % 2 ? end : start;
      if (moment === end) await setClockAt(first, start);
      const remove = (): Promise<{ status: number; body: Fields }> =>
        askAt(second, 'DELETE', `/reservation/v1/leases/${id}`);
      const [, one, other] = await Promise.all([setClockAt(first, moment), remove(), remove()]);
      for (const { status, body } of [one, other])
        expect(status, JSON.stringify(body)).to.be.oneOf([204, 404, 409]);
      if (![one, other].some(({ status }) => status === 204))
        expect((await remove()).status).to.equal(204);
      expect((await askAt(first, 'GET', `/reservation/v1/leases/${id}`)).status).to.equal(404);
      await setClockAt(second, end);
      await expectNothingLeft(first, hosts);
    }
  });
});
