// Rehearses the failure of hosts in a transaction that is rolled back.
import { notFound } from '../../kernel/errors.ts';
import type { Call, Context, Region } from '../../kernel/model.ts';
import { dryRun } from '../explain/dry-run.ts';
import type { Displaced, FailureDomain, FailureKind } from './model.ts';

/** Lists the hosts, zones or aggregates that may fail. */
export async function failureDomains(
  context: Context,
  kind: FailureKind,
): Promise<readonly FailureDomain[]> {
  const domains: FailureDomain[] = [];
  for (const { definition } of context.cloud.services)
    domains.push(...((await definition.failureDomains?.(context, kind)) ?? []));
  return domains;
}

/**
 * Lets the hosts of a domain fail, and reports what finds a place on the others.
 * @throws 404 if there is no such domain
 */
export function rehearseFailure(
  call: Pick<Call, 'cloud' | 'now'>,
  region: Region,
  { kind, name }: Pick<FailureDomain, 'kind' | 'name'>,
): Promise<{ readonly domain: FailureDomain; readonly displaced: readonly Displaced[] }> {
  return dryRun(call, region, async (context, explanations) => {
    const domains = await failureDomains(context, kind);
    const domain = domains.find((one) => one.name === name);
    if (!domain) throw notFound(`There is no ${kind} '${name}' in ${region.name}.`);
    const displaced: Displaced[] = [];
    // Services come after those that they use. Reservations move first, so that servers of a
    // reservation can follow to its new hosts.
    for (const { definition } of call.cloud.services.toReversed()) {
      const part = await definition.rehearseFailure?.(context, domain.hosts, explanations);
      if (part) displaced.unshift(part);
    }
    return { domain, displaced };
  });
}
