// Resets the whole cloud, a region or a service to the state of a new one.
import { emulatedNow, machineNow, realClock } from '../../kernel/clock.ts';
import { systemContext } from '../../kernel/context.ts';
import { withAdvisoryLock } from '../../kernel/db/advisory-lock.ts';
import type { Db } from '../../kernel/db/database.ts';
import { bumpAuthRevision, bumpSharedRevision, wipe } from '../../kernel/db/state.ts';
import { discardAll } from '../../kernel/jobs/outbox.ts';
import { cancelAll } from '../../kernel/jobs/queue.ts';
import { deleteNotifications } from '../../kernel/notifications.ts';
import type { ServiceDefinition, Cloud, Region, Service } from '../../kernel/model.ts';
import { writeClock } from '../clock/clock.ts';
import { removeFaultRules } from '../fault-injection/rules.ts';
import { recordOptions } from '../initial-options/record.ts';
import { emptyJournal, removeEntries } from '../journal/journal.ts';
import { syncRegions } from '../../kernel/regions.ts';
import { closeRegion, openRegion } from '../regions/regions.ts';
import { resetToSeed } from '../snapshots/seed-file.ts';
import { clearPending } from '../snapshots/store/pending.ts';
import { clearPendingReset, readPendingReset, writePendingReset } from './pending.ts';

/** What to reset. An empty scope resets everything. */
export interface ResetScope {
  readonly region?: Region | undefined;
  readonly service?: Service | undefined;
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
    await recordOptions(cloud);
    return emptyJournal(cloud);
  }
  await withAdvisoryLock(database, lock, () => resetNoted(cloud, scope));
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
  if (region || service)
    await removeEntries(cloud, { region: region?.name, service: service?.definition.name });
  await removeFaultRules(cloud, { region: region?.name, service: service?.definition.name });
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

/** A service's tables have its name as their prefix. */
const tablePrefix = ({ service }: ResetScope): string =>
  service ? `${service.definition.name}_` : '';

async function resetCentral(
  cloud: Cloud,
  scope: ResetScope,
  reset: readonly ServiceDefinition[],
  now: number,
): Promise<void> {
  const { service } = scope;
  const beforeReset = async (db: Db): Promise<void> => {
    const context = systemContext(cloud, cloud.firstRegion, db, now);
    for (const definition of reset)
      if (definition.database === 'central') await definition.beforeReset?.(context);
  };
  const refill = async (db: Db): Promise<void> => {
    if (service) await cancelAll(db, service.definition.name);
    await seedDatabase(cloud, 'central', cloud.firstRegion, db, now, reset);
    await bumpAuthRevision(db);
    if (!service) {
      await recordOptions(cloud, db);
      await writeClock(db, realClock);
      await bumpSharedRevision(db, 'journal.generation');
      await clearPending(db);
    }
  };
  await wipe(cloud.central, tablePrefix(scope), refill, beforeReset);
}

async function resetRegion(
  cloud: Cloud,
  region: Region,
  scope: ResetScope,
  reset: readonly ServiceDefinition[],
  now: number,
): Promise<void> {
  const { service } = scope;
  // When all services are reset, none has to release what it uses in the others.
  const beforeReset = async (db: Db): Promise<void> =>
    service?.definition.beforeReset?.(systemContext(cloud, region, db, now));
  const refill = async (db: Db): Promise<void> => {
    if (service) await cancelAll(db, service.definition.name);
    if (service) await discardAll(db, service.definition.name);
    if (service) await deleteNotifications(db, service.definition.name);
    await seedDatabase(cloud, 'region', region, db, now, reset);
  };
  await wipe(region.database, tablePrefix(scope), refill, beforeReset);
}

/**
 * Seeds the services that were reset, and calls the `afterReset` hooks of the other services that
 * share their database.
 */
async function seedDatabase(
  cloud: Cloud,
  location: ServiceDefinition['database'],
  region: Region,
  db: Db,
  now: number,
  reset: readonly ServiceDefinition[],
): Promise<void> {
  const context = systemContext(cloud, region, db, now);
  const names = new Set(reset.map(({ name }) => name));
  for (const definition of reset)
    if (definition.database === location) await definition.seed?.(context);
  for (const { definition } of cloud.services)
    if (definition.database === location && !names.has(definition.name))
      await definition.afterReset?.(context, names);
}
