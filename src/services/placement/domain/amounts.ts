// Changes of what a consumer has allocated, on behalf of other services of the region.
import type { Context } from '../../../kernel/model.ts';
import { findConsumers } from '../store/consumers.ts';
import type { Allocations, Amounts } from '../model.ts';
import { allocationsByConsumer, replaceAllocations } from './allocations.ts';

/**
 * Adds amounts to the allocations of a consumer; negative ones reduce them. An amount that reaches
 * zero is no longer allocated.
 * @returns false if the consumer has no allocations
 * @throws 409 if the amounts do not fit
 */
export async function changeAmounts(
  context: Pick<Context, 'db' | 'now'>,
  uuid: string,
  changes: Allocations,
): Promise<boolean> {
  const { db } = context;
  const consumer = (await findConsumers(db, [uuid])).get(uuid);
  const held = (await allocationsByConsumer(db, [uuid])).get(uuid);
  if (!consumer || !held) return false;
  const allocations = new Map(held);
  for (const [provider, amounts] of changes) {
    const after = summed(allocations.get(provider) ?? {}, amounts);
    if (Object.keys(after).length) allocations.set(provider, after);
    else allocations.delete(provider);
  }
  const { projectId, userId, generation } = consumer;
  await replaceAllocations(context, [
    { consumer: uuid, projectId, userId, generation, type: undefined, allocations },
  ]);
  return true;
}

function summed(before: Amounts, changes: Amounts): Amounts {
  const names = new Set([...Object.keys(before), ...Object.keys(changes)]);
  return Object.fromEntries(
    [...names]
      .map((name) => [name, (before[name] ?? 0) + (changes[name] ?? 0)] as const)
      .filter(([, amount]) => amount > 0),
  );
}
