// Finds the providers that serve request groups, from allocations that exist already. Upstream:
// map_requested_resources_to_providers in nova/objects/request_spec.py.
import type { Db } from '../../../kernel/db/database.ts';
import type { Allocations, RequestGroup } from '../model.ts';
import { idsOf, traitTable } from '../store/names.ts';
import { findProviders } from '../store/resource-providers.ts';
import { traitIdsOfProviders } from '../store/traits.ts';

/**
 * Finds the provider of each group with a suffix, by suffix: one of the tree that has the traits of
 * the group, and from which the allocations take its amounts in addition to those of the groups
 * before it. A group that no provider serves is left out.
 * @param root the UUID of the root of the tree
 */
export async function providersOfGroups(
  db: Db,
  root: string,
  allocations: Allocations,
  groups: readonly RequestGroup[],
): Promise<ReadonlyMap<string, string>> {
  const named = [...new Set(groups.flatMap(({ traits }) => traits.required.flat()))];
  const traitIds = await idsOf(db, traitTable, named);
  const providers = [...(await findProviders(db, [...allocations.keys()])).values()].filter(
    ({ rootUuid }) => rootUuid === root,
  );
  const traits = await traitIdsOfProviders(
    db,
    providers.map(({ id }) => id),
  );
  const left = new Map(providers.map(({ uuid }) => [uuid, { ...allocations.get(uuid) }]));
  const found = new Map<string, string>();
  for (const { suffix, resources, traits: wanted } of groups) {
    const serving = providers.find(({ id, uuid }) => {
      const own = traits.get(id) ?? [];
      return (
        wanted.required.every((any) =>
          any.some((name) => own.includes(traitIds.get(name) ?? -1)),
        ) && [...resources].every(([name, amount]) => (left.get(uuid)![name] ?? 0) >= amount)
      );
    });
    if (!serving) continue;
    const amounts = left.get(serving.uuid)!;
    for (const [name, amount] of resources) amounts[name] = amounts[name]! - amount;
    found.set(suffix, serving.uuid);
  }
  return found;
}
