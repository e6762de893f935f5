// Resets the whole cloud, a region or a service to the state of a new one.
import { emulatedNow, machineNow, realClock } from '../../kernel/clock.ts';
import { systemContext } from '../../kernel/context.ts';
import { withAdvisoryLock } from '../../kernel/db/advisory-lock.ts';
import type { Database } from '../../kernel/db/database.ts';
import { bumpSharedRevisions, emptyAndRefill, resettableTables } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { discardAll } from '../../kernel/jobs/outbox.ts';
import { cancelAll } from '../../kernel/jobs/queue.ts';
import { deleteNotifications } from '../../kernel/notifications.ts';
import type { ServiceDefinition, Cloud, Context, Region, Service } from '../../kernel/model.ts';
import { writeClock } from '../clock/clock.ts';
import { removeFaultRules } from '../fault-injection/rules.ts';
import { optionValues, recordOptions } from '../initial-options/record.ts';
import { emptyJournal, removeEntries } from '../journal/journal.ts';
import { syncRegions } from '../../kernel/regions.ts';
import { closeRegion, openRegion } from '../regions/regions.ts';
import { resetToSeed } from '../snapshots/seed-file.ts';
import { nonePending } from '../snapshots/store/pending.ts';
import { presetFile } from '../worlds/presets.ts';
import { refillAll, seedDatabase } from './refill.ts';
import { clearPendingReset, readPendingReset, writePendingReset } from './pending.ts';

/** What to reset. An empty scope resets everything. */
export interface ResetScope {
  readonly region?: Region | undefined;
  readonly service?: Service | undefined;
}

/** Resets everything to a preset, instead of the initial state. @throws 409 for other regions */
export async function resetToPreset(cloud: Cloud, preset: string): Promise<void> {
  await resetToSeed(cloud, presetFile(preset), `the preset ${preset}`);
  await afterSeed(cloud);
}

/**
 * Deletes all data in the scope (the cloud, a region, a service in all regions or in one) and seeds
 * it again. A reset of everything also sets the clock back to the machine's time, and restores the
 * file of --seed if there is one, or the regions of the profile. Fault rules and journal entries
 * within the scope are removed too. Each database is reset in one transaction. If the process is
 * killed between two of them, the next start completes the reset.
 */
export async function resetCloud(cloud: Cloud, scope: ResetScope): Promise<void> {
  const { region, service } = scope;
  const { seed, database } = cloud.config;
  if (!region && !service && seed !== undefined) {
    await resetToSeed(cloud, seed);
    return afterSeed(cloud);
  }
  await withAdvisoryLock(database, lock, () => resetNoted(cloud, scope));
}

/** Does what a reset does to the emulator's own state, after the cloud has been restored. */
async function afterSeed(cloud: Cloud): Promise<void> {
  await recordOptions(cloud);
  await emptyJournal(cloud);
}

/** The lock of a reset, so that a process that starts does not repeat one that is under way. */
const lock = 'reset';

/**
 * Completes a reset whose process was killed: resets the same scope again. A reset that returned an
 * error is not repeated, because the cloud may have been used since.
 */
export async function completeReset(cloud: Cloud): Promise<void> {
  const { central, config } = cloud;
  if (!(await readPendingReset(central.db))) return;
  await withAdvisoryLock(config.database, lock, async () => {
    const pending = await readPendingReset(central.db);
    if (!pending) return;
    await syncRegions(cloud);
    const region = pending.region === undefined ? undefined : cloud.regions.get(pending.region);
    const service = cloud.services.find(({ definition }) => definition.name === pending.service);
    const isGone =
      (pending.region !== undefined && !region) || (pending.service !== undefined && !service);
    if (isGone) await clearPendingReset(central.db);
    else await resetNoted(cloud, { region, service });
  });
}

