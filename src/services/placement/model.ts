// The records of Placement, and the types of its internal API.
import type { Micros } from '../../kernel/clock.ts';

/** A resource provider. */
export interface Provider {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly generation: number;
  readonly rootId: number;
  readonly rootUuid: string;
  readonly parentId: number | null;
  readonly parentUuid: string | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** A resource class or a trait. */
export interface Named {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** An aggregate. Its name is its UUID in the client's spelling. */
export interface Aggregate {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Micros;
}

/** The fields of an inventory that clients write, with the names of the API. */
export interface InventoryFields {
  readonly total: number;
  readonly reserved: number;
  readonly min_unit: number;
  readonly max_unit: number;
  readonly step_size: number;
  readonly allocation_ratio: number;
}

/** The body of an inventory. Absent fields have defaults. */
export type InventoryBody = Partial<InventoryFields> & Pick<InventoryFields, 'total'>;

/** The inventory of a resource class, with the sum of its allocations. */
export interface ClassInventory extends InventoryFields {
  readonly classId: number;
  readonly used: number;
}

/** The inventory of a resource class of a provider. */
export interface Inventory extends ClassInventory {
  readonly providerId: number;
  /** The root of the provider's tree. */
  readonly rootId: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** A provider with the inventory of each of its classes. */
export interface ProviderWithInventories extends Provider {
  readonly inventories: readonly ClassInventory[];
}

/** What a claim has to know of a provider. */
export interface ClaimedProvider extends Pick<Provider, 'id' | 'uuid'> {
  /** `used` is absent if only the statement that claims knows it. */
  readonly inventories: readonly (InventoryFields &
    Pick<ClassInventory, 'classId'> &
    Partial<Pick<ClassInventory, 'used'>>)[];
}

/** A provider's generation and inventories, and the names of their classes by id. */
export interface ProviderInventories {
  readonly generation: number;
  readonly inventories: readonly Inventory[];
  readonly names: ReadonlyMap<number, string>;
}

/** The fields of a consumer that a request writes. */
export interface ConsumerFields {
  readonly projectId: string;
  readonly userId: string;
  /** Null if no request has named a type. */
  readonly typeId: number | null;
}

/** A consumer. It exists as long as it has allocations. */
export interface Consumer extends ConsumerFields {
  readonly id: number;
  readonly uuid: string;
  readonly typeName: string | null;
  readonly generation: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** An allocation: the amount of a provider's resource class that a consumer uses. */
export interface Allocation {
  readonly consumerId: number;
  readonly providerId: number;
  readonly classId: number;
  readonly used: number;
  readonly createdAt: Micros;
}

/** An allocation with the generation of its consumer. */
export interface HeldAllocation extends Allocation {
  readonly consumerGeneration: number;
}

/** An allocation with the fields of its provider and consumer that lists show. */
export interface ListedAllocation extends HeldAllocation {
  readonly providerUuid: string;
  readonly providerGeneration: number;
  readonly consumerUuid: string;
}

/** What a consumer holds of an inventory. */
export interface Holding extends Pick<Allocation, 'providerId' | 'classId' | 'used'> {
  readonly consumerUuid: string;
}

/** The usage of one resource class by the consumers of one type. */
export interface Usage {
  /** Null for consumers without a type. */
  readonly typeName: string | null;
  readonly classId: number;
  readonly used: number;
}

/**
 * A resource provider in memory, as a node of the trees that the search for allocation candidates
 * reads. Its lists are in the order of ids.
 */
export interface TreeNode {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly rootId: number;
  readonly parentId: number | null;
  parent: TreeNode | undefined;
  readonly inventories: readonly ClassInventory[];
  /** The ids of its traits. */
  readonly traits: readonly number[];
  /** The ids of its aggregates. */
  readonly aggregates: readonly number[];
}

/** A tree of resource providers. `nodes` includes the root. */
export interface ProviderTree {
  readonly root: TreeNode;
  readonly nodes: readonly TreeNode[];
  /** The free amounts of the root, once somebody has asked for them. */
  free?: Amounts;
}

/** Amounts by resource class. */
export type Amounts = Readonly<Record<string, number>>;

/** The allocations of a consumer, by the UUID of the provider. */
export type Allocations = ReadonlyMap<string, Amounts>;

/** The allocations that replace those of a consumer. An empty map deletes the consumer. */
export interface ConsumerAllocations {
  /** The UUID of the consumer. */
  readonly consumer: string;
  readonly projectId: string;
  readonly userId: string;
  readonly allocations: Allocations;
}

/** Traits in a request, by name: at least one of each required set, and no forbidden ones. */
export interface TraitRequest {
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
}

/** Aggregates in a request, by UUID: at least one of each required set, and no forbidden ones. */
export interface AggregateRequest {
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
}

/**
 * A request group of a request for allocation candidates. Upstream: placement/lib.py RequestGroup.
 */
export interface RequestGroup {
  /**
   * A single provider serves a group with a suffix. The group with the suffix '' may be spread over
   * a tree and the providers that share with it.
   */
  readonly suffix: string;
  /** Amounts by resource class. */
  readonly resources: ReadonlyMap<string, number>;
  readonly traits: TraitRequest;
  readonly aggregates: AggregateRequest;
  /** The UUID of a provider in the only tree to search. */
  readonly inTree: string | undefined;
}

/** A request for allocation candidates, by names. Upstream: placement/lib.py RequestWideParams. */
export interface CandidateRequest {
  readonly groups: readonly RequestGroup[];
  /** The maximum number of candidates; undefined for no limit. */
  readonly limit: number | undefined;
  /** Whether each group with a suffix needs its own provider (`group_policy=isolate`). */
  readonly isolate: boolean;
  /** Traits that the root of the tree must have. */
  readonly rootRequired?: readonly string[];
  /** Traits that the root of the tree must not have. */
  readonly rootForbidden?: readonly string[];
  /** The same, but a trait that does not exist is ignored, because no provider has it. */
  readonly rootForbiddenIfKnown?: readonly string[];
  /** Sets of suffixes: the providers of each set's groups must be in one subtree. */
  readonly sameSubtree?: readonly (readonly string[])[];
}

/** An allocation candidate. */
export interface Candidate {
  /** The UUID of the root of its tree. */
  readonly root: string;
  /** Computes its allocations, which callers read of only a few of many candidates. */
  readonly allocations: () => Allocations;
  /** The free amount of each of the root's own classes. */
  readonly free: Amounts;
  /** What it takes of each provider and class, with the room that is there. */
  readonly takes: () => readonly CandidateTake[];
}

/** The amount of a class that an allocation candidate takes of a provider. */
export interface CandidateTake {
  readonly provider: string;
  readonly resourceClass: string;
  readonly amount: number;
  /** The sum of all allocations of the class from the provider. */
  readonly used: number;
  readonly capacity: number;
}

/** The desired state of a resource provider, from the service that manages it. */
export interface ProviderShape {
  readonly uuid: string;
  readonly name: string;
  readonly parentUuid?: string | null;
  /** By resource class. A custom class is created on first use. */
  readonly inventories: Readonly<Record<string, InventoryBody>>;
  /** By name. A custom trait is created on first use. */
  readonly traits: readonly string[];
}

/** The traits or aggregates to add to a provider, and those to remove from it. */
export interface LinkChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}
