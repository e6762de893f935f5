// The policy senlin.policy.batch limits how many nodes of a cluster are updated at once.
import type { ActionData, Node } from '../../model.ts';
import { isUnhealthy } from '../clusters/victims.ts';
import { integer } from '../specs/schema.ts';
import type { Check, PolicyType } from './types.ts';

/** Splits the nodes into batches, unhealthy ones first. @returns their ids */
export function batches(
  members: readonly Node[],
  minInService: number,
  maxBatch: number,
): string[][] {
  const total = members.length;
  const spare = total > minInService ? total - minInService : Math.ceil(total / 2);
  const size = Math.max(1, maxBatch === -1 ? spare : Math.min(spare, maxBatch));
  const healthy = members.filter((node) => !isUnhealthy(node));
  const ids = [...members.filter(isUnhealthy), ...healthy].map(({ id }) => id);
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, index) =>
    ids.slice(index * size, (index + 1) * size),
  );
}

async function before(check: Check): Promise<ActionData> {
  const { data, properties, notes } = check;
  const members = await check.members();
  const minInService = properties['min_in_service'] as number;
  const maxBatch = properties['max_batch_size'] as number;
  const plan = batches(members, minInService, maxBatch);
  notes.add(() => ({
    text:
      `${members.length} nodes, at least ${minInService} in service, ` +
      `${maxBatch === -1 ? 'batches of any size' : `at most ${maxBatch} at once`}: batches of ` +
      plan.map(({ length }) => length).join(', '),
    values: { nodes: members.length, min_in_service: minInService, max_batch_size: maxBatch },
  }));
  const update = { pause_time: properties['pause_time'] as number, plan };
  return { ...data, update, reason: 'Batching request validated.' };
}

export const batch: PolicyType = {
  name: 'senlin.policy.batch',
  version: '1.0',
  support: { '1.0': [{ status: 'EXPERIMENTAL', since: '2017.02' }] },
  priority: 200,
  singleton: true,
  targets: { BEFORE: ['CLUSTER_UPDATE'], AFTER: [] },
  schema: {
    min_in_service: integer('Minimum number of nodes in service when performing updates.', {
      initial: 1,
    }),
    max_batch_size: integer('Maximum number of nodes that will be updated in parallel.', {
      initial: -1,
    }),
    pause_time: integer('Interval in seconds between update batches if any.', { initial: 60 }),
  },
  before,
};
