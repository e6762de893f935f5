// The types of policies, and what a policy sees when it checks an action.
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
import type { Notes } from './explanation.ts';

export type Phase = 'BEFORE' | 'AFTER';

/** A policy that is attached to a cluster, or is being attached. */
export interface Attachment {
  /** The transaction of the action, run by the system. */
  readonly context: Context;
  /** The same transaction, run for the owner of the cluster. */
  readonly owner: Context;
  readonly cluster: Cluster;
  readonly profile: Profile;
  readonly policy: Policy;
  readonly properties: Json;
}

/** A check of an action. */
export interface Check extends Attachment {
  readonly action: Action;
  /** The data of the action, with the decisions of the policies before. */
  readonly data: ActionData;
  readonly binding: Binding;
  /** The target of a node action. */
  readonly node: Node | undefined;
  /** The highest number of nodes of a cluster, by the settings. */
  readonly maxNodes: number;
  /** After the action: whether it has succeeded. */
  readonly isOk: boolean;
  /** Reads the current nodes of the cluster, by index. */
  members(): Promise<Node[]>;
  /** Receives the steps of the decision, for its explanation. */
  readonly notes: Notes;
}

export interface PolicyType {
  readonly name: string;
  readonly version: string;
  readonly support: Support;
  /** Policies with lower priorities are checked first. */
  readonly priority: number;
  /** Whether a cluster may have only one policy of the type. */
  readonly singleton: boolean;
  /** The types of profiles that it applies to; all if undefined. */
  readonly profileTypes?: readonly string[];
  /** The kinds of actions that it checks before and after they run. */
  readonly targets: Readonly<Record<Phase, readonly string[]>>;
  readonly schema: Schema;
  /** Checks what the schema cannot express. @throws ApiError */
  readonly validate?: (context: Context, properties: Json) => Promise<void> | void;
  /** Checks that the resources which a policy names exist. @throws ApiError */
  readonly validateInCloud?: (context: Context, properties: Json) => Promise<void>;
  /** @returns the data of the binding. @throws EngineFailure */
  readonly attach?: (attachment: Attachment) => Promise<Json>;
  /** @throws EngineFailure */
  readonly detach?: (attachment: Attachment, binding: Binding) => Promise<void>;
  /** Called before the binding is enabled or disabled. */
  readonly setEnabled?: (attachment: Attachment, enabled: boolean) => Promise<void>;
  /** Whether it checks this action of a targeted kind; always if undefined. */
  readonly concerns?: (phase: Phase, action: Action, properties: Json) => boolean;
  /** Checks an action before it runs. @returns its new data */
  readonly before?: (check: Check) => Promise<ActionData>;
  /** Checks an action that has run. @returns its new data */
  readonly after?: (check: Check) => Promise<ActionData>;
}

/** The data of an action that fails a check. */
export const failCheck = (data: ActionData, reason: string): ActionData => ({
  ...data,
  status: 'ERROR',
  reason,
});
