// What a type of profile is: its schema, its operations, and the driver that makes what a node
// stands for.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Json, Node } from '../../model.ts';
import type { Schema } from '../specs/schema.ts';

/** How a version of a type has been supported, in order. */
export type Support = Readonly<
  Record<string, readonly { readonly status: string; readonly since: string }[]>
>;

export interface Operation {
  readonly description: string;
  /** Undefined where upstream declares the operation as a map, and shows it as one. */
  readonly parameters?: Schema;
}

/** What a driver works on. */
export interface Physical {
  /** For the owner of the node. */
  readonly context: Context;
  readonly node: Node;
  /** Resolved by the schema. */
  readonly properties: Json;
  /** What the driver keeps from one look to the next; saved with the action. */
  readonly memory: Json;
}

/**
 * What came of a step: it is done, with what the node is from now on, or the driver looks again at
 * a time.
 */
export type Progress = { readonly changes: Partial<Node> } | { readonly nextCheckAt: Micros };

/** What a driver cannot do. The message becomes the reason of the node's status. */
export class DriverFailure extends Error {
  readonly physicalId: string | undefined;
  constructor(message: string, physicalId?: string) {
    super(message);
    this.physicalId = physicalId;
  }
}

export interface Driver {
  /**
   * What the names in the properties stand for, for all nodes that an action makes: `create` finds
   * it in its memory under `known`.
   */
  lookUp?(context: Context, properties: Json): Promise<Json>;
  create(physical: Physical): Promise<Progress>;
  /** Done also where there is nothing to delete. */
  remove(physical: Physical): Promise<Progress>;
  update(
    physical: Physical,
    target: Json,
    fields: { readonly name?: string | undefined },
  ): Promise<Progress>;
  /** `gone`: what the node stood for is not there any more. */
  check(physical: Physical): Promise<'active' | 'inactive' | 'gone'>;
  operate(physical: Physical, operation: string, parameters: Json): Promise<Progress>;
  join(physical: Physical, clusterId: string): Promise<void>;
  leave(physical: Physical): Promise<void>;
  details(physical: Physical): Promise<Json>;
  /** The properties of a profile that would make what is there. */
  preview(context: Context, identity: string, overrides: Json, snapshot: boolean): Promise<Json>;
  /** Where the node's server stands; undefined where it stands nowhere. */
  zone?(physical: Physical): Promise<string | undefined>;
}

export interface ProfileType {
  readonly name: string;
  readonly version: string;
  readonly support: Support;
  readonly schema: Schema;
  readonly operations: Readonly<Record<string, Operation>>;
  /** What can be said of properties only by looking at the cloud. @throws SpecError, Fault */
  readonly validate: (context: Context, name: string, properties: Json) => Promise<void>;
  readonly driver: Driver;
}
