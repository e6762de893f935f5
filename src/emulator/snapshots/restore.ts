// Restores a cloud to a stored state, including the regions that it had: completely or not at all.
//
// Each database is filled in a transaction of its own: first those of regions that have to be
// recreated, which no request uses yet; then the other regions, and last the central database. All
// of these transactions stay open until all databases are filled, so an error before leaves the
// cloud as it was. The central database commits first. It then has the list of regions, and a note
// that the other regions have to follow. If the process is killed between two commits, or a disk is
// full, the next start fills the regions of the note again, from the same snapshot.
//
// Caches stay valid, because a restore moves every revision forward: cached tokens, callers and
// signing keys follow the auth revision (services/identity/authenticator.ts), and fault rules and
// regions follow theirs. The clock and the revisions themselves are invalidated here, and refreshed
// by other processes within `sharedStateMaxAge`, as are the times of the next due jobs. Nothing
// else is cached; Knex's prepared statements refer to tables, not to rows.
import { refuseRestoredDefaultPassword } from '../../kernel/auth/default-password.ts';
import { pause } from '../../kernel/clock.ts';
import type { Database, Db } from '../../kernel/db/database.ts';
import { requireSpaceToCommit, shrinkLog } from '../../kernel/db/disk-space.ts';
import { asApiError } from '../../kernel/db/errors.ts';
import { dropDatabase, openDatabase } from '../../kernel/db/open.ts';
import {
  changeListed,
  deleteListed,
  insertListed,
  listedRegions,
} from '../../kernel/db/region-list.ts';
import { bumpSharedRevisions, sharedStateMaxAge } from '../../kernel/db/state.ts';
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
import type { Header, RegionHead, Snapshot } from './model.ts';
import { headerIn, sourceOf } from './parts.ts';
import { replaceContents, snapshotTables } from './store/contents.ts';
import { clearPending, readPending, writePending } from './store/pending.ts';
import { deleteUnnamed, snapshotWithId } from './store/snapshots.ts';

/**
 * Restores the cloud from a snapshot with the current schema. Must run within `exclusively`
 * (take.ts). Requests to this process wait. Those of other processes take effect before or after
 * the restore of each database. Claimed jobs are released.
 * @throws 409 if the first or central region differs, or if users would have the default password
 *   in a cloud that others reach; 507 if the disk is full
 */
