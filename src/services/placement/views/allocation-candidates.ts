// Renders allocation candidates: allocation requests, and summaries of their providers. It writes
// JSON text directly, because a reply without a limit has megabytes, and building objects first
// would take longer than the search.
import type { Version } from '../../../kernel/microversion.ts';
import type { AllocatedResource, AllocationRequest } from '../domain/candidates/match.ts';
import type { AllocationCandidates } from '../domain/candidates/search.ts';
import { capacityOf } from '../domain/inventories.ts';
import type { RequestGroup, TreeNode } from '../model.ts';
import type { PlacementVersion } from '../versions.ts';

type At = Version<PlacementVersion>;

/** Names by id. */
export interface Names {
  readonly classes: ReadonlyMap<number, string>;
  readonly traits: ReadonlyMap<number, string>;
}

/** Collects the ids of the classes and traits that the view shows by name. */
export function idsToName({ loaded }: AllocationCandidates): {
  classes: Set<number>;
  traits: Set<number>;
} {
  const ids = { classes: new Set<number>(), traits: new Set<number>() };
  for (const { nodes } of loaded) {
    for (const { inventories, traits } of nodes) {
      for (const { classId } of inventories) ids.classes.add(classId);
      for (const trait of traits) ids.traits.add(trait);
    }
  }
  return ids;
}

/** The settings of a reply. Its names and suffixes are already quoted. */
interface Format {
  readonly version: At;
  readonly classes: ReadonlyMap<number, string>;
  readonly traits: ReadonlyMap<number, string>;
  readonly suffixes: readonly string[];
  /** The classes in the summaries; undefined for all classes (from 1.27). */
  readonly shown: ReadonlySet<number> | undefined;
}

const quoted = (names: ReadonlyMap<number, string>): Map<number, string> =>
  new Map([...names].map(([id, name]) => [id, JSON.stringify(name)]));

/** The parts of a reply: `begin`, each candidate, and `end`. */
export interface CandidatesText {
  begin(): string;
  candidate(candidate: AllocationRequest): string;
  /** In pieces: the summaries of all providers may be long. */
  end(): Generator<string>;
}

/** @param trees the trees of the candidates, which `end` reads */
export function candidatesText(
  version: At,
  groups: readonly RequestGroup[],
  { trees }: Pick<AllocationCandidates, 'trees'>,
  names: Names,
): CandidatesText {
  const requested = new Set(groups.flatMap(({ resources }) => [...resources.keys()]));
  const format: Format = {
    version,
    classes: quoted(names.classes),
    traits: quoted(names.traits),
    suffixes: groups.map(({ suffix }) => JSON.stringify(suffix)),
    shown: version.has('1.27')
      ? undefined
      : new Set([...names.classes].flatMap(([id, name]) => (requested.has(name) ? [id] : []))),
  };
  const serving = new Set<TreeNode>();
  let comma = '';
  return {
    begin: () => '{"allocation_requests":[',
    candidate: (candidate) => {
      if (!version.has('1.29')) for (const { node } of candidate.resources) serving.add(node);
      const text = comma + candidateJson(format, candidate);
      comma = ',';
      return text;
    },
    *end() {
      // From 1.29 on the summaries include whole trees; before, only the providers that the
      // candidates allocate from.
      const shown = version.has('1.29')
        ? [...trees.values()].flatMap(({ nodes }) => nodes)
        : serving;
      yield '],"provider_summaries":{';
      comma = '';
      for (const node of shown) {
        yield `${comma}"${node.uuid}":${summaryJson(format, node, trees)}`;
        comma = ',';
      }
      yield '}}';
    },
  };
}

/** Renders the whole reply, in pieces. */
export function* candidatesJson(
  text: CandidatesText,
  { candidates }: Pick<AllocationCandidates, 'candidates'>,
): Generator<string> {
  yield text.begin();
  for (const candidate of candidates) yield text.candidate(candidate);
  yield* text.end();
}

/** Joins the text of items with commas. */
function list<T>(items: Iterable<T>, write: (item: T) => string): string {
  let text = '';
  for (const item of items) text += text ? `,${write(item)}` : write(item);
  return text;
}

function candidateJson(
  { version, classes, suffixes }: Format,
  { resources, mappings }: AllocationRequest,
): string {
  const allocations = list(firstOfEach(resources), ({ node }) => {
    const own = list(
      resources.filter((resource) => resource.node === node),
      ({ classId, amount }) => `${classes.get(classId)}:${amount}`,
    );
    if (!version.has('1.12'))
      return `{"resource_provider":{"uuid":"${node.uuid}"},"resources":{${own}}}`;
    return `"${node.uuid}":{"resources":{${own}}}`;
  });
  if (!version.has('1.12')) return `{"allocations":[${allocations}]}`;
  if (!version.has('1.34')) return `{"allocations":{${allocations}}}`;
  const groups = list(
    mappings.entries(),
    ([index, nodes]) => `${suffixes[index]}:[${list(nodes, ({ uuid }) => `"${uuid}"`)}]`,
  );
  return `{"allocations":{${allocations}},"mappings":{${groups}}}`;
}

/** Selects the first resource of each provider. */
const firstOfEach = (resources: readonly AllocatedResource[]): readonly AllocatedResource[] =>
  resources.filter(
    (resource, index) => resources.findIndex(({ node }) => node === resource.node) === index,
  );

function summaryJson(
  { version, classes, traits, shown }: Format,
  node: TreeNode,
  trees: AllocationCandidates['trees'],
): string {
  const inventories = shown
    ? node.inventories.filter(({ classId }) => shown.has(classId))
    : node.inventories;
  const resources = list(
    inventories,
    (inventory) =>
      `${classes.get(inventory.classId)}:{"capacity":${Math.trunc(capacityOf(inventory))},` +
      `"used":${inventory.used}}`,
  );
  if (!version.has('1.17')) return `{"resources":{${resources}}}`;
  const names = list(node.traits, (id) => traits.get(id)!);
  if (!version.has('1.29')) return `{"resources":{${resources}},"traits":[${names}]}`;
  const parent = node.parent ? `"${node.parent.uuid}"` : 'null';
  const root = trees.get(node.rootId)!.root.uuid;
  return (
    `{"resources":{${resources}},"traits":[${names}],"parent_provider_uuid":${parent},` +
    `"root_provider_uuid":"${root}"}`
  );
}
