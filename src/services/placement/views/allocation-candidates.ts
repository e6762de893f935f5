// Candidates as a client sees them: what could be claimed, and a summary of the providers involved.
import type { Version } from '../../../kernel/http/microversion.ts';
import { capacityOf, type Node } from '../domain/candidates/forest.ts';
import type { Candidate } from '../domain/candidates/match.ts';
import type { Group } from '../domain/candidates/plan.ts';
import type { Found } from '../domain/candidates/search.ts';
import type { PlacementVersion } from '../versions.ts';

type At = Version<PlacementVersion>;

export interface Names {
  readonly classes: ReadonlyMap<number, string>;
  readonly traits: ReadonlyMap<number, string>;
}

/** The ids that the view will need names for. */
export function namesIn({ trees }: Found): { classes: Set<number>; traits: Set<number> } {
  const ids = { classes: new Set<number>(), traits: new Set<number>() };
  for (const { nodes } of trees.values()) {
    for (const { stocks, traits } of nodes) {
      for (const { classId } of stocks) ids.classes.add(classId);
      for (const trait of traits) ids.traits.add(trait);
    }
  }
  return ids;
}

export function candidatesView(at: At, groups: readonly Group[], found: Found, names: Names): object {
  const asked = new Set(groups.flatMap(({ demands }) => demands.map(({ classId }) => classId)));
  const summaries: Record<string, object> = {};
  for (const node of shownNodes(at, found)) summaries[node.uuid] = summaryView(at, node, found, asked, names);
  return {
    allocation_requests: found.candidates.map((candidate) => candidateView(at, groups, candidate, names)),
    provider_summaries: summaries,
  };
}

/** Whole trees from 1.29 on; before, only who would be claimed from. */
function shownNodes(at: At, { candidates, trees }: Found): Iterable<Node> {
  if (at.has('1.29')) return [...trees.values()].flatMap(({ nodes }) => nodes);
  return new Set(candidates.flatMap(({ parts }) => parts.map(({ node }) => node)));
}

function candidateView(at: At, groups: readonly Group[], { parts, serving }: Candidate, names: Names): object {
  const byProvider: Record<string, { resources: Record<string, number> }> = {};
  for (const { node, classId, amount } of parts)
    (byProvider[node.uuid] ??= { resources: {} }).resources[names.classes.get(classId)!] = amount;
  if (!at.has('1.12')) {
    return {
      allocations: Object.entries(byProvider).map(([uuid, { resources }]) => ({ resource_provider: { uuid }, resources })),
    };
  }
  const mappings = (): object =>
    Object.fromEntries(groups.map(({ suffix }, index) => [suffix, serving[index]!.map(({ uuid }) => uuid)]));
  return { allocations: byProvider, ...(at.has('1.34') ? { mappings: mappings() } : {}) };
}

function summaryView(at: At, node: Node, { trees }: Found, asked: ReadonlySet<number>, names: Names): object {
  const shown = at.has('1.27') ? node.stocks : node.stocks.filter(({ classId }) => asked.has(classId));
  const resources = Object.fromEntries(
    shown.map((stock) => [names.classes.get(stock.classId), { capacity: Math.trunc(capacityOf(stock)), used: stock.used }]),
  );
  return {
    resources,
    ...(at.has('1.17') ? { traits: node.traits.map((id) => names.traits.get(id)) } : {}),
    ...(at.has('1.29')
      ? { parent_provider_uuid: node.parent?.uuid ?? null, root_provider_uuid: trees.get(node.rootId)!.root.uuid }
      : {}),
  };
}
