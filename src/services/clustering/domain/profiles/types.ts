// The types of profiles: schema, operations, and the driver that manages physical resources.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { DriverMemory, Json, Node } from '../../model.ts';
import type { Schema } from '../specs/schema.ts';

/** The support statuses of each version of a type, the oldest first. */
export type Support = Readonly<
  Record<string, readonly { readonly status: string; readonly since: string }[]>
>;

export interface Operation {
  readonly description: string;
  /** Undefined if upstream declares, and shows, the operation as a map. */
  readonly parameters?: Schema;
}

/** The physical resource of a node, which a driver manages. */
export interface Physical {
  /** The context of the node's owner. */
  readonly context: Context;
  readonly node: Node;
  /** The properties of the profile, with defaults. */
  readonly properties: Json;
  /** What the driver remembers from earlier calls; the action keeps it. */
  readonly memory: DriverMemory;
}

/** A driver has to poll: it is called again at this time, with the new memory. */
export interface Pending {
  readonly nextCheckAt: Micros;
  readonly memory: DriverMemory;
}

/** The result of a driver call: the changes of the node, or that the driver has to poll. */
export type Progress = { readonly changes: Partial<Node> } | Pending;

/** A failure of a driver. Its message becomes the node's status reason. */
export class DriverFailure extends Error {}

/** The health of a physical resource; `gone` if it no longer exists. */
export type Health = 'active' | 'inactive' | 'gone';

export interface Driver {
  /**
   * Resolves the names in the properties once for all nodes that an action creates. `create` finds
   * the result in its memory under `known`.
   */
  resolveNames?(context: Context, properties: Json): Promise<Json>;
  create(physical: Physical): Promise<Progress>;
  /** Succeeds, too, if there is nothing to delete. */
  remove(physical: Physical): Promise<Progress>;
  update(
    physical: Physical,
    target: Json,
    fields: { readonly name?: string | undefined },
  ): Promise<Progress>;
  check(physical: Physical): Promise<Health>;
  operate(physical: Physical, operation: string, parameters: Json): Promise<Progress>;
  join(physical: Physical, clusterId: string): Promise<void>;
  leave(physical: Physical): Promise<void>;
  details(physical: Physical): Promise<Json>;
  /** The properties of a profile that would create an existing resource. */
  preview(context: Context, identity: string, overrides: Json, snapshot: boolean): Promise<Json>;
  /** The availability zone of the node's server. */
  zone?(physical: Physical): Promise<string | undefined>;
}

export interface ProfileType {
  readonly name: string;
  readonly version: string;
  readonly support: Support;
  readonly schema: Schema;
  readonly operations: Readonly<Record<string, Operation>>;
  /** Checks that the resources which the properties name exist. @throws SpecError, ApiError */
  readonly validate: (context: Context, name: string, properties: Json) => Promise<void>;
  readonly driver: Driver;
}
