// Permanently removes the records of deleted resources and finished actions.
import type { Micros } from '../../kernel/clock.ts';
import { inRegionTransaction, systemContext } from '../../kernel/context.ts';
import type { Cloud, Region } from '../../kernel/model.ts';

/**
 * Removes the records of everything that was deleted or finished before a time, in one region or in
 * all. Each service's `purge` hook decides what that means.
 * @returns how many records each service removed
 */
export async function purgeCloud(
  cloud: Cloud,
  now: Micros,
  before: Micros,
  only?: Region,
): Promise<Readonly<Record<string, number>>> {
  const purged: Record<string, number> = {};
  for (const region of only ? [only] : cloud.regions.values()) {
    for (const { definition } of cloud.services) {
      const { purge, name } = definition;
      if (!purge) continue;
      const context = systemContext(cloud, region, region.database.db, now);
      const count = await inRegionTransaction(context, region, (inner) => purge(inner, before));
      purged[name] = (purged[name] ?? 0) + count;
    }
  }
  return purged;
}
