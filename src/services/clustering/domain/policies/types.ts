// What a type of policy is, and what it sees when an action is checked.
import type { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type {
  Action,
  ActionData,
  Binding,
  Cluster,
  Json,
  Node,
  Policy,
  Profile,
} from '../../model.ts';
import type { Support } from '../profiles/types.ts';
import type { Schema } from '../specs/schema.ts';

export type Phase = 'BEFORE' | 'AFTER';

/** A policy that is attached to a cluster, or is going to be. */
export interface Attachment {
  /** By the system, in the transaction of the action. */
  readonly context: Context;
  /** For the owner of the cluster. */
  readonly owner: Context;
  readonly cluster: Cluster;
  readonly profile: Profile;
  readonly policy: Policy;
  readonly properties: Json;
}

/** A check of an action. Policies write their decisions into `data`. */
export interface Check extends Attachment {
  readonly action: Action;
  readonly data: ActionData;
  readonly binding: Binding;
  /** Of a node action. */
  readonly node: Node | undefined;
  /** AFTER: whether the handler succeeded. */
  readonly isOk: boolean;
  /** The nodes of the cluster as they are now, by their index. */
  members(): Promise<Node[]>;
}

export interface PolicyType {
  readonly name: string;
  readonly version: string;
  readonly support: Support;
  /** Lower ones are checked first. */
  readonly priority: number;
  /** A cluster may have one of the type only. */
  readonly singleton: boolean;
  /** Undefined: any. */
  readonly profileTypes?: readonly string[];
  readonly targets: Readonly<Record<Phase, readonly string[]>>;
  readonly schema: Schema;
  /** What the schema does not say. @throws Fault */
  readonly validate?: (context: Context, properties: Json) => void;
  /** What can be said only by looking at the cloud. @throws Fault */
  readonly validateInCloud?: (context: Context, properties: Json) => Promise<void>;
  /** @returns the data of the binding. @throws EngineFailure */
  readonly attach?: (attachment: Attachment) => Promise<Json>;
  /** @throws EngineFailure */
  readonly detach?: (attachment: Attachment, binding: Binding) => Promise<void>;
  /** Called after the binding was enabled or disabled. */
  readonly enabled?: (attachment: Attachment, enabled: boolean) => Promise<void>;
  /** Whether it is about the action at all, beyond its targets. */
  readonly concerns?: (phase: Phase, action: Action, properties: Json) => boolean;
  readonly before?: (check: Check) => Promise<void>;
  readonly after?: (check: Check) => Promise<void>;
}

/** The check fails for the reason. */
export function fail({ data }: Pick<Check, 'data'>, reason: string): void {
  data.status = 'ERROR';
  data.reason = reason;
}

export type { ApiError as Fault };
