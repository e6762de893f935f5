// Resource providers that another service of the region manages: the service describes the desired
// state, and Placement applies it.
import { attempt } from '../../../kernel/context.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Context } from '../../../kernel/model.ts';
import { insertInventoriesOfMany } from '../store/inventories.ts';
import { insertLinks, type Link } from '../store/links.ts';
import { classTable, traitTable } from '../store/names.ts';
import {
  findProvider,
  findProviders,
  findProvidersNamed,
  insertRoots,
  listTree,
} from '../store/resource-providers.ts';
import { setInventories, withDefaults } from './inventories.ts';
import type { Provider, ProviderShape } from '../model.ts';
import { ensureNames } from './names.ts';
import { checkNamesAreFree, createProvider, deleteProvider } from './resource-providers.ts';
import { changeTraits } from './traits.ts';

type WriteContext = Pick<Context, 'db' | 'now'>;

/**
 * Creates the providers that do not exist, replaces the inventories of all, and adds the traits.
 * New roots are written in a few statements, however many they are.
 * @throws 409 if another provider has a name, or if an inventory to delete has allocations
 */
export async function ensureProviders(
  context: WriteContext,
  shapes: readonly ProviderShape[],
): Promise<void> {
  const uuids = shapes.map(({ uuid }) => uuid);
  const existing = await findProviders(context.db, uuids);
  const isNewRoot = ({ uuid, parentUuid }: ProviderShape): boolean =>
    !existing.has(uuid) && (parentUuid ?? null) === null;
  await createRoots(context, shapes.filter(isNewRoot));
  for (const shape of shapes) if (!isNewRoot(shape)) await ensureProvider(context, shape);
}

async function ensureProvider(context: WriteContext, shape: ProviderShape): Promise<void> {
  const { uuid, name, parentUuid = null, inventories, traits } = shape;
  if (!(await findProvider(context.db, uuid)))
    await createProvider(context, { uuid, name, parentUuid });
  await setInventories(context, uuid, inventories);
  await changeTraits(context, uuid, { add: traits });
}

/**
 * Creates providers without parents. Their generations are those that they would have if a client
 * created each, then set its inventories and its traits.
 * @throws 409
 */
async function createRoots(context: WriteContext, shapes: readonly ProviderShape[]): Promise<void> {
  if (!shapes.length) return;
  const { db, now } = context;
  await checkNamesAreFree(
    db,
    shapes.map(({ name }) => name),
  );
  const classes = await ensureNames(
    context,
    classTable,
    shapes.flatMap(({ inventories }) => Object.keys(inventories)),
  );
  const traits = await ensureNames(
    context,
    traitTable,
    shapes.flatMap((shape) => shape.traits),
  );
  const roots = await insertRoots(db, shapes.map(generated), now);
  await insertInventoriesOfMany(
    db,
    shapes.flatMap(({ uuid, inventories }) =>
      Object.entries(inventories).map(([name, fields]) => ({
        provider: roots.get(uuid)!,
        classId: classes.get(name)!,
        fields: withDefaults(fields),
      })),
    ),
    now,
  );
  const links = shapes.flatMap((shape) =>
    [...new Set(shape.traits)].map((name): Link => ({
      providerId: roots.get(shape.uuid)!.id,
      id: traits.get(name)!,
    })),
  );
  await insertLinks(db, 'trait', links);
}

const generated = ({ uuid, name, inventories, traits }: ProviderShape) => ({
  uuid,
  name,
  generation: (Object.keys(inventories).length ? 1 : 0) + (traits.length ? 1 : 0),
});

/**
 * Deletes a provider with its inventories, traits and aggregates, if it exists.
 * @throws 409 if it has children or allocations
 */
export async function deleteProviderIfAny(db: Db, uuid: string): Promise<void> {
  if (await findProvider(db, uuid)) await deleteProvider(db, uuid);
}

/** The UUIDs of the providers with these names, by name. */
export const providersNamed = async (
  db: Db,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  new Map((await findProvidersNamed(db, names)).map(({ name, uuid }) => [name, uuid]));

/**
 * Deletes the descendants of a provider that are not kept, and then the provider unless it is kept.
 * Those with allocations stay, and so do their ancestors.
 */
export async function pruneTree(
  context: Context,
  uuid: string,
  kept: ReadonlySet<string>,
): Promise<void> {
  const provider = await findProvider(context.db, uuid);
  if (!provider) return;
  const tree = await listTree(context.db, provider.rootId);
  const below = (id: number): Provider[] =>
    tree.filter(({ parentId }) => parentId === id).flatMap((child) => [...below(child.id), child]);
  for (const one of [...below(provider.id), provider])
    if (!kept.has(one.uuid)) await attempt(context, ({ db }) => deleteProvider(db, one.uuid));
}
