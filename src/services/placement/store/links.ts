// The links between providers and their traits or aggregates.
import type { Db } from '../../../kernel/db/database.ts';
import { deferred } from '../../../kernel/db/transaction.ts';

/**
 * Replaces the trait or aggregate ids of a provider by `after`. It writes only the difference from
 * `before`.
 */
export async function replaceLinks(
  db: Db,
  kind: 'trait' | 'aggregate',
  providerId: number,
  before: readonly number[],
  after: readonly number[],
): Promise<void> {
  const table = `placement_provider_${kind}s`;
  const [present, wanted] = [new Set(before), new Set(after)];
  const removed = before.filter((id) => !wanted.has(id));
  const added = [...wanted].filter((id) => !present.has(id));
  if (removed.length)
    await deferred(
      db(table).where({ provider_id: providerId }).whereIn(`${kind}_id`, removed).delete(),
    );
  if (added.length)
    await deferred(
      db(table).insert(added.map((id) => ({ provider_id: providerId, [`${kind}_id`]: id }))),
    );
}
