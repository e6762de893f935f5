// Creates actions and schedules the jobs that run them.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { schedule, scheduleAll } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Action, ActionStatus, Delegator, Json, Memory } from '../../model.ts';
import * as store from '../../store/index.ts';
import { loadSettings, type Settings } from '../settings.ts';

/** The kinds of jobs: the next step of an action, its timeout, and that of its lifecycle hook. */
export const actionKind = 'clustering.action';
export const timeoutKind = 'clustering.action_timeout';
export const lifecycleKind = 'clustering.lifecycle_timeout';

/** The causes of actions: a client's request, a parent action, and one with a lifecycle hook. */
export const rpc = 'RPC Request';
export const derived = 'Derived Action';
export const derivedWithHook = 'Derived Action with Lifecycle Hook';

/** An action to be created. */
export interface NewAction {
  readonly name: string;
  readonly action: string;
  readonly target: string;
  readonly clusterId: string;
  /** Who requests it. */
  readonly owner: Delegator;
  readonly inputs: Json;
  readonly timeout?: number;
  readonly cause?: string;
  /** What the action remembers before it begins. */
  readonly memory?: Memory;
  /** `READY` by default: the action begins at once. */
  readonly status?: ActionStatus;
}

export const isNodeAction = ({ action }: Pick<Action, 'action'>): boolean =>
  action.startsWith('NODE_');

/** The default name: `cluster_create_` and the beginning of the target's id. */
export const actionName = (kind: string, target: string): string =>
  `${kind.toLowerCase()}_${target.slice(0, 8)}`;

/** Creates an action, and schedules it if it is ready. */
export const createAction = async (context: Context, fields: NewAction): Promise<Action> =>
  (await createActions(context, [fields]))[0]!;

/** Creates actions, and schedules those that are ready. */
export async function createActions(
  context: Context,
  all: readonly NewAction[],
): Promise<Action[]> {
  const { now, db } = context;
  const settings = await loadSettings(context);
  const actions = all.map((fields) => actionOf(fields, now, settings));
  const ready = actions.filter(({ status }) => status === 'READY');
  const delays = await dispatchDelays(context, ready, settings);
  await wakeAll(
    context,
    ready.map(({ id }, at) => [id, now + delays[at]!]),
  );
  await store.actions.insertAll(db, actions);
  return actions;
}

function actionOf(
  { owner, name, ...rest }: NewAction,
  now: Micros,
  { defaultActionTimeout }: Settings,
): Action {
  const { userId, projectId, domainId, credentialId } = owner;
  return {
    id: newUuid(),
    userId,
    projectId,
    domainId,
    credentialId,
    name: name.slice(0, 63),
    cause: rpc,
    status: 'READY',
    timeout: defaultActionTimeout,
    statusReason: 'The action is ready for execution.',
    owner: null,
    startTime: null,
    endTime: null,
    control: null,
    outputs: {},
    data: {},
    memory: {},
    createdAt: now,
    updatedAt: null,
    revision: 0,
    ...rest,
  };
}

/**
 * How long ready actions wait for their batches. Upstream, the engine pauses after each batch of
 * actions of nodes: start_action in senlin/engine/service.py.
 */
async function dispatchDelays(
  { db }: Context,
  ready: readonly Action[],
  { maxActionsPerBatch: size, batchInterval }: Settings,
): Promise<Micros[]> {
  if (!size || !ready.some(isNodeAction)) return ready.map(() => 0);
  let before = await store.countReadyNodeActions(db);
  return ready.map((action) =>
    isNodeAction(action) ? Math.floor(before++ / size) * batchInterval * SECOND : 0,
  );
}

/** Schedules the next step of an action. */
export const wake = ({ db }: Context, id: string, dueAt: Micros): Promise<void> =>
  schedule(db, { dueAt, kind: actionKind, subject: id });

/** An action whose next step is to be scheduled, and when that is due. */
export type DueStep = readonly [actionId: string, dueAt: Micros];

/** Schedules the next steps of actions, in their order. */
export const wakeAll = ({ db }: Context, steps: readonly DueStep[]): Promise<void> =>
  scheduleAll(
    db,
    steps.map(([subject, dueAt]) => ({ dueAt, kind: actionKind, subject })),
  );
