// Counts rows, for tests that check that a request has written nothing.
import { emulatedNow } from '../../src/kernel/clock.ts';
import { tableNames } from '../../src/kernel/db/state.ts';
import { runDueJobs } from '../../src/kernel/jobs/due-jobs.ts';
import type { Cloud, Service } from '../../src/kernel/model.ts';

/** Runs all due jobs, so that their writes are not attributed to the next request. */
async function runAllDueJobs(cloud: Cloud): Promise<void> {
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  for (const region of cloud.regions.values()) {
    region.jobs.wake();
    await runDueJobs(cloud, region, now);
  }
}

/**
 * Returns a function that counts the rows of every table except the emulator's own, with one query
 * for each database. With a service, it counts only the databases that the service uses.
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
      const names = (await tableNames(database)).filter(
        (name) => !/^(?:cumulet_|journal_|explanations$)/.test(name),
      );
      return {
        database,
        sql: names
          .map((name) => `SELECT '${name}' AS name, COUNT(*) AS total FROM ${name}`)
          .join(' UNION ALL '),
      };
    }),
  );
  return async () => {
    await runAllDueJobs(cloud);
    const counts: Record<string, number> = {};
    const open = [cloud.central, ...[...cloud.regions.values()].map((region) => region.database)];
    for (const { database, sql } of queries) {
      if (!open.includes(database)) continue; // the region has been dropped in the meantime
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
