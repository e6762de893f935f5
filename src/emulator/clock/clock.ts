// The clock as a power: set for all processes, and all that has become due is done before it
// returns.
import { emulatedNow, pause, type ClockSetting } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db/database.ts';
import { sharedStateMaxAge, writeSharedValue } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { Cloud } from '../../kernel/model.ts';
import { runAllDueJobs } from '../../kernel/jobs/due-jobs.ts';
import { syncFaultRules } from '../fault-injection/rules.ts';
import { syncRegions } from '../../kernel/regions.ts';

/** Writes the clock down for all processes. */
export async function writeClock(db: Db, { frozenAt, offset }: ClockSetting): Promise<void> {
  await writeSharedValue(db, 'clock.frozen_at', frozenAt === null ? '' : String(frozenAt));
  await writeSharedValue(db, 'clock.offset', String(offset));
}

/** Sets the clock and does all that has become due, in every database, before it returns. */
export async function moveClock(cloud: Cloud, setting: ClockSetting): Promise<void> {
  await transact(cloud.central.db, (db) => writeClock(db, setting));
  cloud.sharedState.invalidate();
  // Other processes go by what they last read for so long: after this they agree.
  if (cloud.central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  await syncRegions(cloud);
  await syncFaultRules(cloud);
  await runAllDueJobs(cloud, emulatedNow((await cloud.sharedState.refresh()).clock));
}
