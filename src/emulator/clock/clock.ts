// Sets the emulated clock for all processes and runs the jobs that become due.
import { emulatedNow, pause, type ClockSetting } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db/database.ts';
import { readSharedValues, sharedStateMaxAge, writeSharedValues } from '../../kernel/db/state.ts';
import { acquireLock, transact } from '../../kernel/db/transaction.ts';
import { runAllDueJobs, tallyOf } from '../../kernel/jobs/due-jobs.ts';
import type { Cloud, JobTally } from '../../kernel/model.ts';
import { syncFaultRules } from '../fault-injection/rules.ts';
import { syncRegions } from '../../kernel/regions.ts';

/** The lock that every transaction holds that writes the clock's setting. */
const clockLock = 'cumulet.clock';

/**
 * Stores the clock's setting in the central database, where all processes read it.
 * @param others shared values that are written in the same statement
 */
export async function writeClock(
  db: Db,
  setting: ClockSetting,
  others: Readonly<Record<string, string>> = {},
): Promise<void> {
  await acquireLock(db, clockLock);
  await writeLocked(db, setting, others);
}

/** Stores the setting in a transaction that holds the lock. */
const writeLocked = (
  db: Db,
  { frozenAt, offset }: ClockSetting,
  others: Readonly<Record<string, string>> = {},
): Promise<void> =>
  writeSharedValues(db, {
    'clock.frozen_at': frozenAt === null ? '' : String(frozenAt),
    'clock.offset': String(offset),
    ...others,
  });

/** What a process has done while it moved the clock, and the clock's setting after the move. */
export interface ClockMove extends JobTally {
  readonly setting: ClockSetting;
}

/**
 * Sets the clock and runs all jobs that are due by then, in every database, before it returns.
 * @param next the new setting, or a function that derives it from the current one. The function
 *   sees the moves of all other requests and processes, may run again, and may throw.
 */
export async function moveClock(
  cloud: Cloud,
  next: ClockSetting | ((current: ClockSetting) => ClockSetting),
): Promise<ClockMove> {
  const setting = await transact(cloud.central.db, async (db) => {
    await acquireLock(db, clockLock);
    const moved = typeof next === 'function' ? next((await readSharedValues(db)).clock) : next;
    await writeLocked(db, moved);
    return moved;
  });
  cloud.sharedState.invalidate();
  // Until then, other processes may still use the setting that they have cached.
  if (cloud.central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  const { regionsRevision } = await cloud.sharedState.refresh();
  if (regionsRevision !== cloud.regionCache.revision) await syncRegions(cloud);
  await syncFaultRules(cloud);
  const before = tallyOf(cloud);
  await runAllDueJobs(cloud, emulatedNow((await cloud.sharedState.read()).clock));
  const after = tallyOf(cloud);
  return {
    setting,
    run: after.run - before.run,
    skipped: after.skipped - before.skipped,
    setAside: after.setAside - before.setAside,
  };
}
