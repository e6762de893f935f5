// Regions that come and go while the cloud runs, in all of its processes.
import { emulatedNow, pause, type Micros } from '../../kernel/clock.ts';
import { copyRows } from './copy.ts';
import type { Database } from '../../kernel/db/database.ts';
import { isDuplicate, isDiskFull } from '../../kernel/db/errors.ts';
import { dropDatabase, openDatabase } from '../../kernel/db/open.ts';
import { deleteFaultRules } from '../fault-injection/store.ts';
import {
  changeListed,
  deleteListed,
  insertListed,
  listedRegions,
  type ListedRegion,
} from '../../kernel/db/region-list.ts';
import { sharedStateMaxAge } from '../../kernel/db/state.ts';
import { acquireLock, transact, lockExists } from '../../kernel/db/transaction.ts';
import { badRequest, conflict, notFound } from '../../kernel/errors.ts';
import type { ServiceDefinition, Cloud, Region, Context } from '../../kernel/model.ts';
import { poolsOf } from '../../kernel/settings.ts';
import { systemContext } from '../../kernel/context.ts';

/** A region on its database, which has not been looked at for due jobs yet. */
export const regionWith = (
  database: Database,
  { id, isCentral }: Pick<ListedRegion, 'id' | 'isCentral'>,
): Region => ({
  name: database.name,
  id,
  isCentral,
  database,
  jobPoll: { nextPollAt: -Infinity },
});

/** The region above the others; undefined in a cloud without one. */
export const centralRegionOf = ({ regions }: Cloud): Region | undefined =>
  [...regions.values()].find(({ isCentral }) => isCentral);

/** The names of the regions; first the one that clients go to where they are told nothing. */
export const regionNames = ({ regions, firstRegion }: Cloud): string[] => [
  ...new Set([firstRegion.name, ...[...regions.values()].map(({ name }) => name)]),
];

/** Whether a region has a service. */
export const isServedIn = (
  { database: home, regions = home === 'central' ? 'all' : 'ordinary' }: ServiceDefinition,
  region: Region,
): boolean => regions === 'all' || (regions === 'central') === region.isCentral;

/** Why a name cannot be a region's, in a sentence; undefined where it can. */
export function badRegionName(name: string): string | undefined {
  if (!/^[A-Za-z]\w{0,23}$/.test(name))
    return `'${name}' cannot be a region's name: up to 24 letters, digits and _, beginning with a letter.`;
  // Its SQLite file would be that of the central database.
  if (name.toLowerCase() === 'central')
    return "'central' cannot be a region's name: the database that all regions share is called so.";
  return undefined;
}

/** Why a service stands where the region's paths would; undefined where none does. */
export function clashWithService(prefixes: readonly string[], region: string): string | undefined {
  const clash = prefixes.find((prefix) => prefix.slice(1) === region);
  return clash && `'${region}' cannot be a region's name: a service is mounted at ${clash}.`;
}

/** Runs the changes to the regions of a process one after the other. */
export function serializeRegionChanges<T>(
  { regionCache: regionLook }: Cloud,
  run: () => Promise<T>,
): Promise<T> {
  const done = (regionLook.updating ?? Promise.resolve()).then(run, run);
  regionLook.updating = done.catch(() => {});
  return done;
}

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

/** Closes the database of a region that is no longer served. */
export async function release({ jobPoll, database }: Region): Promise<void> {
  await jobPoll.running?.catch(() => {});
  await database.db.destroy();
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

/** Opens and closes what other processes of the cloud have added and dropped. */
export const syncRegions = (cloud: Cloud): Promise<void> =>
  serializeRegionChanges(cloud, () => followRegions(cloud));

/** The same, for who has the turn. */
export async function followRegions(cloud: Cloud): Promise<void> {
  const { regionsRevision } = await cloud.sharedState.refresh();
  const open = (await listedRegions(cloud.central.db)).filter(({ state }) => state === 'open');
  const regions = cloud.regions as Map<string, Region>;
  for (const region of regions.values()) {
    if (open.some(({ id }) => id === region.id)) continue;
    regions.delete(region.name);
    await release(region);
  }
  for (const listed of open) {
    if (regions.has(listed.name)) continue;
    const database = await openDatabase(
      cloud.config.database,
      listed.name,
      cloud.regionMigrations,
      poolsOf(cloud.config),
    );
    regions.set(listed.name, regionWith(database, listed));
  }
  cloud.regionCache.revision = regionsRevision;
}

/**
 * Gives the services of the cloud, and of these regions, what they start with, where it is not
 * there yet.
 */
export async function seedCloud(
  cloud: Cloud,
  now: Micros,
  regions: readonly Region[],
): Promise<void> {
  for (const definition of definitionsWithSeed(cloud, 'central'))
    await seed(cloud, definition, cloud.firstRegion, cloud.central, now);
  await seedRegions(cloud, now, regions);
  cloud.sharedState.invalidate();
}

async function seedRegions(cloud: Cloud, now: Micros, regions: readonly Region[]): Promise<void> {
  const definitions = definitionsWithSeed(cloud, 'region');
  for (const region of regions)
    for (const definition of definitions)
      await seed(cloud, definition, region, region.database, now);
}

const definitionsWithSeed = (
  { services }: Cloud,
  home: ServiceDefinition['database'],
): ServiceDefinition[] =>
  services
    .map(({ definition }) => definition)
    .filter((definition) => definition.seed && definition.database === home);

/**
 * Of several processes that start together one seeds, and the others find it done. What has been
 * seeded before can be served where the disk is full, as far as it needs no writing.
 */
async function seed(
  cloud: Cloud,
  definition: ServiceDefinition,
  region: Region,
  { db, name }: Database,
  now: Micros,
): Promise<void> {
  const turn = `seed.${definition.name}`;
  try {
    await transact(db, async (trx, attempt) => {
      await acquireLock(trx, turn);
      await definition.seed?.(systemContext(cloud, region, trx, now, attempt));
    });
  } catch (error) {
    if (!isDiskFull(error) || !(await lockExists(db, turn))) throw error;
    cloud.log.error(
      { database: name, service: definition.name },
      'the disk is full: what is there is served, and cannot be changed',
    );
  }
}

/** The region of that name, or the first where none is named. @throws 400 */
export function regionNamed(cloud: Cloud, name: string | undefined): Region {
  const region = name === undefined ? cloud.firstRegion : cloud.regions.get(name);
  if (!region)
    throw badRequest(
      `There is no region '${name}'. Regions: ${[...cloud.regions.keys()].join(', ')}.`,
    );
  return region;
}
