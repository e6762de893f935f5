// Rejects actions that conflict with others on the same target, or that come during a cooldown.
import { SECOND } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import { recordCooldown } from '../policies/explanation.ts';
import { policyProperties } from '../policies/index.ts';
import { cooldownOf } from '../policies/scaling.ts';
import { actionConflict, coolingDown, locked } from '../refusals.ts';

const scalings = ['CLUSTER_SCALE_IN', 'CLUSTER_SCALE_OUT'];

/** The kinds of actions that take the lock away from others. */
const stealing = new Set(['CLUSTER_DELETE', 'NODE_DELETE', 'NODE_OPERATION']);

/**
 * Checks that the target of a new action is not locked, has no other unfinished action, and is not
 * in the cooldown of a scaling policy. Upstream: Action.create in senlin/engine/actions/base.py.
 * @throws 409
 */
export async function checkConflicts(
  context: Context,
  kind: string,
  target: string,
  isCluster: boolean,
  force = false,
): Promise<void> {
  const { db } = context;
  if (!force && !stealing.has(kind)) {
    if (await store.locks.exists(db, { target }))
      throw locked(kind, isCluster ? 'cluster' : 'node', target);
    await checkUnfinished(context, kind, target);
  }
  if (!scalings.includes(kind)) return;
  await checkUnfinished(context, kind, target, scalings);
  await checkCooldown(context, kind, target);
}

/** @throws 409 */
async function checkUnfinished(
  { db }: Context,
  kind: string,
  target: string,
  kinds?: readonly string[],
): Promise<void> {
  const others = await store.unfinishedActions(db, target, kinds);
  if (!others.length) return;
  const ids = others.map(({ id }) => id);
  throw actionConflict(kind, target, ids);
}

/** @throws 409 */
async function checkCooldown(context: Context, kind: string, clusterId: string): Promise<void> {
  const { db, now } = context;
  for (const { policyId, lastOp } of await store.enabledBindings(db, clusterId)) {
    if (lastOp === null) continue;
    const policy = (await store.policies.find(db, { id: policyId }))!;
    const cooldown = cooldownOf(policy.type, policyProperties(policy), kind);
    if (cooldown <= 0 || now - lastOp >= cooldown * SECOND) continue;
    const cluster = (await store.clusters.find(db, { id: clusterId }))!;
    recordCooldown(context, kind, cluster, { policy, lastOp, seconds: cooldown });
    throw coolingDown(kind, clusterId, policyId);
  }
}