async function resetNoted(cloud: Cloud, scope: ResetScope): Promise<void> {
  const { db } = cloud.central;
  const { region, service } = scope;
  // A cloud in memory ends with its process.
  if (cloud.config.database.kind === 'memory') return resetDatabases(cloud, scope);
  await writePendingReset(db, { region: region?.name, service: service?.definition.name });
  try {
    await resetDatabases(cloud, scope);
  } finally {
    await clearPendingReset(db);
  }
}

async function resetDatabases(cloud: Cloud, scope: ResetScope): Promise<void> {
  const { region, service } = scope;
  if (!region && !service) await restoreRegions(cloud);
  await syncRegions(cloud);
  const now =
    region || service ? emulatedNow((await cloud.sharedState.read()).clock) : machineNow();
  const reset = service ? [service.definition] : cloud.services.map(({ definition }) => definition);
  if (!region && reset.some(({ database }) => database === 'central'))
    await resetCentral(cloud, scope, reset, now);
  if (reset.some(({ database }) => database === 'region'))
    for (const one of region ? [region] : cloud.regions.values())
      await resetRegion(cloud, one, scope, reset, now);
  if (region || service) {
    const names = { region: region?.name, service: service?.definition.name };
    await removeEntries(cloud, names);
    await removeFaultRules(cloud, names);
  }
  cloud.sharedState.invalidate();
}

/**
 * Adds the regions of the initial state that have been dropped, and drops those that have been
 * added, if a service knows the initial regions: those of a profile. The first region stays in any
 * case, because it serves the paths without a prefix.
 */
async function restoreRegions(cloud: Cloud): Promise<void> {
  const context = systemContext(cloud, cloud.firstRegion, cloud.central.db, machineNow());
  const initial: string[] = [];
  for (const { definition } of cloud.services)
    initial.push(...((await definition.initialRegions?.(context)) ?? []));
  if (!initial.length) return;
  await syncRegions(cloud);
  const names = new Set([cloud.firstRegion.name, ...initial, ...cloud.config.regions]);
  for (const region of cloud.regions.values())
    if (!names.has(region.name)) await closeRegion(cloud, region, { drop: true });
  for (const name of names) if (!cloud.regions.has(name)) await openRegion(cloud, name);
}

async function resetCentral(
  cloud: Cloud,
  scope: ResetScope,
  reset: readonly ServiceDefinition[],
  now: number,
): Promise<void> {
  const { central, firstRegion } = cloud;
  const { service } = scope;
  await transact(central.db, async (db) => {
    const context = systemContext(cloud, firstRegion, db, now);
    for (const definition of reset)
      if (definition.database === 'central') await definition.beforeReset?.(context);
    await refill(context, central, scope, reset);
    if (service) return bumpSharedRevisions(db, 'auth.revision');
    // Fault rules are in a table that has been emptied.
    await bumpSharedRevisions(db, 'auth.revision', 'faults.revision', 'journal.generation');
    await writeClock(db, realClock, { ...optionValues(cloud), ...nonePending });
  });
  cloud.centralJobs.wake();
}

async function resetRegion(
  cloud: Cloud,
  region: Region,
  scope: ResetScope,
  reset: readonly ServiceDefinition[],
  now: number,
): Promise<void> {
  const { database, jobs } = region;
  const { service } = scope;
  await transact(database.db, async (db) => {
    const context = systemContext(cloud, region, db, now);
    // When all services are reset, none has to release what it uses in the others.
    await service?.definition.beforeReset?.(context);
    await refill(context, database, scope, reset);
    if (!service) return;
    await discardAll(db, service.definition.name);
    await deleteNotifications(db, service.definition.name);
  });
  jobs.wake();
}

/** Replaces the rows of the scope in a database with those of the seed. */
async function refill(
  context: Context,
  database: Database,
  { service }: ResetScope,
  reset: readonly ServiceDefinition[],
): Promise<void> {
  const { db } = context;
  if (!service) return refillAll(context, database);
  const prefix = `${service.definition.name}_`;
  const tables = await resettableTables(database, prefix, db);
  await emptyAndRefill(database, db, tables, async () => {
    await cancelAll(db, service.definition.name);
    await seedDatabase(context, database, reset);
  });
}
