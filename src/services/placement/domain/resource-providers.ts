// The rules of the tree: making providers, giving them other parents, deleting them.
import type { Micros } from '../../../kernel/clock.ts';
import { duplicateKey, isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import { takeTurn } from '../../../kernel/db/transaction.ts';
import { badRequest, conflict, notFound, type Fault } from '../../../kernel/fault.ts';
import { providerHasAllocations } from '../store/allocations.ts';
import {
  deleteProvider,
  findProvider,
  hasChildren,
  insertProvider,
  listTree,
  moveToRoot,
  updateProvider,
  type Provider,
} from '../store/resource-providers.ts';
import type { Db } from '../../../kernel/db/database.ts'; // prettier-ignore

export interface NewProvider {
  readonly uuid: string;
  readonly name: string;
  readonly parentUuid: string | null | undefined;
}

/** Makes a provider at generation 0, a root or a child. @throws 400, 409 */
export async function createProvider(db: Db, { uuid, name, parentUuid }: NewProvider, now: Micros): Promise<Provider> {
  const refuse = (reason: string): Fault =>
    badRequest(`Unable to create resource provider "${name}", ${uuid}: Object action create failed because: ${reason}`);
  if (name === '') throw refuse('name is required');
  if (parentUuid === uuid)
    throw refuse('parent provider UUID cannot be same as UUID. Please set parent provider UUID to None if there is no parent.');
  const parent = parentUuid ? await findProvider(db, parentUuid) : undefined;
  if (parentUuid && !parent) throw refuse('parent provider UUID does not exist.');
  try {
    await insertProvider(db, { uuid, name, parent, now });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const clash = duplicateKey(error).includes('name') ? `name: ${name}` : `uuid: ${uuid}`;
    throw conflict(`Conflicting resource provider ${clash} already exists.`, { code: 'placement.duplicate_name' });
  }
  return (await findProvider(db, uuid))!;
}

export interface ProviderChange {
  readonly name: string;
  /** Undefined leaves the parent as it is; null takes it away. */
  readonly parentUuid: string | null | undefined;
  /** Whether a provider that has a parent may get another one, or none (from 1.37). */
  readonly mayMove: boolean;
}

/** Renames a provider and puts it elsewhere in the forest, with everything below it. Its generation stays. @throws 400, 404, 409 */
export async function changeProvider(
  db: Db,
  uuid: string,
  change: ProviderChange,
  now: Micros,
): Promise<{ before: Provider; after: Provider }> {
  // Two moves at a time could make a circle that neither of them sees.
  if (change.parentUuid !== undefined) await takeTurn(db, 'placement.move');
  const before = await findProvider(db, uuid);
  if (!before) throw notFound(`No resource provider with uuid ${uuid} found`);
  const parent = change.parentUuid === undefined ? undefined : await newParent(db, before, change);
  const parentId = change.parentUuid === undefined ? before.parentId : (parent?.id ?? null);
  try {
    await updateProvider(db, before.id, { name: change.name, parentId, now });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw conflict(`Conflicting resource provider ${change.name} already exists.`, { code: 'placement.duplicate_name' });
  }
  const rootId = parentId === null ? before.id : (parent?.rootId ?? before.rootId);
  if (rootId !== before.rootId) await moveToRoot(db, subtreeIds(await listTree(db, before.rootId), before.id), rootId, now);
  return { before, after: (await findProvider(db, uuid))! };
}

async function newParent(db: Db, provider: Provider, { parentUuid, mayMove }: ProviderChange): Promise<Provider | undefined> {
  const refuse = (action: string, reason: string): Fault =>
    badRequest(`Unable to save resource provider ${provider.uuid}: Object action ${action} failed because: ${reason}`);
  if (parentUuid === null) {
    if (provider.parentId !== null && !mayMove) throw refuse('update', 'un-parenting a provider is not currently allowed.');
    return undefined;
  }
  const parent = await findProvider(db, parentUuid!);
  // "create" is upstream's word here too.
  if (!parent) throw refuse('create', 'parent provider UUID does not exist.');
  if (provider.parentId !== null && provider.parentId !== parent.id && !mayMove)
    throw refuse('update', 're-parenting a provider is not currently allowed.');
  const below = subtreeIds(await listTree(db, provider.rootId), provider.id);
  if (below.includes(parent.id)) throw refuse('update', 'creating loop in the provider tree is not allowed.');
  return parent;
}

/** The provider and everything below it. */
function subtreeIds(tree: readonly Provider[], id: number): number[] {
  const children = new Map<number | null, number[]>();
  for (const provider of tree) children.set(provider.parentId, [...(children.get(provider.parentId) ?? []), provider.id]);
  const ids = [id];
  for (let at = 0; at < ids.length; at++) ids.push(...(children.get(ids[at]!) ?? []));
  return ids;
}

/** Deletes a provider that has neither children nor allocations. @throws 404, 409 */
export async function removeProvider(db: Db, uuid: string): Promise<void> {
  const provider = await findProvider(db, uuid);
  if (!provider) throw notFound(`No resource provider with uuid ${uuid} found for delete`);
  const parentInUse = conflict(`Unable to delete parent resource provider ${uuid}: It has child resource providers.`, {
    code: 'placement.resource_provider.cannot_delete_parent',
  });
  const inUse = conflict(`Unable to delete resource provider ${uuid}: Resource provider has allocations.`, {
    code: 'placement.resource_provider.inuse',
  });
  if (await hasChildren(db, provider.id)) throw parentInUse;
  if (await providerHasAllocations(db, provider.id)) throw inUse;
  try {
    await deleteProvider(db, provider.id);
  } catch (error) {
    // A child or an allocation that came in between: the foreign keys see what this transaction does not.
    if (!isForeignKey(error)) throw error;
    throw /placement_allocations|allocations/.test((error as Error).message) ? inUse : parentInUse;
  }
}
