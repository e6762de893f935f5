// Asks the services of regions what is inconsistent in their data.
import type { Micros } from '../../kernel/clock.ts';
import { systemContext } from '../../kernel/context.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { Cloud, Region } from '../../kernel/model.ts';
import { isServedIn } from '../../kernel/regions.ts';
import type { Inconsistency } from './model.ts';

/** An inconsistency, with the region and the service that it was found in. */
export interface Finding extends Inconsistency {
  readonly region: string;
  readonly service: string;
}

/** What an audit has examined and found. */
export interface AuditReport {
  readonly examined: Readonly<Record<string, number>>;
  readonly inconsistencies: readonly Finding[];
}

/**
 * Audits one region, or all of them. The services of a region read in one transaction, so that they
 * see the same state.
 */
export async function auditCloud(
  cloud: Cloud,
  now: Micros,
  only: Region | undefined,
): Promise<AuditReport> {
  const examined: Record<string, number> = {};
  const inconsistencies: Finding[] = [];
  for (const region of only ? [only] : cloud.regions.values())
    await transact(region.database.db, async (db, attempt) => {
      const context = systemContext(cloud, region, db, now, attempt);
      for (const { definition } of cloud.services) {
        if (!definition.audit || !isServedIn(definition, region)) continue;
        const audited = await definition.audit(context);
        for (const [noun, count] of Object.entries(audited.examined))
          examined[noun] = (examined[noun] ?? 0) + count;
        for (const one of audited.inconsistencies)
          inconsistencies.push({ region: region.name, service: definition.name, ...one });
      }
    });
  return { examined, inconsistencies };
}
