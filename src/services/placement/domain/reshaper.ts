// Reshaping: first the new inventories beside the old ones, then the allocations, then the old ones go.
import type { Micros } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/fault.ts';
import type { InventoryFields } from '../store/inventories.ts';
import { classTable, idsOf, namesOf } from '../store/names.ts';
import { concurrentUpdate, findProvider, type Provider } from '../store/resource-providers.ts';
import { claim, type Claim } from './claims.ts';
import { inventoryInUse, mergeInventories, replaceInventories, withDefaults, type InventoryBody } from './inventories.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** What a provider is to have from now on. */
export interface Shape {
  readonly uuid: string;
  readonly generation: number;
  readonly inventories: Readonly<Record<string, InventoryBody>>;
}

/** @throws 400 for unknown providers and classes, 409 for stale generations, for what does not fit and what is in use */
export async function reshape(db: Db, shapes: readonly Shape[], claims: readonly Claim[], now: Micros): Promise<void> {
  const providers: Provider[] = [];
  for (const shape of shapes) providers.push(await providerOf(db, shape));
  const unknownClass = (name: string): string => `malformed reshaper data: No such resource class ${name}.`;
  const wanted = await fieldsOf(db, shapes, unknownClass);
  for (const [at, provider] of providers.entries()) if (wanted[at]!.size) await mergeInventories(db, provider, wanted[at]!, now);
  await claim(db, claims, now, { unknownClass: (_, name) => unknownClass(name), attempt: 1 });
  for (const [at, { uuid }] of providers.entries()) {
    const provider = (await findProvider(db, uuid))!;
    await replaceInventories(db, provider, wanted[at]!, {
      now,
      inUse: (message) => inventoryInUse(`update conflict: ${message}`),
      names: async (ids) => [...(await namesOf(db, classTable, ids)).values()],
    });
  }
}

async function providerOf(db: Db, { uuid, generation }: Shape): Promise<Provider> {
  const provider = await findProvider(db, uuid.toLowerCase());
  if (!provider) {
    throw badRequest(`Resource provider ${uuid} in inventories not found: No resource provider with uuid ${uuid} found`, {
      code: 'placement.resource_provider.not_found',
    });
  }
  if (provider.generation !== generation) {
    throw concurrentUpdate(
      `resource provider generation conflict for provider ${uuid}: actual: ${provider.generation}, given: ${generation}`,
    );
  }
  return provider;
}

/** Upstream does not hold these against the rule that something must be left to claim, and so neither does this. */
async function fieldsOf(
  db: Db,
  shapes: readonly Shape[],
  unknownClass: (name: string) => string,
): Promise<Map<number, InventoryFields>[]> {
  const ids = await idsOf(db, classTable, shapes.flatMap(({ inventories }) => Object.keys(inventories))); // prettier-ignore
  return shapes.map(({ inventories }) => {
    const fields = new Map<number, InventoryFields>();
    for (const [name, body] of Object.entries(inventories)) {
      const id = ids.get(name);
      if (id === undefined) throw badRequest(unknownClass(name));
      fields.set(id, withDefaults(body));
    }
    return fields;
  });
}
