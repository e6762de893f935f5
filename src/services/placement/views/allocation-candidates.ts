// Candidates as a client sees them: what could be claimed, and a summary of the providers involved. A query without a limit answers with
// megabytes, so the JSON is written as it goes: making objects of it first takes longer than the search.
import type { Version } from '../../../kernel/microversion.ts';
import { capacityOf, type Node } from '../domain/candidates/forest.ts';
import type { Candidate, Part } from '../domain/candidates/match.ts';
import type { Group } from '../domain/candidates/plan.ts';
import type { Found } from '../domain/candidates/search.ts';
import type { PlacementVersion } from '../versions.ts';

type At = Version<PlacementVersion>;

/** Names by id. */
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

/** What the text is made with: names and suffixes are quoted once. */
interface Style {
  readonly at: At;
  readonly classes: ReadonlyMap<number, string>;
  readonly traits: ReadonlyMap<number, string>;
  readonly suffixes: readonly string[];
  /** The classes whose stock is shown; all of them where it is undefined. */
  readonly shown: ReadonlySet<number> | undefined;
}

const quoted = (names: ReadonlyMap<number, string>): Map<number, string> =>
  new Map([...names].map(([id, name]) => [id, JSON.stringify(name)]));

/** The reply, as JSON. */
export function candidatesJson(at: At, groups: readonly Group[], found: Found, names: Names): string {
  const style: Style = {
    at,
    classes: quoted(names.classes),
    traits: quoted(names.traits),
    suffixes: groups.map(({ suffix }) => JSON.stringify(suffix)),
    shown: at.has('1.27') ? undefined : new Set(groups.flatMap(({ demands }) => demands.map(({ classId }) => classId))),
  };
  const requests = list(found.candidates, (candidate) => candidateJson(style, candidate));
  const summaries = list(shownNodes(at, found), (node) => `"${node.uuid}":${summaryJson(style, node, found)}`);
  return `{"allocation_requests":[${requests}],"provider_summaries":{${summaries}}}`;
}

/** Items with commas between them. */
function list<T>(items: Iterable<T>, write: (item: T) => string): string {
  let text = '';
  for (const item of items) text += text ? `,${write(item)}` : write(item);
  return text;
}

/** Whole trees from 1.29 on; before, only who would be claimed from. */
function shownNodes(at: At, { candidates, trees }: Found): Iterable<Node> {
  if (at.has('1.29')) return [...trees.values()].flatMap(({ nodes }) => nodes);
  return new Set(candidates.flatMap(({ parts }) => parts.map(({ node }) => node)));
}

function candidateJson({ at, classes, suffixes }: Style, { parts, serving }: Candidate): string {
  const allocations = list(firstOfEach(parts), ({ node }) => {
    const own = list(
      parts.filter((part) => part.node === node),
      ({ classId, amount }) => `${classes.get(classId)}:${amount}`,
    );
    if (!at.has('1.12')) return `{"resource_provider":{"uuid":"${node.uuid}"},"resources":{${own}}}`;
    return `"${node.uuid}":{"resources":{${own}}}`;
  });
  if (!at.has('1.12')) return `{"allocations":[${allocations}]}`;
  if (!at.has('1.34')) return `{"allocations":{${allocations}}}`;
  const mappings = list(serving.entries(), ([index, nodes]) => `${suffixes[index]}:[${list(nodes, ({ uuid }) => `"${uuid}"`)}]`);
  return `{"allocations":{${allocations}},"mappings":{${mappings}}}`;
}

/** One part for each provider. */
const firstOfEach = (parts: readonly Part[]): readonly Part[] =>
  parts.filter((part, index) => parts.findIndex(({ node }) => node === part.node) === index);

function summaryJson({ at, classes, traits, shown }: Style, node: Node, { trees }: Found): string {
  const stocks = shown ? node.stocks.filter(({ classId }) => shown.has(classId)) : node.stocks;
  const resources = list(
    stocks,
    (stock) => `${classes.get(stock.classId)}:{"capacity":${Math.trunc(capacityOf(stock))},"used":${stock.used}}`,
  );
  if (!at.has('1.17')) return `{"resources":{${resources}}}`;
  const held = list(node.traits, (id) => traits.get(id)!);
  if (!at.has('1.29')) return `{"resources":{${resources}},"traits":[${held}]}`;
  const parent = node.parent ? `"${node.parent.uuid}"` : 'null';
  const root = trees.get(node.rootId)!.root.uuid;
  return `{"resources":{${resources}},"traits":[${held}],"parent_provider_uuid":${parent},"root_provider_uuid":"${root}"}`;
}
