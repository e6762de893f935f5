// Adds, forks, closes and drops regions while the cloud runs, in all of its processes.
import { emulatedNow, pause } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/db/database.ts';
import { isDuplicate } from '../../kernel/db/errors.ts';
import { copySqliteDatabase, dropDatabase, openDatabase } from '../../kernel/db/open.ts';
import { deleteFaultRules } from '../fault-injection/store.ts';
import {
  changeListed,
  deleteListed,
  insertListed,
  listedRegions,
} from '../../kernel/db/region-list.ts';
import { sharedStateMaxAge } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { badRequest, conflict, notFound } from '../../kernel/errors.ts';
import type { Cloud, Region, Context } from '../../kernel/model.ts';
import {
  badRegionName,
  centralRegionOf,
  clashWithService,
  regionWith,
  release,
  serializeRegionChanges,
} from '../../kernel/regions.ts';
import { seedRegions } from '../../kernel/seed.ts';
import { poolsOf } from '../../kernel/settings.ts';
import { systemContext } from '../../kernel/context.ts';
import { copyDatabase } from './store.ts';

/**
 * Opens a region while the cloud runs: creates or migrates its database, seeds it or copies the
 * region `from` into it, and announces it to the central services.
 * @throws 400, 409
 */
export function openRegion(
  cloud: Cloud,
  name: string,
  { from }: { from?: Region | undefined } = {},
): Promise<Region> {
  return serializeRegionChanges(cloud, async () => {
    checkName(cloud, name);
    const isCentral = name === cloud.config.centralRegion && !centralRegionOf(cloud);
    if (from && (from.isCentral || isCentral))
      throw badRequest('A central region can be neither a fork nor forked. Leave out from.');
    const id = await reserveName(cloud, name, isCentral);
    const opened: Region[] = [];
    try {
      const database = await createDatabase(cloud, name, from);
      const region = regionWith(database, { id, isCentral });
      opened.push(region);
      await fill(cloud, region, from);
      await announce(cloud, region);
      (cloud.regions as Map<string, Region>).set(name, region);
      return region;
    } catch (error) {
      for (const { database } of opened) await database.db.destroy();
      if (from) await dropDatabase(cloud.config.database, name);
      const isListed = await transact(cloud.central.db, (db) => deleteListed(db, id));
      throw isListed ? error : droppedMeanwhile(name);
    } finally {
      cloud.sharedState.invalidate();
    }
  });
}

/** @throws 400 for an invalid name; 409 for one that is taken */
function checkName({ services, regions }: Cloud, name: string): void {
  const prefixes = services.map(({ definition }) => definition.prefix);
  const problem = badRegionName(name) ?? clashWithService(prefixes, name);
  if (problem !== undefined) throw badRequest(problem);
  if ([...regions.keys()].some((known) => known.toLowerCase() === name.toLowerCase()))
    throw nameTaken(name);
}

export const nameTaken = (name: string) =>
  conflict(`A region '${name}' already exists. Choose another name, or drop that region first.`);

const droppedMeanwhile = (name: string) =>
  conflict(`Another request has dropped ${name} in the meantime. Add it again.`);

/** Inserts the region into the list first, so that only one of several processes can add it. */
async function reserveName({ central }: Cloud, name: string, isCentral: boolean): Promise<number> {
  try {
    return await transact(central.db, (db) =>
      insertListed(db, { name, isCentral, state: 'adding' }),
    );
  } catch (error) {
    throw isDuplicate(error) ? nameTaken(name) : error;
  }
}

/** Creates the database of a region, as a copy of another one if the region is a fork. */
async function createDatabase(
  { config, regionMigrations }: Cloud,
  name: string,
  from: Region | undefined,
): Promise<Database> {
  const at = config.database;
  if (from && at.kind !== 'mysql') return copySqliteDatabase(at, name, from.database);
  const database = await openDatabase(at, name, from ? [] : regionMigrations, poolsOf(config));
  if (from) await copyDatabase(from.database, database);
  return database;
}

/** Fills a new region with the seed, or changes what must be unique in a fork. */
async function fill(cloud: Cloud, region: Region, from: Region | undefined): Promise<void> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  if (!from) return seedRegions(cloud, now, [region]);
  await transact(region.database.db, async (db, attempt) => {
    const context = systemContext(cloud, region, db, now, attempt);
    for (const { definition } of cloud.services)
      if (definition.database === 'region') await definition.regionForked?.(context, from);
  });
}

/** Announces the region to the central services, and marks it as open for other processes. */
async function announce(cloud: Cloud, region: Region): Promise<void> {
  await inCentralTransaction(cloud, async (context) => {
    if (!(await changeListed(context.db, region.id, 'adding', 'open')))
      throw droppedMeanwhile(region.name);
    for (const { definition } of cloud.services) await definition.regionOpened?.(context, region);
  });
}

/** Runs a function in a transaction on the central database. */
async function inCentralTransaction(
  cloud: Cloud,
  run: (context: Context) => Promise<void>,
): Promise<void> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  await transact(cloud.central.db, (db, attempt) =>
    run(systemContext(cloud, cloud.firstRegion, db, now, attempt)),
  );
}

/**
 * Closes a region while the cloud runs. With `drop`, its database is deleted too.
 * @throws 400 for the first region, which serves the paths without a prefix
 */
export function closeRegion(cloud: Cloud, region: Region, { drop = false } = {}): Promise<void> {
  return serializeRegionChanges(cloud, async () => {
    if (region === cloud.firstRegion)
      throw badRequest(
        `${region.name} is the first region, which cannot be dropped: it serves the paths ` +
          'without a prefix.',
      );
    if (cloud.regions.get(region.name) !== region)
      throw notFound(`There is no region '${region.name}'.`);
    (cloud.regions as Map<string, Region>).delete(region.name);
    await inCentralTransaction(cloud, async (context) => {
      if (drop) await changeListed(context.db, region.id, 'open', 'dropping');
      else await deleteListed(context.db, region.id);
      await deleteFaultRules(context.db, ({ match }) => match.region === region.name);
      for (const { definition } of cloud.services)
        await definition.regionClosed?.(context, region.name);
    });
    cloud.sharedState.invalidate();
    await release(region);
    if (drop) await dropListed(cloud, region);
  });
}

/** Deletes the database of a region that is no longer served, and removes it from the list. */
export async function dropListed(
  cloud: Pick<Cloud, 'config' | 'central'>,
  { id, name }: Pick<Region, 'id' | 'name'>,
): Promise<void> {
  // Until then, other processes may still serve it.
  if (cloud.central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  await dropDatabase(cloud.config.database, name);
  await transact(cloud.central.db, (db) => deleteListed(db, id));
}

/**
 * Drops a region that a crashed process has left half added or half dropped.
 * @returns whether there was one
 */
export async function dropUnfinished(cloud: Cloud, name: string): Promise<boolean> {
  const unfinished = (await listedRegions(cloud.central.db)).find(
    (listed) => listed.name === name && listed.state !== 'open',
  );
  if (unfinished) await dropListed(cloud, unfinished);
  return unfinished !== undefined;
}
