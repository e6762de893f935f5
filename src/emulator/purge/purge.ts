// Purging: what services keep of things that are no more, deleted for good.
import type { Micros } from '../../kernel/clock.ts';
import type { Cloud, Region } from '../../kernel/model.ts';
import { inRegionTransaction, systemContext } from '../../kernel/context.ts';

/**
 * Deletes what the services of a region, or of all regions, keep of what was deleted or done before
 * a time.
 * @returns how many things, by the name of the service
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
      purged[name] =
        (purged[name] ?? 0) +
        (await inRegionTransaction(context, region, (inner) => purge(inner, before)));
    }
  }
  return purged;
}
