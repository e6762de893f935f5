// Adding, forking, closing and dropping regions while the cloud runs, in all of its processes.
import { emulatedNow, pause } from '../../kernel/clock.ts';
import { copyRows } from './copy.ts';
import { isDuplicate } from '../../kernel/db/errors.ts';
import { dropDatabase, openDatabase } from '../../kernel/db/open.ts';
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

/**
 * Opens a region while the cloud runs: its database is made or brought up to date, and central
 * services learn of it. It gets what a new region has, or all that the region `from` holds.
 * @throws 400, 409
 */
export function openRegion(
  cloud: Cloud,
  name: string,
  { from }: { from?: Region | undefined } = {},
): Promise<Region> {
  return serializeRegionChanges(cloud, async () => {
    refuseName(cloud, name);
    const isCentral = name === cloud.config.centralRegion && !centralRegionOf(cloud);
    if (from && (from.isCentral || isCentral))
      throw badRequest('A central region is no copy of another, and has none.');
    const id = await reserveName(cloud, name, isCentral);
    const made: Region[] = [];
    try {
      const database = await openDatabase(
        cloud.config.database,
        name,
        cloud.regionMigrations,
        poolsOf(cloud.config),
      );
      const region = regionWith(database, { id, isCentral });
      made.push(region);
      await fill(cloud, region, from);
      await announce(cloud, region);
      (cloud.regions as Map<string, Region>).set(name, region);
      return region;
    } catch (error) {
      for (const { database } of made) await database.db.destroy();
      if (from) await dropDatabase(cloud.config.database, name);
      await transact(cloud.central.db, (db) => deleteListed(db, id));
      throw error;
    } finally {
      cloud.sharedState.invalidate();
    }
  });
}

function refuseName({ services, regions }: Cloud, name: string): void {
  const prefixes = services.map(({ definition }) => definition.prefix);
  const why = badRegionName(name) ?? clashWithService(prefixes, name);
  if (why !== undefined) throw badRequest(why);
  if ([...regions.keys()].some((known) => known.toLowerCase() === name.toLowerCase()))
    throw nameTaken(name);
}

export const nameTaken = (name: string) => conflict(`There is a region '${name}' already.`);

/** Writes the name down first, so that of several processes one adds the region. */
async function reserveName({ central }: Cloud, name: string, isCentral: boolean): Promise<number> {
  try {
    return await transact(central.db, (db) =>
      insertListed(db, { name, isCentral, state: 'adding' }),
    );
  } catch (error) {
    throw isDuplicate(error) ? nameTaken(name) : error;
  }
}

/** Fills a region that is not served yet: with a copy of another, or with what a new one has. */
async function fill(cloud: Cloud, region: Region, from: Region | undefined): Promise<void> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  if (!from) return seedRegions(cloud, now, [region]);
  await copyRows(from.database, region.database);
  await transact(region.database.db, async (db, attempt) => {
    const context = systemContext(cloud, region, db, now, attempt);
    for (const { definition } of cloud.services)
      if (definition.database === 'region') await definition.regionForked?.(context, from);
  });
}

/** Central services learn of the region, and other processes do. */
async function announce(cloud: Cloud, region: Region): Promise<void> {
  await inCentralOf(cloud, async (context) => {
    if (!(await changeListed(context.db, region.id, 'adding', 'open')))
      throw conflict(`${region.name} was dropped meanwhile.`);
    for (const { definition } of cloud.services) await definition.regionOpened?.(context, region);
  });
}

async function inCentralOf(cloud: Cloud, run: (context: Context) => Promise<void>): Promise<void> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  await transact(cloud.central.db, (db, attempt) =>
    run(systemContext(cloud, cloud.firstRegion, db, now, attempt)),
  );
}

/**
 * Closes a region while the cloud runs; `drop` removes its database too.
 * @throws 400 for the first region, which the unprefixed paths lead to
 */
export function closeRegion(cloud: Cloud, region: Region, { drop = false } = {}): Promise<void> {
  return serializeRegionChanges(cloud, async () => {
    if (region === cloud.firstRegion)
      throw badRequest(`${region.name} is the first region, and cannot be closed.`);
    if (cloud.regions.get(region.name) !== region)
      throw notFound(`There is no region '${region.name}'.`);
    (cloud.regions as Map<string, Region>).delete(region.name);
    await inCentralOf(cloud, async (context) => {
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

/** Removes the database of a region that is no longer served, and its line in the list. */
export async function dropListed(
  cloud: Pick<Cloud, 'config' | 'central'>,
  { id, name }: Pick<Region, 'id' | 'name'>,
): Promise<void> {
  // Other processes go on serving it for so long.
  if (cloud.central.kind === 'mysql') await pause(sharedStateMaxAge + 1);
  await dropDatabase(cloud.config.database, name);
  await transact(cloud.central.db, (db) => deleteListed(db, id));
}

/**
 * Drops what a process that ended has left of a region half added or half dropped; whether there is
 * such a region.
 */
export async function dropUnfinished(cloud: Cloud, name: string): Promise<boolean> {
  const half = (await listedRegions(cloud.central.db)).find(
    (listed) => listed.name === name && listed.state !== 'open',
  );
  if (half) await dropListed(cloud, half);
  return half !== undefined;
}
