// The records of Placement: what its stores read and write, and what its door speaks of.
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

/** An aggregate. Its name is its UUID, as the client wrote it. */
export interface Aggregate {
  readonly id: number;
  readonly name: string;
}

/** What a client writes of an inventory, under the names of the API. */
export interface InventoryFields {
  readonly total: number;
  readonly reserved: number;
  readonly min_unit: number;
  readonly max_unit: number;
  readonly step_size: number;
  readonly allocation_ratio: number;
}

/** The body of an inventory: fields that are left out have defaults. */
export type InventoryBody = Partial<InventoryFields> & Pick<InventoryFields, 'total'>;

/** An inventory of a resource class, with the sum of its allocations. */
export interface ClassInventory extends InventoryFields {
  readonly classId: number;
  readonly used: number;
}

/** An inventory as it is stored. */
export interface Inventory extends ClassInventory {
  readonly providerId: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** A provider's generation with its inventories, by class, and the names of the classes. */
export interface ProviderStock {
  readonly generation: number;
  readonly inventories: readonly Inventory[];
  readonly names: ReadonlyMap<number, string>;
}

/** What a request says of a consumer. */
export interface ConsumerFields {
  readonly projectId: string;
  readonly userId: string;
  /** Null where no request has named a type. */
  readonly typeId: number | null;
}

/** A consumer. It exists as long as it has allocations. */
export interface Consumer extends ConsumerFields {
  readonly id: number;
  readonly uuid: string;
  readonly typeName: string | null;
  readonly generation: number;
}

/** An allocation: an amount of a resource class of a provider, used by a consumer. */
export interface Allocation {
  readonly consumerId: number;
  readonly providerId: number;
  readonly classId: number;
  readonly used: number;
}

/** An allocation in a list, with what the list shows of its provider and its consumer. */
export interface ListedAllocation extends Allocation {
  readonly providerUuid: string;
  readonly providerGeneration: number;
  readonly consumerUuid: string;
  readonly consumerGeneration: number;
  readonly createdAt: Micros;
}

/** The usage of one resource class by the consumers of one type. */
export interface Usage {
  /** Null for consumers without a type. */
  readonly typeName: string | null;
  readonly classId: number;
  readonly used: number;
}

/**
 * A resource provider in a tree in memory, as the search for allocation candidates reads it. Lists
 * are in the order of ids.
 */
export interface TreeNode {
  readonly id: number;
  readonly uuid: string;
  readonly rootId: number;
  readonly parentId: number | null;
  parent: TreeNode | undefined;
  readonly inventories: ClassInventory[];
  /** Ids. */
  readonly traits: number[];
  readonly aggregates: number[];
}

/** A tree of resource providers; `nodes` has the root too. */
export interface ProviderTree {
  readonly root: TreeNode;
  readonly nodes: readonly TreeNode[];
}

/** Amounts by resource class. */
export type Amounts = Readonly<Record<string, number>>;

/** The allocations of a consumer: amounts by the UUID of the provider. */
export type Allocations = ReadonlyMap<string, Amounts>;

/**
 * What a consumer is to have from now on, in place of what it has. No allocations at all delete the
 * consumer.
 */
export interface ConsumerAllocations {
  /** The UUID of the consumer. */
  readonly consumer: string;
  readonly projectId: string;
  readonly userId: string;
  readonly allocations: Allocations;
}

/** Traits in a request, by name: one of each required set, and none of the forbidden ones. */
export interface TraitRequest {
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
}

/** Aggregates in a request, by UUID: one of each required set, and none of the forbidden ones. */
export interface AggregateRequest {
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
}

/**
 * A request group of a request for allocation candidates. Upstream: placement/lib.py RequestGroup.
 */
export interface RequestGroup {
  /**
   * One provider serves a group with a suffix. The group with the suffix '' may be spread over a
   * tree and what it shares.
   */
  readonly suffix: string;
  /** Amounts by resource class. */
  readonly resources: ReadonlyMap<string, number>;
  readonly traits: TraitRequest;
  readonly aggregates: AggregateRequest;
  /** The UUID of a provider in the only tree to look in. */
  readonly inTree: string | undefined;
}

/** A request for allocation candidates, in names. Upstream: placement/lib.py RequestWideParams. */
export interface CandidateRequest {
  readonly groups: readonly RequestGroup[];
  /** How many candidates there are at most; all of them where it is undefined. */
  readonly limit: number | undefined;
  /** Whether groups with a suffix have a provider each (`group_policy=isolate`). */
  readonly isolate: boolean;
  /** Traits that the root of the tree must have. */
  readonly rootRequired?: readonly string[];
  /** Traits that the root of the tree must not have. */
  readonly rootForbidden?: readonly string[];
  /** Suffixes of groups whose providers must be in one subtree, in sets. */
  readonly sameSubtree?: readonly (readonly string[])[];
}

/** An allocation candidate. */
export interface Candidate {
  /** The UUID of the root of its tree. */
  readonly root: string;
  /** What it would allocate: of many candidates few are looked at. */
  readonly allocations: () => Allocations;
  /** What the root itself has left of each of its classes. */
  readonly free: Amounts;
}

/** A resource provider as the service that looks after it describes it. */
export interface ProviderShape {
  readonly uuid: string;
  readonly name: string;
  readonly parentUuid?: string | null;
  /** By resource class; a custom class is created when it is first named. */
  readonly inventories: Readonly<Record<string, InventoryBody>>;
  /** By name; a custom trait is created when it is first named. */
  readonly traits: readonly string[];
}

/** What is added to a provider's traits or aggregates, and what is removed from them. */
export interface LinkChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}
