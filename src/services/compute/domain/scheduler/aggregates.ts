// What the aggregates of a host say about it.
import type { HostAggregate } from '../../model.ts';

/** The aggregate of hosts that can be reserved and are in no reservation. */
const freepoolName = 'freepool';

/** Whether an aggregate has the hosts of a reservation, or those that can be reserved. */
export const isPool = ({ name, zone }: HostAggregate): boolean =>
  name === freepoolName || /^blazar[_:]/.test(zone ?? '');

/**
 * The projects that aggregates list in metadata whose names begin with `filter_tenant_id`: there
 * may be several such items, with any suffix.
 * @returns undefined if no aggregate has such an item
 */
export function tenantsOf(aggregates: readonly HostAggregate[]): ReadonlySet<string> | undefined {
  const tenants = new Set<string>();
  for (const { metadata } of aggregates)
    for (const [key, value] of Object.entries(metadata))
      if (key.startsWith('filter_tenant_id'))
        for (const tenant of value.split(',')) tenants.add(tenant.trim());
  return tenants.size ? tenants : undefined;
}
