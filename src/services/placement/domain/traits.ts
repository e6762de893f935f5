// Creates and deletes custom traits, and changes the traits of a provider. The provider's
// generation protects the set against concurrent changes.
import type { Db } from '../../../kernel/db/database.ts';
import { isForeignKey } from '../../../kernel/db/errors.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { badRequest, conflict, notFound } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { replaceLinks } from '../store/links.ts';
import { deleteName, insertName, traitTable } from '../store/names.ts';
import { bumpGeneration } from '../store/resource-providers.ts';
import { traitIdsOf } from '../store/traits.ts';
import { ensureNames } from './names.ts';
import type { LinkChange, Named, Provider } from '../model.ts';
import { concurrentUpdate, generationChanged } from './refusals.ts';
import { existingProvider } from './resource-providers.ts';

const changedConcurrently = () =>
  concurrentUpdate('The resource provider was changed by another request.');

/** Finds a trait by name. @throws 404 */
export async function existingTrait(db: Db, name: string): Promise<Named> {
  const trait = await traitTable.find(db, { name });
  if (!trait) throw notFound(`No such trait(s): ${name}.`);
  return trait;
}

/**
 * Creates a trait if it does not exist.
 * @throws 400 if the name is not valid for a custom trait
 */
export async function ensureTrait(
  { db, now }: Pick<Context, 'db' | 'now'>,
  name: string,
): Promise<{ trait: Named; isNew: boolean }> {
  if (!/^CUSTOM_[A-Z0-9_]{1,248}$/.test(name)) {
    throw badRequest(
      'The trait is invalid. A valid trait must be no longer than 255 characters, start with ' +
        'the prefix "CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"',
    );
  }
  const found = await traitTable.find(db, { name });
  return { trait: found ?? (await insertName(db, traitTable, name, now)), isNew: !found };
}

/** @throws 400 for a standard trait, 404, 409 if a provider has the trait */
export async function deleteTrait(db: Db, name: string): Promise<void> {
  const trait = await existingTrait(db, name);
  if (!name.startsWith('CUSTOM_')) throw badRequest(`Cannot delete standard trait ${name}.`);
  try {
    await deleteName(db, traitTable, trait.id);
  } catch (error) {
    throw isForeignKey(error)
      ? conflict(`The trait ${name} is in use by a resource provider.`)
      : error;
  }
}

/** @throws 400 if a name is not that of one of these traits */
export function requireTraits(found: readonly Named[], names: readonly string[]): void {
  const known = new Set(found.map(({ name }) => name));
  const unknown = [...new Set(names)].filter((name) => !known.has(name));
  if (unknown.length) throw badRequest(`No such trait ${unknown.join(', ')}`);
}

/**
 * Replaces the traits of a provider. The generation is incremented only if the set changes.
 * @param before the ids of its current traits
 */
export async function replaceTraits(
  { db, now }: Pick<Context, 'db' | 'now'>,
  provider: Provider,
  before: readonly number[],
  traits: readonly Named[],
): Promise<Provider> {
  const after = new Set(traits.map(({ id }) => id));
  if (before.length === after.size && before.every((id) => after.has(id))) return provider;
  const changed = await bumpGeneration(db, provider, now, generationChanged);
  await replaceLinks(db, 'trait', provider.id, before, [...after]);
  return changed;
}

/**
 * Adds traits to a provider and removes others. The generation is incremented only if the set
 * changes.
 * @throws 404 if the provider does not exist
 */
export async function changeTraits(
  context: Pick<Context, 'db' | 'now'>,
  uuid: string,
  { add = [], remove = [] }: LinkChange,
): Promise<void> {
  const { db, now } = context;
  const [provider, before] = await pipelined([existingProvider(db, uuid), traitIdsOf(db, uuid)]);
  const ids = await ensureNames(context, traitTable, [...add, ...remove]);
  const removed = new Set(remove.map((name) => ids.get(name)!));
  const after = [...new Set([...before, ...add.map((name) => ids.get(name)!)])].filter(
    (id) => !removed.has(id),
  );
  if (after.length === before.length && after.every((id) => before.includes(id))) return;
  await bumpGeneration(db, provider, now, changedConcurrently);
  await replaceLinks(db, 'trait', provider.id, before, after);
}
