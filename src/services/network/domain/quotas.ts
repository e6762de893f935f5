// How much a project may have, and seeing to it that it has no more.
import { countOf, quotasOf, takeTurnAfter, turnOf } from '../store/quotas.ts';
import type { Work } from './actor.ts';
import { inConflict } from './refusals.ts';

/** What is counted, with what a project may have of it, and where it is kept. Upstream: neutron/conf/quota.py. */
export const counted: Readonly<Record<string, { readonly usual: number; readonly table: string }>> = {
  network: { usual: 100, table: 'network_networks' },
  subnet: { usual: 100, table: 'network_subnets' },
  subnetpool: { usual: -1, table: 'network_subnetpools' },
  port: { usual: 500, table: 'network_ports' },
  router: { usual: 10, table: 'network_routers' },
  floatingip: { usual: 50, table: 'network_floatingips' },
  security_group: { usual: 10, table: 'network_security_groups' },
  security_group_rule: { usual: 100, table: 'network_security_group_rules' },
};

export const usualQuotas = (): Record<string, number> =>
  Object.fromEntries(Object.entries(counted).map(([name, { usual }]) => [name, usual]));

/** What a project may have, by resource. */
export async function quotaOf(db: Work['db'], projectId: string): Promise<Record<string, number>> {
  return { ...usualQuotas(), ...Object.fromEntries(await quotasOf(db, projectId)) };
}

/**
 * How near to its quota a project must be before its writers take turns. More than so many never write at the same time, so that
 * further away they cannot get past it together.
 */
const near = 64;

/** @throws OverQuota where the project would have more than it may */
export async function checkQuota({ db }: Work, projectId: string, resource: string, more: number): Promise<void> {
  if (!projectId || more < 1) return;
  const limit = (await quotasOf(db, projectId)).get(resource) ?? counted[resource]!.usual;
  if (limit < 0) return;
  const turn = await turnOf(db, projectId);
  const used = await countOf(db, counted[resource]!.table, projectId);
  if (used + more > limit) throw inConflict('OverQuota', `Quota exceeded for resources: ['${resource}'].`);
  if (limit - used - more < near) await takeTurnAfter(db, projectId, turn);
}
