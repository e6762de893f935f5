// The regions of a cloud: finding them, naming them, and following the list that all processes of
// the cloud share.
import type { Database } from './db/database.ts';
import { openDatabase } from './db/open.ts';
import { listedRegions, type ListedRegion } from './db/region-list.ts';
import { badRequest } from './errors.ts';
import { DatabaseOutboxSender } from './jobs/outbox-sender.ts';
import { DatabaseJobRunner } from './jobs/runner.ts';
import type { Cloud, Region, ServiceDefinition } from './model.ts';
import { poolsOf } from './settings.ts';

/** A region on its open database. Nothing is known yet about its due jobs. */
export const regionWith = (
  database: Database,
  { id, isCentral }: Pick<ListedRegion, 'id' | 'isCentral'>,
): Region => ({
  name: database.name,
  id,
  isCentral,
  database,
  jobs: new DatabaseJobRunner(database),
  outbox: new DatabaseOutboxSender(database),
});

/** Tricircle's central region; undefined in a cloud without one. */
export const centralRegionOf = ({ regions }: Cloud): Region | undefined =>
  [...regions.values()].find(({ isCentral }) => isCentral);

/** The names of all regions, beginning with the default region of clients. */
export const regionNames = ({ regions, firstRegion }: Cloud): string[] => [
  ...new Set([firstRegion.name, ...[...regions.values()].map(({ name }) => name)]),
];

/** Whether a region offers a service. */
export const isServedIn = (
  { database, regions = database === 'central' ? 'all' : 'ordinary' }: ServiceDefinition,
  region: Region,
): boolean => regions === 'all' || (regions === 'central') === region.isCentral;

/** The region with this name, or the first region if no name is given. @throws 400 */
export function regionNamed(cloud: Cloud, name: string | undefined): Region {
  const region = name === undefined ? cloud.firstRegion : cloud.regions.get(name);
  if (!region)
    throw badRequest(
      `There is no region '${name}'. Regions: ${[...cloud.regions.keys()].join(', ')}.`,
    );
  return region;
}

/** The reason why a name is not valid for a region, as a sentence; undefined if it is valid. */
export function badRegionName(name: string): string | undefined {
  if (!/^[A-Za-z]\w{0,23}$/.test(name))
    return (
      `'${name}' cannot be a region's name: up to 24 letters, digits and _, beginning with a ` +
      'letter.'
    );
  // The region's SQLite file would overwrite the central database.
  if (name.toLowerCase() === 'central')
    return "'central' cannot be a region's name: the database that all regions share is called so.";
  return undefined;
}

/** The reason why a service's path hides the region's paths; undefined if none does. */
export function clashWithService(prefixes: readonly string[], region: string): string | undefined {
  const clash = prefixes.find((prefix) => prefix.slice(1) === region);
  return clash && `'${region}' cannot be a region's name: a service is mounted at ${clash}.`;
}

/** Runs the region changes of this process one at a time. */
export function serializeRegionChanges<T>(
  { regionCache }: Cloud,
  run: () => Promise<T>,
): Promise<T> {
  const done = (regionCache.updating ?? Promise.resolve()).then(run, run);
  regionCache.updating = done.catch(() => {});
  return done;
}

/** Opens and closes the regions that other processes of the cloud have added and dropped. */
export const syncRegions = (cloud: Cloud): Promise<void> =>
  serializeRegionChanges(cloud, () => followRegions(cloud));

/** Does the same inside `serializeRegionChanges`. */
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

/** Closes the database of a region that this process no longer serves. */
export async function release({ jobs, outbox, database }: Region): Promise<void> {
  await outbox.stop();
  await jobs.stop();
  await database.db.destroy();
}
