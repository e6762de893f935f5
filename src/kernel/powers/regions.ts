// Regions that come and go while the cloud runs.
import { emulatedNow, type Micros } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { dropDatabase, openDatabase } from '../db/open.ts';
import { takeTurn, transact } from '../db/transaction.ts';
import { badRequest, conflict } from '../fault.ts';
import type { Card, Cloud, Region } from '../model.ts';
import { poolsOf } from '../settings.ts';
import { systemWork } from '../work.ts';

/** A region on its database, which has not been looked at for due jobs yet. */
export const regionOn = (database: Database): Region => ({ name: database.name, database, due: { lookAt: -Infinity } });

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

/**
 * Opens a region while the cloud runs: its database is made or brought up to date, its services get what a new region has, and
 * central services learn of it. Other processes of the cloud do not. @throws 400, 409
 */
export async function openRegion(cloud: Cloud, name: string): Promise<Region> {
  const prefixes = cloud.services.map(({ card }) => card.prefix);
  const why = badRegionName(name) ?? clashWithService(prefixes, name);
  if (why !== undefined) throw badRequest(why);
  if ([...cloud.regions.keys()].some((known) => known.toLowerCase() === name.toLowerCase()))
    throw conflict(`There is a region '${name}' already.`);
  const region = regionOn(await openDatabase(cloud.config.database, name, cloud.regionMigrations, poolsOf(cloud.config)));
  const regions = cloud.regions as Map<string, Region>;
  regions.set(name, region);
  try {
    await seedCloud(cloud, emulatedNow((await cloud.shared.look()).clock), [region]);
  } catch (error) {
    regions.delete(name);
    await region.database.db.destroy();
    throw error;
  }
  return region;
}

/** Closes a region while the cloud runs; `drop` removes its database too. @throws 400 for the first region, which the unprefixed paths lead to */
export async function closeRegion(cloud: Cloud, region: Region, { drop = false } = {}): Promise<void> {
  if (region === cloud.firstRegion) throw badRequest(`${region.name} is the first region, and cannot be closed.`);
  (cloud.regions as Map<string, Region>).delete(region.name);
  const now = emulatedNow((await cloud.shared.look()).clock);
  await transact(cloud.central.db, async (db, attempt) => {
    const work = systemWork(cloud, cloud.firstRegion, db, now, attempt);
    for (const { card } of cloud.services) await card.regionClosed?.(work, region.name);
  });
  cloud.shared.forget();
  await region.due.going?.catch(() => {});
  await region.database.db.destroy();
  if (drop) await dropDatabase(cloud.config.database, region.name);
}

/** Gives the services of the cloud, and of these regions, what they start with, where it is not there yet. */
export async function seedCloud(cloud: Cloud, now: Micros, regions: readonly Region[]): Promise<void> {
  const cards = cloud.services.flatMap(({ card }) => (card.seed ? [card] : []));
  for (const card of cards.filter(({ home }) => home === 'central'))
    await seed(cloud, card, cloud.firstRegion, cloud.central, now);
  for (const region of regions)
    for (const card of cards.filter(({ home }) => home === 'region')) await seed(cloud, card, region, region.database, now);
  cloud.shared.forget();
}

/** Of several processes that start together one seeds, and the others find it done. */
const seed = (cloud: Cloud, card: Card, region: Region, { db }: Database, now: Micros): Promise<void> =>
  transact(db, async (trx, attempt) => {
    await takeTurn(trx, 'seed');
    await card.seed?.(systemWork(cloud, region, trx, now, attempt));
  });

/** The region of that name, or the first where none is named. @throws 400 */
export function regionNamed(cloud: Cloud, name: string | undefined): Region {
  const region = name === undefined ? cloud.firstRegion : cloud.regions.get(name);
  if (!region) throw badRequest(`There is no region '${name}'. Regions: ${[...cloud.regions.keys()].join(', ')}.`);
  return region;
}
