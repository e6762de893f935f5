// The rules of resource providers and their trees: creating, renaming, moving and deleting them.
import {
  SerializationFailure,
  duplicateKey,
  isDuplicate,
  isForeignKey,
} from '../../../kernel/db/errors.ts';
import { acquireLock } from '../../../kernel/db/transaction.ts';
import { badRequest, conflict, notFound, type ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { providerHasAllocations } from '../store/allocations.ts';
import {
  deleteProviderRow,
  findProvider,
  findStocked,
  hasChildren,
  insertProvider,
  listTree,
  moveToRoot,
  updateProvider,
  type StockedProvider,
} from '../store/resource-providers.ts';
import { noSuchObject } from './refusals.ts';
import type { Provider } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

const noProvider = (uuid: string): ApiError =>
  noSuchObject(`No resource provider with uuid ${uuid} found`);

/** The provider of that UUID. @throws 404 */
export async function existingProvider(db: Db, uuid: string): Promise<Provider> {
  const provider = await findProvider(db, uuid);
  if (!provider) throw noProvider(uuid);
  return provider;
}

/** The same with its inventories. @throws 404 */
export async function stockedProvider(db: Db, uuid: string): Promise<StockedProvider> {
  const provider = (await findStocked(db, [uuid])).get(uuid);
  if (!provider) throw noProvider(uuid);
  return provider;
}

/** What a request says of a new provider. */
export interface NewProvider {
  readonly uuid: string;
  readonly name: string;
  readonly parentUuid: string | null | undefined;
}

/** Creates a provider at generation 0: a root, or the child of a parent. @throws 400, 409 */
export async function createProvider(
  { db, now }: Pick<Context, 'db' | 'now'>,
  fields: NewProvider,
): Promise<Provider> {
  const { uuid, name, parentUuid } = fields;
  const refuse = (reason: string): ApiError =>
    badRequest(
      `Unable to create resource provider "${name}", ${uuid}: Object action create failed because: ${reason}`,
    );
  if (name === '') throw refuse('name is required');
  if (parentUuid === uuid)
    throw refuse(
      'parent provider UUID cannot be same as UUID. Please set parent provider UUID to None if there is no parent.',
    );
  const parent = parentUuid ? await findProvider(db, parentUuid) : undefined;
  if (parentUuid && !parent) throw refuse('parent provider UUID does not exist.');
  try {
    await insertProvider(db, { uuid, name, parent, now });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const clash = duplicateKey(error).includes('name') ? `name: ${name}` : `uuid: ${uuid}`;
    throw conflict(`Conflicting resource provider ${clash} already exists.`, {
      code: 'placement.duplicate_name',
    });
  }
  const created = await findProvider(db, uuid);
  // Nothing was written where another request has just deleted the parent: the next attempt sees
  // that.
  if (!created) throw new SerializationFailure(refuse('parent provider UUID does not exist.'));
  return created;
}

/** What a request changes of a provider. */
export interface ProviderChange {
  readonly name: string;
  /** Undefined leaves the parent as it is; null makes the provider a root. */
  readonly parentUuid: string | null | undefined;
  /** Whether a provider that has a parent may get another parent, or none (from 1.37). */
  readonly mayMove: boolean;
}

/**
 * Renames a provider, and moves it with everything below it to another parent. Its generation
 * stays.
 * @throws 400, 404, 409
 */
export async function changeProvider(
  { db, now }: Pick<Context, 'db' | 'now'>,
  uuid: string,
  change: ProviderChange,
): Promise<{ before: Provider; after: Provider }> {
  // One move at a time: two that do not see each other could make a loop.
  if (change.parentUuid !== undefined) await acquireLock(db, 'placement.move');
  const before = await existingProvider(db, uuid);
  const parent = change.parentUuid === undefined ? undefined : await newParent(db, before, change);
  const parentId = change.parentUuid === undefined ? before.parentId : (parent?.id ?? null);
  try {
    // Who only renames leaves the parent to a move that may be going on.
    await updateProvider(db, before.id, {
      name: change.name,
      parentId: change.parentUuid === undefined ? undefined : parentId,
      now,
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw conflict(`Conflicting resource provider ${change.name} already exists.`, {
      code: 'placement.duplicate_name',
    });
  }
  const rootId = parentId === null ? before.id : (parent?.rootId ?? before.rootId);
  if (rootId !== before.rootId)
    await moveToRoot(db, subtreeIds(await listTree(db, before.rootId), before.id), rootId, now);
  return { before, after: (await findProvider(db, uuid))! };
}

async function newParent(
  db: Db,
  provider: Provider,
  { parentUuid, mayMove }: ProviderChange,
): Promise<Provider | undefined> {
  const refuse = (action: string, reason: string): ApiError =>
    badRequest(
      `Unable to save resource provider ${provider.uuid}: Object action ${action} failed because: ${reason}`,
    );
  if (parentUuid === null) {
    if (provider.parentId !== null && !mayMove)
      throw refuse('update', 'un-parenting a provider is not currently allowed.');
    return undefined;
  }
  const parent = await findProvider(db, parentUuid!);
  // "create" is upstream's word here too.
  if (!parent) throw refuse('create', 'parent provider UUID does not exist.');
  if (provider.parentId !== null && provider.parentId !== parent.id && !mayMove)
    throw refuse('update', 're-parenting a provider is not currently allowed.');
  const below = subtreeIds(await listTree(db, provider.rootId), provider.id);
  if (below.includes(parent.id))
    throw refuse('update', 'creating loop in the provider tree is not allowed.');
  return parent;
}

/** The ids of the provider and of everything below it. */
function subtreeIds(tree: readonly Provider[], id: number): number[] {
  const children = new Map<number | null, number[]>();
  for (const provider of tree)
    children.set(provider.parentId, [...(children.get(provider.parentId) ?? []), provider.id]);
  const ids = [id];
  for (let at = 0; at < ids.length; at++) ids.push(...(children.get(ids[at]!) ?? []));
  return ids;
}

/** Deletes a provider that has neither children nor allocations. @throws 404, 409 */
export async function deleteProvider(db: Db, uuid: string): Promise<void> {
  const provider = await findProvider(db, uuid);
  if (!provider) throw notFound(`No resource provider with uuid ${uuid} found for delete`);
  const parentInUse = conflict(
    `Unable to delete parent resource provider ${uuid}: It has child resource providers.`,
    {
      code: 'placement.resource_provider.cannot_delete_parent',
    },
  );
  const inUse = conflict(
    `Unable to delete resource provider ${uuid}: Resource provider has allocations.`,
    {
      code: 'placement.resource_provider.inuse',
    },
  );
  if (await hasChildren(db, provider.id)) throw parentInUse;
  if (await providerHasAllocations(db, provider.id)) throw inUse;
  try {
    await deleteProviderRow(db, provider.id);
  } catch (error) {
    // Another request has just added a child or an allocation: the foreign keys see it, this
    // transaction does not.
    if (!isForeignKey(error)) throw error;
    throw /placement_allocations|allocations/.test((error as Error).message) ? inUse : parentInUse;
  }
}
