// Resource providers that another service of the region manages: the service describes the desired
// state, and Placement applies it.
import type { Db } from '../../../kernel/db/database.ts';
import type { Context } from '../../../kernel/model.ts';
import { findProvider } from '../store/resource-providers.ts';
import { setInventories } from './inventories.ts';
import type { ProviderShape } from '../model.ts';
import { createProvider, deleteProvider } from './resource-providers.ts';
import { changeTraits } from './traits.ts';

/**
 * Creates a provider if it does not exist, replaces its inventories and adds the traits.
 * @throws 409 if another provider has the name, or if an inventory to delete has allocations
 */
export async function ensureProvider(
  context: Pick<Context, 'db' | 'now'>,
  shape: ProviderShape,
): Promise<void> {
  const { uuid, name, parentUuid = null, inventories, traits } = shape;
  if (!(await findProvider(context.db, uuid)))
    await createProvider(context, { uuid, name, parentUuid });
  await setInventories(context, uuid, inventories);
  await changeTraits(context, uuid, { add: traits });
}

/**
 * Deletes a provider with its inventories, traits and aggregates, if it exists.
 * @throws 409 if it has children or allocations
 */
export async function deleteProviderIfAny(db: Db, uuid: string): Promise<void> {
  if (await findProvider(db, uuid)) await deleteProvider(db, uuid);
}
