// The provider trees that a process keeps in memory. What is used of inventories is not part of
// them: each search reads it.
import type { Knex } from 'knex';
import { integer, nullable, snakeCase, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { grouped, groupedValues } from '../../../kernel/db/grouping.ts';
import { KeptInParts } from '../../../kernel/db/kept/kept.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { ClassInventory, ProviderTree } from '../model.ts';
import { capacityOf, limitColumns } from './inventories.ts';
import { traitTable } from './names.ts';
import { treeParts, treesRevision } from './trees-revision.ts';

/** An inventory, as far as allocations do not change it. */
export type KeptInventory = Omit<ClassInventory, 'used'>;

/** A provider in memory. Its lists are in the order of ids. */
export interface KeptNode {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly rootId: number;
  readonly parentId: number | null;
  readonly traits: readonly number[];
  readonly aggregates: readonly number[];
  readonly inventories: readonly KeptInventory[];
}

/**
 * All inventories of a region, in the order of providers and classes: the place of one is its index
 * here. A search reads a few numbers of each inventory, which it finds side by side.
 */
export interface InventoryColumns {
  readonly classIds: Int32Array;
  readonly capacities: Float64Array;
  /** What was used when the tree of the inventory was loaded last. */
  readonly lastUsed: Float64Array;
}

/** How many providers and inventories there are, and the range of both. */
export interface Extent {
  readonly nodes: number;
  readonly inventories: number;
  /** The ids of the first and of the last provider. */
  readonly first: number;
  readonly last: number;
  /** The place of the first inventory, and the one behind the last. */
  readonly from: number;
  readonly until: number;
}

/** A tree of providers. */
export interface KeptTree {
  readonly root: KeptNode;
  /** All providers, the root included, in the order of ids. */
  readonly nodes: readonly KeptNode[];
  /** The places of the inventories of each node: the first one, and the one behind the last. */
  readonly places: readonly (readonly [from: number, until: number])[];
  readonly columns: InventoryColumns;
  readonly extent: Extent;
  /** The tree as it was loaded last, with what was used of it then. */
  lastLoaded?: ProviderTree;
}

/** All provider trees of a region. */
export interface KeptTrees {
  /** In the order of the ids of their roots. */
  readonly all: readonly KeptTree[];
  /** By the ids of their roots. */
  readonly byRoot: ReadonlyMap<number, KeptTree>;
  /** The sharing providers (MISC_SHARES_VIA_AGGREGATE), in the order of ids. */
  readonly sharing: readonly KeptNode[];
  /** All providers by UUID, once a claim has looked for one. */
  byUuid?: ReadonlyMap<string, KeptNode>;
  /** The trees that the latest search was limited to by the traits of their roots. */
  lastWithTraits?: { readonly traits: string; readonly trees: readonly KeptTree[] };
}

const sharingTrait = traitTable.standardIds.get('MISC_SHARES_VIA_AGGREGATE')!;

const kept = new KeptInParts<readonly KeptNode[], KeptTrees>({
  revision: treesRevision,
  count: treeParts,
  load: readNodes,
  combine: (parts) => treesOf(parts.flat().sort(byId)),
});

const byId = (one: KeptNode, other: KeptNode): number => one.id - other.id;

/** The provider trees of a region. Nobody may change them. */
export const keptTrees = (db: Db): Promise<KeptTrees> => kept.read(db);

/**
 * All providers with their inventories, by UUID, without what is used of these; undefined if the
 * transaction cannot use what is in memory.
 */
export async function keptProviders(db: Db): Promise<ReadonlyMap<string, KeptNode> | undefined> {
  if (!kept.isUsable(db)) return undefined;
  const trees = await kept.read(db);
  return (trees.byUuid ??= new Map(
    trees.all.flatMap(({ nodes }) => nodes.map((node) => [node.uuid, node])),
  ));
}

interface GrowingTree extends KeptTree {
  root: KeptNode;
  readonly nodes: KeptNode[];
  readonly places: (readonly [number, number])[];
  readonly extent: { -readonly [Name in keyof Extent]: Extent[Name] };
}

function treesOf(nodes: readonly KeptNode[]): KeptTrees {
  const byRoot = new Map<number, GrowingTree>();
  const columns = columnsOf(nodes.flatMap(({ inventories }) => inventories));
  let place = 0;
  for (const node of nodes) {
    const from = place;
    place += node.inventories.length;
    const tree = byRoot.get(node.rootId) ?? newTree(node, from, columns);
    byRoot.set(node.rootId, tree);
    if (node.id === node.rootId) tree.root = node;
    tree.nodes.push(node);
    tree.places.push([from, place]);
    tree.extent.nodes++;
    tree.extent.inventories += node.inventories.length;
    tree.extent.last = node.id;
    tree.extent.until = place;
  }
  return {
    all: [...byRoot.values()].sort((one, other) => one.root.id - other.root.id),
    byRoot,
    sharing: nodes.filter(({ traits }) => traits.includes(sharingTrait)),
  };
}

const newTree = (root: KeptNode, from: number, columns: InventoryColumns): GrowingTree => ({
  root,
  nodes: [],
  places: [],
  columns,
  extent: { nodes: 0, inventories: 0, first: root.id, last: root.id, from, until: from },
});

const columnsOf = (all: readonly KeptInventory[]): InventoryColumns => ({
  classIds: Int32Array.from(all, ({ classId }) => classId),
  capacities: Float64Array.from(all, capacityOf),
  lastUsed: new Float64Array(all.length),
});

const providers = new Table<ProviderRow>('placement_providers', {
  id: integer,
  uuid: text,
  name: text,
  rootId: integer,
  parentId: nullable(integer),
});
const inventories = new Table<KeptInventory & { readonly providerId: number }>(
  'placement_inventories',
  { ...limitColumns, providerId: integer },
  { key: ['providerId', 'classId'] },
);

type ProviderRow = Pick<KeptNode, 'id' | 'uuid' | 'name' | 'rootId' | 'parentId'>;

/** Reads the providers of some parts. */
async function readNodes(db: Db, parts: readonly number[]): Promise<KeptNode[][]> {
  /** Restricts a query to these parts. */
  const ofParts = (query: Knex.QueryBuilder, id: string): Knex.QueryBuilder =>
    parts.length === treeParts
      ? query
      : query.whereRaw(`?? % ${treeParts} IN (${parts.join(', ')})`, [id]);
  const rowsOf = <T extends object>(table: Table<T>, id: string): Promise<T[]> =>
    table.read(ofParts(db(table.name).select(table.fields.map(snakeCase)), id));
  const [nodes, inventoriesOf, traitsOf, aggregatesOf] = await pipelined([
    rowsOf(providers, 'id'),
    rowsOf(inventories, 'provider_id').then((rows) => grouped(rows, (row) => row.providerId)),
    linksOf('trait'),
    linksOf('aggregate'),
  ]);
  const byPart = new Map<number, KeptNode[]>(parts.map((part) => [part, []]));
  for (const node of nodes)
    byPart.get(node.id % treeParts)!.push({
      ...node,
      traits: traitsOf.get(node.id) ?? [],
      aggregates: aggregatesOf.get(node.id) ?? [],
      inventories: (inventoriesOf.get(node.id) ?? []).sort(
        (one, other) => one.classId - other.classId,
      ),
    });
  return [...byPart.values()];

  /** The ids of traits or aggregates, by provider. */
  async function linksOf(kind: 'trait' | 'aggregate'): Promise<Map<number, number[]>> {
    const query = db(`placement_provider_${kind}s`).select('provider_id', `${kind}_id as id`);
    const rows = (await ofParts(query, 'provider_id')) as { provider_id: number; id: number }[];
    const ids = groupedValues(
      rows,
      (row) => row.provider_id,
      ({ id }) => id,
    );
    for (const own of ids.values()) own.sort((one, other) => one - other);
    return ids;
  }
}
