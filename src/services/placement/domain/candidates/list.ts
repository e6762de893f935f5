// Allocation candidates as other services of the region list them: with names, and without a version or a reply.
import { Fault } from '../../../../kernel/fault.ts';
import { classTable, namesOf } from '../../store/names.ts';
import { capacityOf } from '../inventories.ts';
import type { Amounts, Candidate, CandidateRequest, TreeNode } from '../records.ts';
import { resolveRequest } from './resolve.ts';
import { search } from './search.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The candidates of a request, in the order of the providers; none where it names classes or traits that do not exist. */
export async function listCandidates(db: Db, request: CandidateRequest): Promise<Candidate[]> {
  const resolved = await resolveRequest(db, request).catch((error: unknown) => {
    if (error instanceof Fault && error.status === 400) return undefined;
    throw error;
  });
  if (!resolved) return [];
  const { candidates, trees } = await search(db, resolved, { nested: true, showTraits: false });
  const ids = [...trees.values()].flatMap(({ nodes }) =>
    nodes.flatMap(({ inventories }) => inventories.map(({ classId }) => classId)),
  );
  const names = await namesOf(db, classTable, ids);
  return candidates.map(({ resources }) => {
    const allocations = new Map<string, Amounts>();
    for (const { node, classId, amount } of resources)
      allocations.set(node.uuid, { ...allocations.get(node.uuid), [names.get(classId)!]: amount });
    const { root } = trees.get(resources[0]!.node.rootId)!;
    return { root: root.uuid, allocations, free: freeOf(root, names) };
  });
}

const freeOf = ({ inventories }: TreeNode, names: ReadonlyMap<number, string>): Amounts =>
  Object.fromEntries(inventories.map((inventory) => [names.get(inventory.classId)!, capacityOf(inventory) - inventory.used]));
