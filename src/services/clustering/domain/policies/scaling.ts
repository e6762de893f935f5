// The policy senlin.policy.scaling: how many nodes a cluster is scaled by, and its cooldown.
import { SECOND } from '../../../../kernel/clock.ts';
import { counted } from '../../../../kernel/user/sentences.ts';
import * as store from '../../store/index.ts';
import { countOf, sizeProblem } from '../clusters/size.ts';
import type { ActionData, Cluster, Json } from '../../model.ts';
import { invalidSpec, malformed } from '../refusals.ts';
import { boolean, integer, map, number, text } from '../specs/schema.ts';
import type { PolicyNote } from './explanation.ts';
import { failCheck, type Check, type PolicyType } from './types.ts';

export interface Adjustment {
  readonly type: string;
  readonly number: number;
  readonly min_step: number;
  readonly best_effort: boolean;
  readonly cooldown: number;
}

/**
 * The seconds for which a policy rejects an action of this kind after the last one; 0 if it is no
 * scaling policy for this kind.
 */
export const cooldownOf = (type: string, properties: Json, action: string): number =>
  type.startsWith('senlin.policy.scaling-') && properties['event'] === action
    ? ((properties['adjustment'] as Adjustment | null)?.cooldown ?? 0)
    : 0;

/** The number of nodes to add or remove. A percentage results in `min_step` at least. */
function countBy(
  { type, number, min_step: step }: Adjustment,
  current: number,
  shrinks: boolean,
): number {
  if (type === 'EXACT_CAPACITY') return shrinks ? current - number : number - current;
  if (type === 'CHANGE_IN_CAPACITY') return number;
  return Math.max(Math.trunc((number * current) / 100), step);
}

/** The part of the count that the limits of the cluster allow. */
const clamp = (
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

function noteCooldown({ binding, context: { now }, notes }: Check, { cooldown }: Adjustment): void {
  const { lastOp } = binding;
  if (cooldown <= 0) return;
  notes.add(() => {
    const elapsed = lastOp === null ? null : (now - lastOp) / SECOND;
    return {
      text:
        elapsed === null
          ? `no operation yet; the cooldown is ${cooldown} s`
          : `the last operation was ${elapsed} s ago; the cooldown is ${cooldown} s`,
      values: { cooldown, elapsed },
    };
  });
}

/** How many nodes the request or the policy asks for. */
function countNote(
  { type, number, min_step: step }: Adjustment,
  values: {
    readonly current: number;
    readonly requested: number | undefined;
    readonly count: number;
  },
): PolicyNote {
  const { current, requested, count } = values;
  const rule =
    requested !== undefined
      ? 'the request names the count'
      : type === 'CHANGE_IN_PERCENTAGE'
        ? `${number} % of ${current}, at least ${step} (min_step)`
        : `${type} ${number}`;
  return {
    text: `the cluster has ${counted(current, 'node')}; ${rule}: ${count}`,
    values: { current, count },
  };
}

function cutNote(
  { minSize, maxSize }: Cluster,
  asked: number,
  allowed: number,
  shrinks: boolean,
): PolicyNote {
  const limit = shrinks ? `min_size ${minSize}` : `max_size ${maxSize}`;
  return {
    text: `best effort cuts ${asked} to ${allowed} because of ${limit}`,
    values: { asked, allowed, min_size: minSize, max_size: maxSize },
  };
}

async function before(check: Check): Promise<ActionData> {
  const { action, data, cluster, properties, binding, policy, context, notes } = check;
  const adjustment = properties['adjustment'] as Adjustment;
  const shrinks = action.action === 'CLUSTER_SCALE_IN';
  noteCooldown(check, adjustment);
  if (
    binding.lastOp !== null &&
    adjustment.cooldown > 0 &&
    context.now - binding.lastOp < adjustment.cooldown * SECOND
  )
    return failCheck(data, `Policy ${policy.id} cooldown is still in progress.`);
  const current = (await check.members()).length;
  const requested = countOf(action.inputs);
  let count = requested ?? countBy(adjustment, current, shrinks);
  const asked = count;
  notes.add(() => countNote(adjustment, { current, requested, count: asked }));
  if (!(count > 0))
    return failCheck(data, `Invalid count (${count}) for action '${action.action}'.`);
  if (adjustment.best_effort) count = clamp(cluster, current, count, shrinks);
  if (count < asked) notes.cut(() => cutNote(cluster, asked, count, shrinks));
  const desired = current + (shrinks ? -count : count);
  const { maxNodes } = check;
  const problem = sizeProblem(cluster, { desired, strict: !adjustment.best_effort, maxNodes });
  if (problem) return failCheck(data, problem);
  const validated = { ...data, reason: 'Scaling request validated.' };
  return shrinks
    ? { ...validated, deletion: { ...data.deletion, count } }
    : { ...validated, creation: { ...data.creation, count } };
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
        'When adjustment type is set to "CHANGE_IN_PERCENTAGE", this specifies the cluster ' +
          'size will be decreased by at least this number of nodes.',
        { initial: 1 },
      ),
      best_effort: boolean(
        'Whether do best effort scaling when new size of cluster will break the size limitation',
        {
          initial: false,
        },
      ),
      cooldown: integer(
        'Number of seconds to hold the cluster for cool-down before allowing cluster to be ' +
          'resized again.',
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
  after: async ({ context, binding, data }) => {
    await store.bindings.update(context.db, { id: binding.id }, { lastOp: context.now });
    return data;
  },
};