export async function restoreCloud(cloud: Cloud, snapshot: Snapshot): Promise<void> {
  checkRegions(cloud, headerIn(snapshot));
  const dropped = await whileQuiesced(cloud, () => replaceState(cloud, snapshot));
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

/**
 * Completes a restore that was interrupted after the central database had been committed. Must run
 * within `exclusively`.
 * @throws ApiError if the regions cannot be written either
 */
export async function completeRestore(cloud: Cloud): Promise<void> {
  if (await readPending(cloud.central.db)) await whileQuiesced(cloud, () => fillPending(cloud));
}

/** @returns the regions that are no longer served, whose databases the caller must drop */
async function replaceState(cloud: Cloud, snapshot: Snapshot): Promise<Region[]> {
  const { central } = cloud;
  const { id } = snapshot;
  const header = headerIn(snapshot);
  const { regions: restored } = header;
  const dropped = [...cloud.regions.values()].filter(
    ({ name }) => !restored.some((one) => one.name === name),
  );
  const kept = [...cloud.regions.values()].filter((region) => !dropped.includes(region));
  const recreated: Region[] = [];
  const commitCentral = (): Promise<void> =>
    transact(central.db, async (db) => {
      await acquireCentralLock(db);
      await fill(cloud, central, db, snapshot);
      await refuseRestoredDefaultPassword(cloud, db);
      await switchRegions(db, header, recreated, dropped);
      await writePending(db, { snapshot: id, regions: kept.map(({ name }) => name) });
      requireSpaceToCommit(cloud.config.database, kept.length + 1);
    });
  // A log with committed pages could not shrink on a full disk.
  if (cloud.config.database.kind === 'sqlite')
    for (const database of [central, ...kept.map((region) => region.database)])
      await shrinkLog(database);
  let isComplete = false;
  try {
    for (const one of restored)
      if (!cloud.regions.has(one.name)) await recreate(cloud, one, snapshot, recreated);
    await fillAll(cloud, kept, snapshot, commitCentral);
    isComplete = true;
  } catch (error) {
    if ((await readPending(central.db))?.snapshot !== id) {
      for (const region of recreated) await discard(cloud, region);
      for (const { database } of kept) await shrinkLog(database);
      throw unchanged(error);
    }
  }
  const regions = cloud.regions as Map<string, Region>;
  for (const { name } of dropped) regions.delete(name);
  for (const region of recreated) regions.set(region.name, region);
  cloud.sharedState.invalidate();
  if (isComplete) await clearPending(central.db);
  else await fillPending(cloud);
  // Until then, other processes may still use the shared values that they have cached.
  if (central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  return dropped;
}

/** The error of a restore that has changed nothing. */
export function unchanged(error: unknown): unknown {
  const cause = asApiError(error);
  if (!(cause instanceof ApiError) || cause.status !== 507) return cause;
  return new ApiError(
    507,
    'The disk is too full for this state. Nothing was changed. Free some space, then try again.',
    cause,
  );
}

/**
 * Recreates the database of a region that has been dropped, with its contents. No process serves it
 * until its state in the list is `open`.
 * @throws 409
 */
async function recreate(
  cloud: Cloud,
  { name, central: isCentral }: RegionHead,
  snapshot: Snapshot,
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
    await transact(region.database.db, (db) => fill(cloud, region.database, db, snapshot));
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
 * Up to which size of a snapshot in bytes the databases keep images of it. They are uncompressed,
 * and a snapshot of this size may be ten times as large then.
 */
const maxImageSize = 8 * 1024 * 1024;

/**
 * Replaces the contents of a database, releases the jobs that were claimed in the snapshot, and
 * discards the messages of its outbox. A snapshot that may be restored again leaves an image.
 */
async function fill(
  { central, images }: Cloud,
  database: Database,
  db: Db,
  snapshot: Snapshot,
): Promise<void> {
  const isCentral = database === central;
  const key = `snapshot ${snapshot.id} of ${snapshot.createdAt}`;
  if (!(await images.restore(database, db, key))) {
    const name = isCentral ? centralName : database.name;
    const contents = sourceOf(snapshot).contents(name, isCentral ? db : central.db);
    await replaceContents(database, db, contents);
    const isKept = snapshot.name !== null || snapshot.digest !== null;
    if (isKept && snapshot.size <= maxImageSize) {
      const tables = (await snapshotTables(database, db)).map((table) => table.name);
      await images.take(database, db, { key, tables });
    }
  }
  await releaseClaims(db);
  if (!isCentral) await discardPending(db);
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
  await bumpSharedRevisions(db, 'auth.revision', 'faults.revision');
}

/**
 * Fills the databases of regions, and commits them after `commitCentral`: the transactions are
 * nested in each other. They acquire the locks of services that serialize their writes, so that
 * they wait for running ones.
 */
async function fillAll(
  cloud: Cloud,
  regions: readonly Region[],
  snapshot: Snapshot,
  commitCentral: () => Promise<void>,
): Promise<void> {
  const [region, ...others] = regions;
  if (!region) return commitCentral();
  const { database } = region;
  await transact(database.db, async (db) => {
    for (const lock of locksOf(cloud)) await acquireLock(db, lock);
    await fill(cloud, database, db, snapshot);
    try {
      await fillAll(cloud, others, snapshot, commitCentral);
    } catch (error) {
      throw asApiError(error); // it has been retried already
    }
  });
}

const locksOf = ({ services }: Cloud): string[] => {
  const locks = services.flatMap(({ definition }) =>
    definition.database === 'region' ? (definition.lock ?? []) : [],
  );
  return [...new Set(locks)].sort();
};

/**
 * Fills the regions of the pending restore again, and ends it.
 * @throws ApiError that names the regions
 */
async function fillPending(cloud: Cloud): Promise<void> {
  const { db } = cloud.central;
  const pending = await readPending(db);
  const snapshot = pending && (await snapshotWithId(db, pending.snapshot));
  const regions = snapshot ? pending.regions.flatMap((name) => cloud.regions.get(name) ?? []) : [];
  for (const [index, region] of regions.entries()) {
    try {
      await fillAll(cloud, [region], snapshot!, () => Promise.resolve());
    } catch (error) {
      throw incomplete(regions.slice(index), error);
    }
  }
  await transact(db, async (trx) => {
    await clearPending(trx);
    if (snapshot) await deleteUnnamed(trx, snapshot.id);
  });
}

function incomplete(regions: readonly Region[], error: unknown): unknown {
  const cause = asApiError(error);
  if (!(cause instanceof ApiError)) return error;
  const names = regions.map(({ name }) => name).join(', ');
  const why = cause.status === 507 ? ' (disk full). Free some space' : `: ${cause.message} Wait`;
  return new ApiError(
    cause.status,
    `Restore incomplete: ${names} could not be written${why}, then restore again, or start the ` +
      'emulator again, which completes the restore.',
    cause,
  );
}
