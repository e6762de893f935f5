// The reshaper adds new inventories beside the old ones, moves the allocations, and deletes the old
// inventories.
import { badRequest } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { classTable, idsOf } from '../store/names.ts';
import { findProvider } from '../store/resource-providers.ts';
import { replaceAllocations, type AllocationsUpdate } from './allocations.ts';
import { mergeInventories, replaceInventories, withDefaults } from './inventories.ts';
import type { InventoryBody, InventoryFields, Provider } from '../model.ts';
import { concurrentUpdate, unknownClass } from './refusals.ts';
import { existingProviderWithInventories } from './resource-providers.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** The inventories that replace those of a provider, by resource class. */
export interface NewInventories {
  readonly uuid: string;
  readonly generation: number;
  readonly inventories: Readonly<Record<string, InventoryBody>>;
}

/**
 * Replaces inventories and allocations in one step.
 * @throws 400 for unknown providers and classes (an `UnknownClass`); 409 for stale generations, for
 *   allocations that do not fit, and for inventories in use (an `InventoryInUse`)
 */
export async function reshape(
  context: Pick<Context, 'db' | 'now'>,
  changes: readonly NewInventories[],
  updates: readonly AllocationsUpdate[],
): Promise<void> {
  const { db } = context;
  const providers: Provider[] = [];
  for (const change of changes) providers.push(await providerAtGeneration(db, change));
  const after = await fieldsByClassId(db, changes);
  for (const [at, provider] of providers.entries())
    if (after[at]!.size) await mergeInventories(context, provider, after[at]!);
  await replaceAllocations(context, updates);
  for (const [at, { uuid }] of providers.entries())
    await replaceInventories(context, await existingProviderWithInventories(db, uuid), after[at]!);
}

/** Finds a provider at the client's generation. @throws 400, 409 */
async function providerAtGeneration(
  db: Db,
  { uuid, generation }: NewInventories,
): Promise<Provider> {
  const provider = await findProvider(db, uuid.toLowerCase());
  if (!provider) {
    throw badRequest(
      `Resource provider ${uuid} in inventories not found: No resource provider with uuid ` +
        `${uuid} found`,
      {
        code: 'placement.resource_provider.not_found',
      },
    );
  }
  if (provider.generation !== generation) {
    throw concurrentUpdate(
      `resource provider generation conflict for provider ${uuid}: actual: ` +
        `${provider.generation}, given: ${generation}`,
    );
  }
  return provider;
}

/**
 * Reads the new inventories of each provider, by class id. As in upstream, the reshaper allows a
 * capacity of zero or less.
 */
async function fieldsByClassId(
  db: Db,
  changes: readonly NewInventories[],
): Promise<Map<number, InventoryFields>[]> {
  const ids = await idsOf(
    db,
    classTable,
    changes.flatMap(({ inventories }) => Object.keys(inventories)),
  );
  return changes.map(({ inventories }) => {
    const fields = new Map<number, InventoryFields>();
    for (const [name, body] of Object.entries(inventories)) {
      const id = ids.get(name);
      if (id === undefined) throw unknownClass(name);
      fields.set(id, withDefaults(body));
    }
    return fields;
  });
}
