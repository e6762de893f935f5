// Sets the emulated clock for all processes and runs the jobs that become due.
import { emulatedNow, pause, type ClockSetting } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db/database.ts';
import { sharedStateMaxAge, writeSharedValue } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { runAllDueJobs, tallyOf } from '../../kernel/jobs/due-jobs.ts';
import type { Cloud, JobTally } from '../../kernel/model.ts';
import { syncFaultRules } from '../fault-injection/rules.ts';
import { syncRegions } from '../../kernel/regions.ts';

/** Stores the clock's setting in the central database, where all processes read it. */
export async function writeClock(db: Db, { frozenAt, offset }: ClockSetting): Promise<void> {
  await writeSharedValue(db, 'clock.frozen_at', frozenAt === null ? '' : String(frozenAt));
  await writeSharedValue(db, 'clock.offset', String(offset));
}

/**
 * Sets the clock and runs all jobs that are due by then, in every database, before it returns.
 * @returns what this process has run meanwhile
 */
export async function moveClock(cloud: Cloud, setting: ClockSetting): Promise<JobTally> {
  await transact(cloud.central.db, (db) => writeClock(db, setting));
  cloud.sharedState.invalidate();
  // Until then, other processes may still use the setting that they have cached.
  if (cloud.central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  await syncRegions(cloud);
  await syncFaultRules(cloud);
  const before = tallyOf(cloud);
  await runAllDueJobs(cloud, emulatedNow((await cloud.sharedState.refresh()).clock));
  const after = tallyOf(cloud);
  return {
    run: after.run - before.run,
    skipped: after.skipped - before.skipped,
    setAside: after.setAside - before.setAside,
  };
}
