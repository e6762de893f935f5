// Creates, renames, moves and deletes resource providers, and keeps their trees valid.
import {
  SerializationFailure,
  duplicateKey,
  isDuplicate,
  isForeignKey,
} from '../../../kernel/db/errors.ts';
import { firstRepeated } from '../../../kernel/db/grouping.ts';
import { acquireLock } from '../../../kernel/db/transaction.ts';
import { badRequest, conflict, notFound, type ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { providerHasAllocations } from '../store/allocations.ts';
import {
  deleteProviderRow,
  findProvider,
  findProvidersWithInventories,
  findTakenName,
  hasChildren,
  insertProvider,
  listTree,
  moveToRoot,
  updateProvider,
} from '../store/resource-providers.ts';
import { noSuchObject } from './refusals.ts';
import type { Provider, ProviderWithInventories } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

const noProvider = (uuid: string): ApiError =>
  noSuchObject(`No resource provider with uuid ${uuid} found`);

/** Finds a provider by UUID. @throws 404 */
export async function existingProvider(db: Db, uuid: string): Promise<Provider> {
  const provider = await findProvider(db, uuid);
  if (!provider) throw noProvider(uuid);
  return provider;
}

/** Finds a provider and its inventories by UUID. @throws 404 */
export async function existingProviderWithInventories(
  db: Db,
  uuid: string,
): Promise<ProviderWithInventories> {
  const provider = (await findProvidersWithInventories(db, [uuid])).get(uuid);
  if (!provider) throw noProvider(uuid);
  return provider;
}

/** The fields of a new provider. */
export interface NewProvider {
  readonly uuid: string;
  readonly name: string;
  readonly parentUuid: string | null | undefined;
}

/** Creates a provider, as a root or as the child of a parent. @throws 400, 409 */
export async function createProvider(
  { db, now }: Pick<Context, 'db' | 'now'>,
  fields: NewProvider,
): Promise<Provider> {
  const { uuid, name, parentUuid } = fields;
  const refuse = (reason: string): ApiError =>
    badRequest(
      `Unable to create resource provider "${name}", ${uuid}: Object action create failed ` +
        `because: ${reason}`,
    );
  if (name === '') throw refuse('name is required');
  if (parentUuid === uuid)
    throw refuse(
      'parent provider UUID cannot be same as UUID. Please set parent provider UUID to None ' +
        'if there is no parent.',
    );
  const parent = parentUuid ? await findProvider(db, parentUuid) : undefined;
  if (parentUuid && !parent) throw refuse('parent provider UUID does not exist.');
  let created: Provider | undefined;
  try {
    created = await insertProvider(db, { uuid, name, parent, now });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw duplicate(duplicateKey(error).includes('name') ? `name: ${name}` : `uuid: ${uuid}`);
  }
  // The next attempt no longer finds the parent.
  if (!created) throw new SerializationFailure(refuse('parent provider UUID does not exist.'));
  return created;
}

/** @throws 409 if a provider has one of the names, or if one occurs twice */
export async function checkNamesAreFree(db: Db, names: readonly string[]): Promise<void> {
  const taken = firstRepeated(names) ?? (await findTakenName(db, names));
  if (taken !== undefined) throw duplicate(`name: ${taken}`);
}

const duplicate = (field: string): ApiError =>
  conflict(`Conflicting resource provider ${field} already exists.`, {
    code: 'placement.duplicate_name',
  });

/** The changes to a provider. */
export interface ProviderChange {
  readonly name: string;
  /** Undefined keeps the parent; null makes the provider a root. */
  readonly parentUuid: string | null | undefined;
  /** Whether a provider's parent can be replaced or removed (from 1.37). */
  readonly mayMove: boolean;
}

/**
 * Renames a provider and moves it, with its whole subtree, to another parent. Its generation does
 * not change.
 * @throws 400, 404, 409
 */
export async function changeProvider(
  { db, now }: Pick<Context, 'db' | 'now'>,
  uuid: string,
  change: ProviderChange,
): Promise<{ before: Provider; after: Provider }> {
  // Only one transaction moves providers at a time. Two concurrent moves could create a loop.
  if (change.parentUuid !== undefined) await acquireLock(db, 'placement.move');
  const before = await existingProvider(db, uuid);
  const parent =
    change.parentUuid === undefined ? undefined : await findNewParent(db, before, change);
  const parentId = change.parentUuid === undefined ? before.parentId : (parent?.id ?? null);
  try {
    // A request that only renames does not write the parent, which a concurrent move may change.
    await updateProvider(db, before.id, {
      name: change.name,
      ...(change.parentUuid === undefined ? {} : { parentId }),
      updatedAt: now,
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

/** Finds the new parent of a provider; undefined if it becomes a root. @throws 400 */
async function findNewParent(
  db: Db,
  provider: Provider,
  { parentUuid, mayMove }: ProviderChange,
): Promise<Provider | undefined> {
  const refuse = (action: string, reason: string): ApiError =>
    badRequest(
      `Unable to save resource provider ${provider.uuid}: Object action ${action} failed ` +
        `because: ${reason}`,
    );
  if (parentUuid === null) {
    if (provider.parentId !== null && !mayMove)
      throw refuse('update', 'un-parenting a provider is not currently allowed.');
    return undefined;
  }
  const parent = await findProvider(db, parentUuid!);
  // Upstream also names the action "create" here.
  if (!parent) throw refuse('create', 'parent provider UUID does not exist.');
  if (provider.parentId !== null && provider.parentId !== parent.id && !mayMove)
    throw refuse('update', 're-parenting a provider is not currently allowed.');
  const subtree = subtreeIds(await listTree(db, provider.rootId), provider.id);
  if (subtree.includes(parent.id))
    throw refuse('update', 'creating loop in the provider tree is not allowed.');
  return parent;
}

/** Lists the ids of a provider and all its descendants. */
function subtreeIds(tree: readonly Provider[], id: number): number[] {
  const children = new Map<number | null, number[]>();
  for (const provider of tree)
    children.set(provider.parentId, [...(children.get(provider.parentId) ?? []), provider.id]);
  const ids = [id];
  for (let at = 0; at < ids.length; at++) ids.push(...(children.get(ids[at]!) ?? []));
  return ids;
}

/** Deletes a provider without children and allocations. @throws 404, 409 */
export async function deleteProvider(db: Db, uuid: string): Promise<void> {
  const provider = await findProvider(db, uuid);
  if (!provider) throw notFound(`No resource provider with uuid ${uuid} found for delete`);
  const hasChildrenError = conflict(
    `Unable to delete parent resource provider ${uuid}: It has child resource providers.`,
    {
      code: 'placement.resource_provider.cannot_delete_parent',
    },
  );
  const hasAllocationsError = conflict(
    `Unable to delete resource provider ${uuid}: Resource provider has allocations.`,
    {
      code: 'placement.resource_provider.inuse',
    },
  );
  if (await hasChildren(db, provider.id)) throw hasChildrenError;
  if (await providerHasAllocations(db, provider.id)) throw hasAllocationsError;
  try {
    await deleteProviderRow(db, provider.id);
  } catch (error) {
    // Another request has just added a child or an allocation. This transaction's snapshot does not
    // include it, but the foreign keys detect it.
    if (!isForeignKey(error)) throw error;
    throw /placement_allocations|allocations/.test((error as Error).message)
      ? hasAllocationsError
      : hasChildrenError;
  }
}
