// Fills a database with the seed: the services write it the first time, and later resets copy it.
import { createHash } from 'node:crypto';
import type { Database } from '../../kernel/db/database.ts';
import { emptyAndRefill, resettableTables } from '../../kernel/db/state.ts';
import type { Cloud, Context, ServiceDefinition } from '../../kernel/model.ts';

const definitionsOf = ({ services }: Cloud): ServiceDefinition[] =>
  services.map(({ definition }) => definition);

const locationOf = (cloud: Cloud, database: Database): ServiceDefinition['database'] =>
  database === cloud.central ? 'central' : 'region';

/**
 * Replaces all rows of a database with the seed, in the caller's transaction. The services write it
 * if this process has not reset the database before, or if what the seed depends on has changed
 * since. Otherwise the rows of that reset are copied, with their times moved to now.
 */
export async function refillAll(context: Context, database: Database): Promise<void> {
  const { cloud, db, now } = context;
  // A table that is new since the image was taken must be emptied as well.
  const tables = await resettableTables(database, '', db);
  const key = `seed ${await digestOfInputs(context, database, tables)}`;
  if (await cloud.images.restore(database, db, key, now)) return;
  await emptyAndRefill(database, db, tables, () =>
    seedDatabase(context, database, definitionsOf(cloud)),
  );
  await cloud.images.take(database, db, { key, tables, now });
}

/** A digest of everything that the seed of a database depends on, besides options and time. */
async function digestOfInputs(
  context: Context,
  database: Database,
  tables: readonly string[],
): Promise<string> {
  const { cloud, region } = context;
  const regions = [...cloud.regions.values()].map(({ id, name, isCentral }) => [
    id,
    name,
    isCentral,
  ]);
  const { notificationsLimit } = cloud.sharedState.cached;
  const inputs: unknown[] = [region.name, regions, tables, notificationsLimit];
  for (const definition of definitionsOf(cloud))
    if (definition.database === locationOf(cloud, database))
      inputs.push(await definition.seedInputs?.(context));
  return createHash('sha256').update(JSON.stringify(inputs)).digest('hex');
}

/**
 * Seeds the services that were reset, and calls the `afterReset` hooks of the other services that
 * share their database.
 */
export async function seedDatabase(
  context: Context,
  database: Database,
  reset: readonly ServiceDefinition[],
): Promise<void> {
  const { cloud } = context;
  const location = locationOf(cloud, database);
  const names = new Set(reset.map(({ name }) => name));
  for (const definition of reset)
    if (definition.database === location) await definition.seed?.(context);
  for (const definition of definitionsOf(cloud))
    if (definition.database === location && !names.has(definition.name))
      await definition.afterReset?.(context, names);
}
