// Allocation candidates as other services of the region list them: with names, and without a version or a reply.
import { Fault } from '../../../../kernel/fault.ts';
import { classTable, namesOf } from '../../store/names.ts';
import { capacityOf } from '../inventories.ts';
import type { Amounts, Candidate, CandidateRequest, TreeNode } from '../records.ts';
import { findCandidates } from './find.ts';
import type { CandidateConfig } from './search.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The candidates of a request, in the order of the providers; none where it names classes or traits that do not exist. */
export async function listCandidates(db: Db, request: CandidateRequest, config: CandidateConfig): Promise<Candidate[]> {
  const options = { nested: true, showTraits: false, config, steps: Infinity };
  const found = await findCandidates(db, request, options).catch((error: unknown) => {
    if (error instanceof Fault && error.status === 400) return undefined;
    throw error;
  });
  if (!found) return [];
  const { candidates, trees } = found;
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
