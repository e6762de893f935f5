// Seeding: what the services of a cloud write into empty databases.
import type { Micros } from './clock.ts';
import { systemContext } from './context.ts';
import type { Database } from './db/database.ts';
import { isDiskFull } from './db/errors.ts';
import { acquireLock, lockExists, transact } from './db/transaction.ts';
import type { Cloud, Region, ServiceDefinition } from './model.ts';

/** Seeds the central services and the services of these regions, unless they are seeded already. */
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

/** Seeds the services of these regions. */
export async function seedRegions(
  cloud: Cloud,
  now: Micros,
  regions: readonly Region[],
): Promise<void> {
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
 * Seeds one service under a lock: if several processes start at the same time, one of them seeds
 * and the others find the rows. If the disk is full, a database that was seeded before can still
 * be served, because reads need no space.
 */
async function seed(
  cloud: Cloud,
  definition: ServiceDefinition,
  region: Region,
  { db, name }: Database,
  now: Micros,
): Promise<void> {
  const lock = `seed.${definition.name}`;
  try {
    await transact(db, async (trx, attempt) => {
      await acquireLock(trx, lock);
      await definition.seed?.(systemContext(cloud, region, trx, now, attempt));
    });
  } catch (error) {
    if (!isDiskFull(error) || !(await lockExists(db, lock))) throw error;
    cloud.log.error(
      { database: name, service: definition.name },
      'the disk is full: reads work, writes will fail',
    );
  }
}
