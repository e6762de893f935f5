// The links between providers and their traits or aggregates.
import type { Db } from '../../../kernel/db/database.ts';
import { insertRows } from '../../../kernel/db/drivers/recurring.ts';
import { batchesOf } from '../../../kernel/db/owned-rows.ts';
import { deferred } from '../../../kernel/db/transaction.ts';
import { allProvidersChange, providerChange } from './trees-revision.ts';

/** A provider, and the id of a trait or an aggregate of it. */
export interface Link {
  readonly providerId: number;
  readonly id: number;
}

/** Adds traits or aggregates to providers, which do not have them yet. */
export async function insertLinks(
  db: Db,
  kind: 'trait' | 'aggregate',
  links: readonly Link[],
): Promise<void> {
  allProvidersChange(db);
  for (const batch of batchesOf(links))
    await db(`placement_provider_${kind}s`).insert(
      batch.map(({ providerId, id }) => ({ provider_id: providerId, [`${kind}_id`]: id })),
    );
}

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
  if (!removed.length && !added.length) return;
  providerChange(db, providerId);
  if (removed.length)
    await deferred(
      db(table).where({ provider_id: providerId }).whereIn(`${kind}_id`, removed).delete(),
    );
  if (added.length)
    await deferred(
      insertRows(
        db,
        table,
        added.map((id) => ({ provider_id: providerId, [`${kind}_id`]: id })),
      ),
    );
}
