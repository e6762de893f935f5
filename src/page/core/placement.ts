// What the page reads from Placement: provider trees, and one of them with everything it has.
import { service } from './session.ts';

const version = 'placement 1.39';

/** A resource provider in a list. */
export interface ResourceProvider {
  readonly uuid: string;
  readonly name: string;
  readonly generation: number;
  readonly parent_provider_uuid: string | null;
  readonly root_provider_uuid: string;
}

/** The inventory of a resource class. */
export interface Inventory {
  readonly total: number;
  readonly reserved: number;
  readonly min_unit: number;
  readonly max_unit: number;
  readonly step_size: number;
  readonly allocation_ratio: number;
}

/** A provider with everything that it has. */
export interface WholeProvider extends ResourceProvider {
  readonly depth: number;
  readonly inventories: Readonly<Record<string, Inventory>>;
  readonly usages: Readonly<Record<string, number>>;
  readonly traits: readonly string[];
  readonly aggregates: readonly string[];
  /** What each consumer holds. */
  readonly allocations: Readonly<
    Record<string, { readonly resources: Readonly<Record<string, number>> }>
  >;
}

export async function listProviders(
  prefix: string,
  query: string,
  signal: AbortSignal,
): Promise<readonly ResourceProvider[]> {
  const path = `${prefix}/placement/resource_providers${query && `?${query}`}`;
  const { resource_providers: providers } = await service<{
    resource_providers: ResourceProvider[];
  }>(path, { signal, version });
  return providers;
}

/** The providers of a tree, parents before their children. */
export async function readTree(
  prefix: string,
  root: string,
  signal: AbortSignal,
): Promise<readonly WholeProvider[]> {
  const providers = await listProviders(prefix, `in_tree=${root}`, signal);
  const ordered = inOrder(providers, null, 0);
  return Promise.all(ordered.map((one) => readProvider(prefix, one, signal)));
}

type Placed = ResourceProvider & { readonly depth: number };

const inOrder = (
  providers: readonly ResourceProvider[],
  parent: string | null,
  depth: number,
): Placed[] =>
  providers
    .filter((one) => one.parent_provider_uuid === parent)
    .flatMap((one) => [{ ...one, depth }, ...inOrder(providers, one.uuid, depth + 1)]);

async function readProvider(
  prefix: string,
  provider: Placed,
  signal: AbortSignal,
): Promise<WholeProvider> {
  const read = <T>(part: string): Promise<T> =>
    service<T>(`${prefix}/placement/resource_providers/${provider.uuid}/${part}`, {
      signal,
      version,
    });
  const [inventories, usages, traits, aggregates, allocations] = await Promise.all([
    read<Pick<WholeProvider, 'inventories'>>('inventories'),
    read<Pick<WholeProvider, 'usages'>>('usages'),
    read<Pick<WholeProvider, 'traits'>>('traits'),
    read<Pick<WholeProvider, 'aggregates'>>('aggregates'),
    read<Pick<WholeProvider, 'allocations'>>('allocations'),
  ]);
  return {
    ...provider,
    inventories: inventories.inventories,
    usages: usages.usages,
    traits: traits.traits,
    aggregates: aggregates.aggregates,
    allocations: allocations.allocations,
  };
}
