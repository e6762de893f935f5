// Changes the aggregates of a provider. An aggregate is created on first use, and the provider's
// generation protects the set against concurrent changes.
import type { Db } from '../../../kernel/db/database.ts';
import type { Context } from '../../../kernel/model.ts';
import { ensureAggregates, listProviderAggregates, providersIn } from '../store/aggregates.ts';
import { insertLinks, replaceLinks } from '../store/links.ts';
import { bumpGeneration, bumpGenerations, findProviders } from '../store/resource-providers.ts';
import type { LinkChange, Provider } from '../model.ts';
import { concurrentUpdate, generationChanged } from './refusals.ts';
import { existingProvider } from './resource-providers.ts';

const createdConcurrently = () =>
  concurrentUpdate('Another request made the same aggregate. Please retry.');
const changedConcurrently = () =>
  concurrentUpdate('The resource provider was changed by another request.');

/**
 * Replaces the aggregates of a provider.
 * @param generation the client's generation of the provider (from 1.19). If given, the generation
 *   is incremented, even if the set does not change; otherwise the generation does not change.
 * @throws 409 if the generation is not the current one
 */
export async function replaceAggregates(
  { db, now }: Pick<Context, 'db' | 'now'>,
  provider: Provider,
  names: readonly string[],
  generation: number | undefined,
): Promise<Provider> {
  if (generation !== undefined && generation !== provider.generation) throw generationChanged();
  const before = await listProviderAggregates(db, provider.id);
  const ids = await ensureAggregates(db, names, now, createdConcurrently);
  const after =
    generation === undefined
      ? provider
      : await bumpGeneration(db, provider, now, generationChanged);
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
 * Adds a provider to aggregates and removes it from others. The generation is incremented only if
 * the set changes.
 * @throws 404 if the provider does not exist
 */
export async function changeAggregates(
  { db, now }: Pick<Context, 'db' | 'now'>,
  uuid: string,
  { add = [], remove = [] }: LinkChange,
): Promise<void> {
  const provider = await existingProvider(db, uuid);
  const before = await listProviderAggregates(db, provider.id);
  const ids = await ensureAggregates(db, add, now, createdConcurrently);
  const kept = before.filter(({ name }) => !remove.includes(name)).map(({ id }) => id);
  const after = [...new Set([...kept, ...ids.values()])];
  if (after.length === before.length && before.every(({ id }) => after.includes(id))) return;
  await bumpGeneration(db, provider, now, changedConcurrently);
  await replaceLinks(
    db,
    'aggregate',
    provider.id,
    before.map(({ id }) => id),
    after,
  );
}

/**
 * Adds providers to an aggregate. The generations of those that are in it already do not change.
 * @throws 404 if a provider does not exist
 */
export async function addProviders(
  { db, now }: Pick<Context, 'db' | 'now'>,
  name: string,
  uuids: readonly string[],
): Promise<void> {
  const found = await findProviders(db, uuids);
  const missing = uuids.find((uuid) => !found.has(uuid));
  if (missing !== undefined) await existingProvider(db, missing);
  const id = (await ensureAggregates(db, [name], now, createdConcurrently)).get(name)!;
  const members = await providersIn(db, id);
  const added = [...found.values()].filter((provider) => !members.has(provider.id));
  await bumpGenerations(db, added, now, changedConcurrently);
  await insertLinks(
    db,
    'aggregate',
    added.map((provider) => ({ providerId: provider.id, id })),
  );
}

/** The aggregates of a provider; none, if the provider does not exist. */
export async function aggregatesOf(db: Db, uuid: string): Promise<string[]> {
  const provider = (await findProviders(db, [uuid])).get(uuid);
  return provider ? (await listProviderAggregates(db, provider.id)).map(({ name }) => name) : [];
}
