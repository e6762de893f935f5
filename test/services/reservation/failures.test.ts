// Leases that start or end while the emulator is killed, and leases that are deleted while they
// start or end, with emulators in other processes.
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databases } from '../../support/databases.ts';
import { onTwoProcesses, startEmulator, type Emulator } from '../../support/processes.ts';
import { askAt, expectNothingLeft, mustAt, setClockAt, slotsAt } from './remote.ts';
import { classOf, hostReservation, instanceReservation, type Fields } from './support.ts';

const hosts = ['compute-1', 'compute-2', 'compute-3'];
const flags = ['--auth', 'noauth2', '--hosts', '3'];
const [noon, start, end] = ['2040-01-01 12:00', '2040-01-01 13:00', '2040-01-01 14:00'];

/**
 * One whole host, and slots on the other two, so that the start takes some dozens of requests to
 * Compute and Placement.
 */
const reservations = [
  hostReservation(),
  instanceReservation({ vcpus: 8, amount: 3 }),
  instanceReservation({ affinity: true, amount: 2 }),
];

async function registerAll(origin: string): Promise<void> {
  await setClockAt(origin, noon);
  for (const name of hosts) await mustAt(origin, 'POST', '/reservation/v1/os-hosts', { name });
}

async function createLease(origin: string): Promise<Fields> {
  const body = { name: 'lease', start_date: start, end_date: end, reservations };
  return (await mustAt(origin, 'POST', '/reservation/v1/leases', body))['lease'] as Fields;
}

/** Expects that a lease has started, with exactly its slots in Placement. */
async function expectStarted(origin: string, id: string): Promise<void> {
  const { lease } = await mustAt(origin, 'GET', `/reservation/v1/leases/${id}`);
  expect(lease).to.include({ status: 'ACTIVE' });
  expect(lease.reservations.map(({ status }: Fields) => status as string)).to.deep.equal([
    'active',
    'active',
    'active',
  ]);
  const { allocations } = await mustAt(origin, 'GET', '/reservation/v1/os-hosts/allocations');
  const expected: Record<string, Record<string, number>> = Object.fromEntries(
    hosts.map((host) => [`blazar_${host}`, {}]),
  );
  for (const { resource_id: host, reservations } of allocations as Fields[])
    for (const { id: reservation } of reservations as Fields[]) {
      if (reservation === lease.reservations[0].id) continue;
      const own = expected[`blazar_compute-${host}`]!;
      own[classOf(reservation as string)] = (own[classOf(reservation as string)] ?? 0) + 1;
    }
  expect(await slotsAt(origin)).to.deep.equal(expected);
}

/** The delays after which the emulator is killed, in milliseconds. */
const delays = [3, 30];

/**
 * Moves the clock, and kills the emulator during the due jobs.
 * @returns whether it was killed before they ended
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

/** Starts, ends and deletes leases, with an emulator that is killed and restarted in between. */
async function killAndRestart(database: string): Promise<void> {
  const all = [...flags, '--database', database];
  let emulator = await startEmulator(all);
  await registerAll(emulator.origin);
  let interrupted = 0;
  for (const after of delays) {
    await setClockAt(emulator.origin, noon);
    const { id } = (await createLease(emulator.origin)) as { id: string };
    for (const [moment, isStart] of [
      [start, true],
      [end, false],
    ] as const) {
      if (await killAt(emulator, moment, after)) interrupted++;
      emulator = await startEmulator(all);
      await setClockAt(emulator.origin, moment);
      if (isStart) await expectStarted(emulator.origin, id);
    }
    const { lease } = await mustAt(emulator.origin, 'GET', `/reservation/v1/leases/${id}`);
    expect(lease).to.include({ status: 'TERMINATED' });
    await mustAt(emulator.origin, 'DELETE', `/reservation/v1/leases/${id}`);
    await expectNothingLeft(emulator.origin, hosts);
  }
  expect(interrupted, 'how often it was killed before the end of due jobs').to.be.above(0);
  expect(await emulator.stop()).to.equal(0);
}

describe('an emulator that is killed while a lease starts or ends', () => {
  it('finishes the job after a restart, on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-killed-'));
    try {
      await killAndRestart(`sqlite:${folder}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('finishes the job after a restart, on MySQL', async function () {
    const url = await databases.freshUrl();
    if (!url) return this.skip();
    await killAndRestart(url);
  });
});

onTwoProcesses('leases that are deleted while they start or end', ['--hosts', '3'], (origins) => {
  it('return 204 or 409, and leave nothing behind once deleted', async () => {
    const [first, second] = origins();
    await registerAll(first);
    for (let round = 0; round < 12; round++) {
      await setClockAt(first, noon);
      const { id } = (await createLease(first)) as { id: string };
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
