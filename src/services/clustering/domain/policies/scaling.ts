// The policy senlin.policy.scaling: by how much a cluster is scaled, and how soon again.
import { SECOND } from '../../../../kernel/clock.ts';
import * as store from '../../store/index.ts';
import { countOf, sizeProblem } from '../clusters/size.ts';
import type { Cluster, Json } from '../../model.ts';
import { invalidSpec, malformed } from '../refusals.ts';
import { boolean, integer, map, number, text } from '../specs/schema.ts';
import { fail, type Check, type PolicyType } from './types.ts';

export interface Adjustment {
  readonly type: string;
  readonly number: number;
  readonly min_step: number;
  readonly best_effort: boolean;
  readonly cooldown: number;
}

/** What of a scaling policy keeps an action from being made at all. */
export const cooldownOf = (type: string, properties: Json, action: string): number =>
  type.startsWith('senlin.policy.scaling-') && properties['event'] === action
    ? ((properties['adjustment'] as Adjustment | null)?.cooldown ?? 0)
    : 0;

/** How many nodes, by the kind of adjustment. A percentage is at least the smallest step. */
function countBy(
  { type, number, min_step: step }: Adjustment,
  current: number,
  shrinks: boolean,
): number {
  if (type === 'EXACT_CAPACITY') return shrinks ? current - number : number - current;
  if (type === 'CHANGE_IN_CAPACITY') return number;
  return Math.max(Math.trunc((number * current) / 100), step);
}

/** As many as the limits of the cluster allow. */
const clamped = (
  { minSize, maxSize }: Cluster,
  current: number,
  count: number,
  shrinks: boolean,
): number =>
  shrinks
    ? Math.min(count, current - minSize)
    : maxSize >= 0
      ? Math.min(count, maxSize - current)
      : count;

async function before(check: Check): Promise<void> {
  const { action, data, cluster, properties, binding, policy, context } = check;
  const adjustment = properties['adjustment'] as Adjustment;
  const shrinks = action.action === 'CLUSTER_SCALE_IN';
  if (
    binding.lastOp !== null &&
    adjustment.cooldown > 0 &&
    context.now - binding.lastOp < adjustment.cooldown * SECOND
  )
    return fail(check, `Policy ${policy.id} cooldown is still in progress.`);
  const current = (await check.members()).length;
  let count = countOf(action.inputs) ?? countBy(adjustment, current, shrinks);
  if (!(count > 0)) return fail(check, `Invalid count (${count}) for action '${action.action}'.`);
  if (adjustment.best_effort) count = clamped(cluster, current, count, shrinks);
  const desired = current + (shrinks ? -count : count);
  const problem = sizeProblem(cluster, { desired, strict: !adjustment.best_effort });
  if (problem) return fail(check, problem);
  data.reason = 'Scaling request validated.';
  if (shrinks) data.deletion = { ...data.deletion, count };
  else data.creation = { ...data.creation, count };
}

export const scaling: PolicyType = {
  name: 'senlin.policy.scaling',
  version: '1.0',
  support: { '1.0': [{ status: 'SUPPORTED', since: '2016.04' }] },
  priority: 100,
  singleton: false,
  targets: {
    BEFORE: ['CLUSTER_SCALE_IN', 'CLUSTER_SCALE_OUT'],
    AFTER: ['CLUSTER_SCALE_IN', 'CLUSTER_SCALE_OUT'],
  },
  schema: {
    event: text(
      'Event that will trigger this policy. Must be one of CLUSTER_SCALE_IN and CLUSTER_SCALE_OUT.',
      {
        required: true,
        allowed: ['CLUSTER_SCALE_IN', 'CLUSTER_SCALE_OUT'],
      },
    ),
    adjustment: map('Detailed specification for scaling adjustments.', {
      type: text('Type of adjustment when scaling is triggered.', {
        initial: 'CHANGE_IN_CAPACITY',
        allowed: ['EXACT_CAPACITY', 'CHANGE_IN_CAPACITY', 'CHANGE_IN_PERCENTAGE'],
      }),
      number: number('A number specifying the amount of adjustment.', { initial: 1 }),
      min_step: integer(
        'When adjustment type is set to "CHANGE_IN_PERCENTAGE", this specifies the cluster size will be decreased by at least this number of nodes.',
        { initial: 1 },
      ),
      best_effort: boolean(
        'Whether do best effort scaling when new size of cluster will break the size limitation',
        {
          initial: false,
        },
      ),
      cooldown: integer(
        'Number of seconds to hold the cluster for cool-down before allowing cluster to be resized again.',
        {
          initial: 0,
        },
      ),
    }),
  },
  validate: (_context, { adjustment }) => {
    if (!adjustment) throw malformed();
    const { number, min_step: step, cooldown } = adjustment as Adjustment;
    if (number <= 0) throw invalidSpec("the 'number' for 'adjustment' must be > 0");
    if (step < 0) throw invalidSpec("the 'min_step' for 'adjustment' must be >= 0");
    if (cooldown < 0) throw invalidSpec("the 'cooldown' for 'adjustment' must be >= 0");
  },
  concerns: (phase, { action }, { event }) => phase === 'AFTER' || event === action,
  before,
  after: async ({ context, binding }) => {
    await store.bindings.update(context.db, { id: binding.id }, { lastOp: context.now });
  },
};
