// The rules of a provider's aggregates: an aggregate is created when it is first named, and the
// provider's generation guards the set.
import type { Context } from '../../../kernel/model.ts';
import { aggregatesOf, ensureAggregates } from '../store/aggregates.ts';
import { replaceLinks } from '../store/links.ts';
import { bumpGeneration } from '../store/resource-providers.ts';
import type { LinkChange, Provider } from '../model.ts';
import { concurrentUpdate, generationChanged } from './refusals.ts';
import { existingProvider } from './resource-providers.ts';

const createdMeanwhile = () =>
  concurrentUpdate('Another request made the same aggregate. Please retry.');

/**
 * Makes the aggregates of a provider exactly these.
 * @param generation the provider's generation as the client knows it (from 1.19). With it the
 *   generation is incremented, also where the set stays the same; without it the generation stays.
 * @throws 409 where the generation is another
 */
export async function replaceAggregates(
  { db, now }: Pick<Context, 'db' | 'now'>,
  provider: Provider,
  names: readonly string[],
  generation: number | undefined,
): Promise<Provider> {
  if (generation !== undefined && generation !== provider.generation) throw generationChanged();
  const before = await aggregatesOf(db, provider.id);
  const ids = await ensureAggregates(db, names, now, createdMeanwhile());
  const after =
    generation === undefined
      ? provider
      : await bumpGeneration(db, provider, now, generationChanged());
  await replaceLinks(
    db,
    'aggregate',
    provider.id,
    before.map(({ id }) => id),
    names.map((name) => ids.get(name)!),
  );
  return after;
}

/**
 * Adds a provider to aggregates and removes it from others. The generation is incremented only
 * where the set changes.
 * @throws 404 for the provider
 */
export async function changeAggregates(
  { db, now }: Pick<Context, 'db' | 'now'>,
  uuid: string,
  { add = [], remove = [] }: LinkChange,
): Promise<void> {
  const provider = await existingProvider(db, uuid);
  const before = await aggregatesOf(db, provider.id);
  const ids = await ensureAggregates(db, add, now, createdMeanwhile());
  const kept = before.filter(({ name }) => !remove.includes(name)).map(({ id }) => id);
  const after = [...new Set([...kept, ...ids.values()])];
  if (after.length === before.length && before.every(({ id }) => after.includes(id))) return;
  await bumpGeneration(
    db,
    provider,
    now,
    concurrentUpdate('The resource provider was changed by another request.'),
  );
  await replaceLinks(
    db,
    'aggregate',
    provider.id,
    before.map(({ id }) => id),
    after,
  );
}
