// The reshaper: new inventories are added beside the old ones, allocations move to them, and the
// old inventories are deleted.
import { badRequest } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { classTable, idsOf } from '../store/names.ts';
import { findProvider } from '../store/resource-providers.ts';
import { replaceAllocations, type AllocationsUpdate } from './allocations.ts';
import { mergeInventories, replaceInventories, withDefaults } from './inventories.ts';
import type { InventoryBody, InventoryFields, Provider } from '../model.ts';
import { concurrentUpdate, unknownClass } from './refusals.ts';
import { stockedProvider } from './resource-providers.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** The inventories that a provider is to have from now on, by resource class. */
export interface NewInventories {
  readonly uuid: string;
  readonly generation: number;
  readonly inventories: Readonly<Record<string, InventoryBody>>;
}

/**
 * Replaces inventories and allocations together.
 * @throws 400 for unknown providers and classes (these with the cause `unknown_class`); 409 for
 *   stale generations, for what does not fit, and for what is in use (with the cause
 *   `inventory_in_use`)
 */
export async function reshape(
  context: Pick<Context, 'db' | 'now'>,
  all: readonly NewInventories[],
  updates: readonly AllocationsUpdate[],
): Promise<void> {
  const { db } = context;
  const providers: Provider[] = [];
  for (const one of all) providers.push(await providerOf(db, one));
  const after = await fieldsOf(db, all);
  for (const [at, provider] of providers.entries())
    if (after[at]!.size) await mergeInventories(context, provider, after[at]!);
  await replaceAllocations(context, updates);
  for (const [at, { uuid }] of providers.entries())
    await replaceInventories(context, await stockedProvider(db, uuid), after[at]!);
}

async function providerOf(db: Db, { uuid, generation }: NewInventories): Promise<Provider> {
  const provider = await findProvider(db, uuid.toLowerCase());
  if (!provider) {
    throw badRequest(
      `Resource provider ${uuid} in inventories not found: No resource provider with uuid ${uuid} found`,
      {
        code: 'placement.resource_provider.not_found',
      },
    );
  }
  if (provider.generation !== generation) {
    throw concurrentUpdate(
      `resource provider generation conflict for provider ${uuid}: actual: ${provider.generation}, given: ${generation}`,
    );
  }
  return provider;
}

/**
 * The inventories by the ids of their classes. As upstream, a capacity of zero or less is allowed
 * here.
 */
async function fieldsOf(
  db: Db,
  all: readonly NewInventories[],
): Promise<Map<number, InventoryFields>[]> {
  const ids = await idsOf(
    db,
    classTable,
    all.flatMap(({ inventories }) => Object.keys(inventories)),
  );
  return all.map(({ inventories }) => {
    const fields = new Map<number, InventoryFields>();
    for (const [name, body] of Object.entries(inventories)) {
      const id = ids.get(name);
      if (id === undefined) throw unknownClass(name);
      fields.set(id, withDefaults(body));
    }
    return fields;
  });
}
