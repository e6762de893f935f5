// Restores a cloud to another state, including the regions that it had.
//
// Each database is restored in one transaction: first those of regions that have to be recreated,
// which no request uses yet; then the central database, with the list of regions; then the other
// regions, one at a time. Invalid data is found beforehand, because documents are checked, and
// stored snapshots are known to be valid. A database can still fail, if its disk is full or it is
// unreachable. If that happens before the central database has been committed, the recreated
// regions are dropped again. Otherwise the error says which regions have not been restored;
// restoring again completes them.
//
// Caches stay valid, because a restore moves every revision forward: cached tokens, callers and
// signing keys follow the auth revision (services/identity/authenticator.ts), and fault rules and
// regions follow theirs. The clock and the revisions themselves are invalidated here, and refreshed
// by other processes within `sharedStateMaxAge`, as are the times of the next due jobs. Nothing
// else is cached; Knex's prepared statements refer to tables, not to rows.
import { pause } from '../../kernel/clock.ts';
import type { Database, Db } from '../../kernel/db/database.ts';
import { asApiError, isDiskFull } from '../../kernel/db/errors.ts';
import { dropDatabase, openDatabase } from '../../kernel/db/open.ts';
import {
  changeListed,
  deleteListed,
  insertListed,
  listedRegions,
} from '../../kernel/db/region-list.ts';
import { bumpAuthRevision, bumpSharedRevision, sharedStateMaxAge } from '../../kernel/db/state.ts';
import { acquireLock, transact } from '../../kernel/db/transaction.ts';
import { conflict, ApiError } from '../../kernel/errors.ts';
import { discardPending } from '../../kernel/jobs/outbox.ts';
import { releaseClaims } from '../../kernel/jobs/queue.ts';
import type { Cloud, Region } from '../../kernel/model.ts';
import { poolsOf } from '../../kernel/settings.ts';
import { whileQuiesced } from '../../kernel/jobs/due-jobs.ts';
import { acquireCentralLock } from '../../kernel/context.ts';
import { writeClock } from '../clock/clock.ts';
import { dropListed } from '../regions/regions.ts';
import { centralRegionOf, regionWith, release } from '../../kernel/regions.ts';
import { centralName } from './document.ts';
import type { Header, RegionHead, Source } from './model.ts';
import { replaceContents } from './store/contents.ts';

/**
 * Restores the cloud from a source. Must run within `exclusively` (take.ts). Requests to this
 * process wait. Those of other processes take effect before or after the restore of each database.
 * Claimed jobs are released.
 * @throws 409 if the first or central region differs
 */
export async function restoreCloud(cloud: Cloud, source: Source): Promise<void> {
  checkRegions(cloud, source.header);
  const dropped = await whileQuiesced(cloud, () => replaceState(cloud, source));
  for (const region of dropped) {
    await release(region);
    await dropListed(cloud, region);
  }
}

/** @throws 409 if the first or central region differs, because their paths and gateways would */
export const checkRegions = (cloud: Cloud, header: Header): void =>
  checkNames(header, cloud.firstRegion.name, centralRegionOf(cloud)?.name);

/** Checks a header against the names of a cloud's first and central region. */
export function checkNames(
  { regions }: Header,
  first: string | undefined,
  central: string | undefined,
): void {
  const [itsFirst, itsCentral] = [false, true].map(
    (is) => regions.find((region) => region.central === is)?.name,
  );
  const flags =
    '--regions ' +
    `${regions.map(({ name }) => name).join(',')}${itsCentral === undefined ? '' : ` --central-region ${itsCentral}`}`;
  if (itsFirst !== first)
    throw conflict(
      `The first region of the state to restore is ${itsFirst}, but that of this cloud is ` +
        `${first}. Restore it in a cloud that is started with ${flags}.`,
    );
  if (itsCentral === central) return;
  const had = itsCentral === undefined ? 'no central region' : `the central region ${itsCentral}`;
  const has = central === undefined ? 'has none' : `has ${central}`;
  throw conflict(
    `The state to restore has ${had}, but this cloud ${has}. Restore it in a cloud that is ` +
      `started with ${flags}.`,
  );
}

