// Checks an action by the policies of its cluster, in the order of their priorities.
import type { Context } from '../../../../kernel/model.ts';
import type { Action, ActionData, Node } from '../../model.ts';
import * as store from '../../store/index.ts';
import { loadSettings } from '../settings.ts';
import { isNodeAction } from '../actions/queue.ts';
import { actingOn } from '../delegation.ts';
import { policyProperties, typeOfPolicy } from './index.ts';
import { NoteList, type PolicyCheck } from './explanation.ts';
import type { Phase } from './types.ts';

/** When and for which cluster an action is checked. */
export interface CheckRequest {
  readonly phase: Phase;
  readonly clusterId: string;
  /** After the action: whether it has succeeded. */
  readonly isOk?: boolean;
  /** Receives how each policy has decided, in the order in which they run. */
  readonly checks: PolicyCheck[];
}

/**
 * Checks an action. Policies write their decisions into its data.
 * @param save receives the data after each decision, because it outlives an error of a later policy
 * @returns the policy that the action fails, and why; undefined if it passes
 */
export async function checkPolicies(
  context: Context,
  action: Action,
  { phase, clusterId, isOk = false, checks }: CheckRequest,
  save: (data: ActionData) => void,
): Promise<string | undefined> {
  const { db } = context;
  const bindings = await store.enabledBindings(db, clusterId);
  const ids = bindings.map(({ policyId }) => policyId);
  const policies = await store.policies.among(db, 'id', ids);
  const kind = action.action;
  // An action that no policy checks keeps its data.
  if (!policies.some((policy) => typeOfPolicy(policy).targets[phase].includes(kind)))
    return undefined;
  const cluster = (await store.clusters.find(db, { id: clusterId }))!;
  const owner = await actingOn(context, cluster, action);
  let { data } = action;
  const update = (changed: ActionData): void => {
    data = changed;
    save(data);
  };
  const created = phase === 'AFTER' && isOk ? action.memory.created : undefined;
  const creation = created && { count: created.length, ...data.creation, nodes: created };
  update({ ...data, ...(creation && { creation }), status: 'NONE', reason: '' });
  const profile = (await store.profiles.find(db, { id: cluster.profileId }))!;
  const { maxNodesPerCluster: maxNodes } = await loadSettings(context);
  const node = isNodeAction(action) ? await store.nodes.find(db, { id: action.target }) : undefined;
  for (const binding of bindings) {
    const policy = policies.find(({ id }) => id === binding.policyId)!;
    const type = typeOfPolicy(policy);
    const properties = policyProperties(policy);
    const named = { policy: policy.name, type: policy.type, phase, isCut: false, before: data };
    const skip = (skipped: string): number =>
      checks.push({ ...named, skipped, notes: [], after: data });
    if (!type.targets[phase].includes(kind)) {
      skip(`it does not check ${kind}`);
      continue;
    }
    if (type.concerns && !type.concerns(phase, action, properties)) {
      skip('its event is another one');
      continue;
    }
    const notes = new NoteList();
    const members = (): Promise<Node[]> => store.membersOf(db, cluster.id);
    const attachment = { context, owner, cluster, profile, policy, properties };
    const check = { ...attachment, binding, action, data, node, maxNodes, isOk, members, notes };
    let after: ActionData | undefined;
    try {
      after = (await (phase === 'BEFORE' ? type.before : type.after)?.(check)) ?? data;
      update(after);
    } finally {
      checks.push({ ...named, notes: notes.notes, isCut: notes.isCut, after });
    }
    // The data keeps the reason alone; the failure of the action names the policy, too.
    if (data.status === 'ERROR') return `Failed policy '${policy.name}': ${data.reason}`;
  }
  update({ ...data, status: 'OK', reason: data.reason || 'Completed policy checking.' });
  return undefined;
}
