// The links between providers and their traits or aggregates.
import type { Db } from '../../../kernel/db/database.ts';
import { deferred } from '../../../kernel/db/transaction.ts';

/**
 * Makes the links of a provider exactly `after`, and touches only those that differ from `before`.
 * All are ids.
 */
export async function replaceLinks(
  db: Db,
  what: 'trait' | 'aggregate',
  providerId: number,
  before: readonly number[],
  after: readonly number[],
): Promise<void> {
  const table = `placement_provider_${what}s`;
  const removed = before.filter((id) => !after.includes(id));
  const added = [...new Set(after)].filter((id) => !before.includes(id));
  if (removed.length)
    await deferred(
      db(table).where({ provider_id: providerId }).whereIn(`${what}_id`, removed).delete(),
    );
  if (added.length)
    await deferred(
      db(table).insert(added.map((id) => ({ provider_id: providerId, [`${what}_id`]: id }))),
    );
}