/** @returns the regions that are no longer served, whose databases the caller must drop */
async function replaceState(cloud: Cloud, source: Source): Promise<Region[]> {
  const { central } = cloud;
  const { regions: restored } = source.header;
  const dropped = [...cloud.regions.values()].filter(
    ({ name }) => !restored.some((one) => one.name === name),
  );
  const kept = [...cloud.regions.values()].filter((region) => !dropped.includes(region));
  const recreated: Region[] = [];
  try {
    for (const one of restored)
      if (!cloud.regions.has(one.name)) await recreate(cloud, one, source, recreated);
    await transact(central.db, async (db) => {
      await acquireCentralLock(db);
      await fill(central, db, source, centralName);
      await switchRegions(db, source.header, recreated, dropped);
    });
  } catch (error) {
    for (const region of recreated) await discard(cloud, region);
    throw error;
  }
  const regions = cloud.regions as Map<string, Region>;
  for (const { name } of dropped) regions.delete(name);
  for (const region of recreated) regions.set(region.name, region);
  cloud.sharedState.invalidate();
  await fillEach(cloud, kept, source);
  // Until then, other processes may still use the shared values that they have cached.
  if (central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  return dropped;
}

/**
 * Recreates the database of a region that has been dropped, with its contents. No process serves it
 * until its state in the list is `open`.
 * @throws 409
 */
async function recreate(
  cloud: Cloud,
  { name, central: isCentral }: RegionHead,
  source: Source,
  recreated: Region[],
): Promise<void> {
  const { config, central, regionMigrations } = cloud;
  const existing = (await listedRegions(central.db)).find(
    (listed) => listed.name.toLowerCase() === name.toLowerCase(),
  );
  if (existing)
    throw conflict(
      `The state to restore has the region ${name}, but this cloud has a region ` +
        `${existing.name}. Drop ${existing.name}, then restore again.`,
    );
  const id = await transact(central.db, (db) =>
    insertListed(db, { name, isCentral, state: 'adding' }),
  );
  try {
    const region = regionWith(
      await openDatabase(config.database, name, regionMigrations, poolsOf(config)),
      { id, isCentral },
    );
    recreated.push(region);
    await transact(region.database.db, (db) => fill(region.database, db, source, name, central.db));
  } catch (error) {
    if (recreated.at(-1)?.id !== id) await transact(central.db, (db) => deleteListed(db, id));
    throw error;
  }
}

/** Drops a recreated region again. */
async function discard(
  { config, central, sharedState: shared }: Cloud,
  { id, name, database }: Region,
): Promise<void> {
  await database.db.destroy();
  await dropDatabase(config.database, name);
  await transact(central.db, (db) => deleteListed(db, id));
  shared.invalidate();
}

/**
 * Replaces the contents of a database, releases the jobs that were claimed in the snapshot, and
 * discards the messages of its outbox.
 */
async function fill(
  database: Database,
  db: Db,
  source: Source,
  name: string,
  central = db,
): Promise<void> {
  await replaceContents(database, db, source.contents(name, central));
  await releaseClaims(db);
  if (name !== centralName) await discardPending(db);
}

/**
 * Updates what belongs to the central database but not to its contents: the clock, the list of
 * regions, and the revisions, which move forward.
 */
async function switchRegions(
  db: Db,
  { clock }: Header,
  recreated: readonly Region[],
  dropped: readonly Region[],
): Promise<void> {
  await writeClock(db, { frozenAt: clock.frozen_at, offset: clock.offset });
  for (const { id } of recreated) await changeListed(db, id, 'adding', 'open');
  for (const { id } of dropped) await changeListed(db, id, 'open', 'dropping');
  await bumpAuthRevision(db);
  await bumpSharedRevision(db, 'faults.revision');
}

/**
 * Restores the databases of regions. It acquires the locks of services that serialize their writes,
 * so that it waits for running ones.
 * @throws ApiError that names the regions that have not been restored
 */
async function fillEach(cloud: Cloud, regions: readonly Region[], source: Source): Promise<void> {
  const locks = [
    ...new Set(
      cloud.services.flatMap(({ definition }) =>
        definition.database === 'region' ? (definition.lock ?? []) : [],
      ),
    ),
  ].sort();
  for (const [index, { name, database }] of regions.entries()) {
    try {
      await transact(database.db, async (db) => {
        for (const lock of locks) await acquireLock(db, lock);
        await fill(database, db, source, name, cloud.central.db);
      });
    } catch (error) {
      const cause = asApiError(error);
      if (!(cause instanceof ApiError)) throw error;
      const missing = regions
        .slice(index)
        .map((region) => region.name)
        .join(', ');
      throw new ApiError(
        cause.status,
        isDiskFull(error)
          ? `Restore incomplete: ${missing} could not be written (disk full). Free some ` +
              'space, then restore the snapshot again.'
          : `Restore incomplete: ${missing} could not be written. ${cause.message} Then ` +
              'restore the snapshot again.',
        cause,
      );
    }
  }
}
