// Gives a Placement, ours or the real one, forests of providers over HTTP.
import type { Client } from '../../../bench/client.ts';
import type {
  ReferenceProvider,
  ReferenceRequest,
} from '../../services/placement/reference-search.ts';

const consumerOf = (uuid: string): string => uuid.replace(/^0{8}/, 'cccccccc');

/** Creates the providers in an empty service. */
export async function createForest(
  client: Client,
  forest: readonly ReferenceProvider[],
): Promise<void> {
  for (const provider of forest) {
    const { uuid, parent } = provider;
    await client.must({
      method: 'POST',
      path: '/resource_providers',
      body: { name: uuid, uuid, parent_provider_uuid: parent },
    });
    await setProvider(client, provider);
  }
}

/** Gives a provider the inventories, use, traits and aggregates of the forest's. */
export async function setProvider(
  client: Client,
  { uuid, inventories, used, traits, aggregates }: ReferenceProvider,
): Promise<void> {
  const path = `/resource_providers/${uuid}`;
  const setInventories = async (fields: object): Promise<number> => {
    const { generation } = (await client.must({ method: 'GET', path })) as { generation: number };
    const body = { resource_provider_generation: generation, inventories: fields };
    const reply = await client.must({ method: 'PUT', path: `${path}/inventories`, body });
    return (reply as { resource_provider_generation: number }).resource_provider_generation;
  };
  await client.ask({ method: 'DELETE', path: `/allocations/${consumerOf(uuid)}` });
  // Claim the used amounts while the inventory is large: they may exceed the final inventory.
  if (Object.keys(used).length) {
    await setInventories(
      Object.fromEntries(Object.keys(inventories).map((name) => [name, { total: 1000 }])),
    );
    const who = {
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
      consumer_type: 'INSTANCE',
    };
    const body = { ...who, allocations: { [uuid]: { resources: used } } };
    await client.must({ method: 'PUT', path: `/allocations/${consumerOf(uuid)}`, body });
  }
  const generation = await setInventories(inventories);
  await client.must({
    method: 'PUT',
    path: `${path}/traits`,
    body: { traits, resource_provider_generation: generation },
  });
  await client.must({
    method: 'PUT',
    path: `${path}/aggregates`,
    body: aggregates,
    version: '1.18',
  });
}

/** Deletes the providers with their allocations. */
export async function clear(client: Client, forest: readonly ReferenceProvider[]): Promise<void> {
  for (const { uuid } of forest)
    await client.ask({ method: 'DELETE', path: `/allocations/${consumerOf(uuid)}` });
  for (const { uuid } of forest.toReversed())
    await client.must({ method: 'DELETE', path: `/resource_providers/${uuid}` });
}

/** Converts the allocations of a candidate of all versions to the same form. */
export function amountsOf(allocations: unknown): Record<string, Record<string, number>> {
  type Named = { resource_provider: { uuid: string }; resources: Record<string, number> };
  if (Array.isArray(allocations))
    return Object.fromEntries(
      (allocations as Named[]).map((one) => [one.resource_provider.uuid, one.resources]),
    );
  return Object.fromEntries(
    Object.entries(allocations as Record<string, Named>).map(([uuid, one]) => [
      uuid,
      one.resources,
    ]),
  );
}

/**
 * Whether upstream mixes up the amounts of candidates for a request: a known bug, which gives it
 * other candidates.
 */
export function mixesUpAmounts({ groups, isolate }: ReferenceRequest): boolean {
  const named = groups.filter(({ suffix }) => suffix !== '').length;
  const classes = groups.flatMap(({ resources }) => Object.keys(resources));
  return (isolate || named < 2) && new Set(classes).size < classes.length;
}
