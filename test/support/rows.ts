// How many rows there are, for tests that nothing was written.
import { emulatedNow } from '../../src/kernel/clock.ts';
import { tableNames } from '../../src/kernel/db/state.ts';
import { runDueJobs } from '../../src/kernel/jobs/due-jobs.ts';
import type { Cloud, Service } from '../../src/kernel/model.ts';

/** Does what is due: the request that would do it next is not the one that wrote. */
async function settleAll(cloud: Cloud): Promise<void> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  for (const region of cloud.regions.values()) {
    region.jobs.wake();
    await runDueJobs(cloud, region, now);
  }
}

/**
 * Counts the rows of all tables but the emulator's own, with one query for each database; of all
 * databases, or of those of a service.
 */
export async function rowCounter(
  cloud: Cloud,
  service?: Service,
): Promise<() => Promise<Record<string, number>>> {
  const regions = [...cloud.regions.values()].map((region) => region.database);
  const home = service?.definition.database;
  const databases =
    home === 'central'
      ? [cloud.central]
      : home === 'region'
        ? regions
        : [cloud.central, ...regions];
  const queries = await Promise.all(
    databases.map(async (database) => {
      const names = (await tableNames(database)).filter((name) => !name.startsWith('cumulet_'));
      return {
        database,
        sql: names
          .map((name) => `SELECT '${name}' AS name, COUNT(*) AS total FROM ${name}`)
          .join(' UNION ALL '),
      };
    }),
  );
  return async () => {
    await settleAll(cloud);
    const counts: Record<string, number> = {};
    const open = [cloud.central, ...[...cloud.regions.values()].map((region) => region.database)];
    for (const { database, sql } of queries) {
      if (!open.includes(database)) continue; // the region was dropped meanwhile
      const found = (await database.db.raw(sql)) as
        { name: string; total: number }[] | [{ name: string; total: number }[]];
      const rows = (database.kind === 'mysql' ? found[0] : found) as {
        name: string;
        total: number;
      }[];
      for (const { name, total } of rows) counts[`${database.name}.${name}`] = Number(total);
    }
    return counts;
  };
}
