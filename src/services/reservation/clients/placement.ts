// The client of Placement: a provider for each reservable host, a resource class for each
// reservation of instances, and the inventories of these classes.
import { ApiError } from '../../../kernel/errors.ts';
import { callService, type ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Reply, Context } from '../../../kernel/model.ts';
import * as placement from '../../placement/index.ts';
import type { HostStock } from '../model.ts';
import { reservableTrait } from './compute.ts';
import { asService } from './identity.ts';

/** The microversion that Blazar requests. Upstream: blazar/utils/openstack/placement.py. */
const version = '1.29';

/** Calls Placement as the user `blazar`, an administrator. */
const call = (context: Context, request: ServiceRequest): Promise<Reply> =>
  callService(asService(context), placement.placement, { ...request, version });

const get = (
  context: Context,
  path: string,
  query: readonly [string, string][] = [],
): Promise<Reply> => call(context, { method: 'GET', path, query });

const post = (context: Context, path: string, body: object): Promise<Reply> =>
  call(context, { method: 'POST', path, body });

const remove = (context: Context, path: string): Promise<Reply> =>
  call(context, { method: 'DELETE', path });

/** A resource provider in the replies of Placement's API. */
type Provider = Pick<placement.Provider, 'uuid' | 'name' | 'generation'>;

/** The name of the provider for the reservations on a host. */
const reservationProviderName = (hostname: string): string => `blazar_${hostname}`;

async function listProviders(
  context: Context,
  filter: readonly [string, string],
): Promise<readonly Provider[]> {
  const { body } = await get(context, '/resource_providers', [[...filter]]);
  return (body as { resource_providers: Provider[] }).resource_providers;
}

async function findProvider(context: Context, name: string): Promise<Provider | undefined> {
  return (await listProviders(context, ['name', name]))[0];
}

/**
 * Creates the reservation provider of a host, as a child of the host's provider.
 * @throws 409 if it exists, 500 if the host has no provider
 */
export async function createReservationProvider(
  context: Context,
  hostname: string,
): Promise<Provider> {
  const host = await findProvider(context, hostname);
  if (!host) throw new ApiError(500, `No such resource provider ${hostname}`);
  const name = reservationProviderName(hostname);
  if (await findProvider(context, name))
    throw new ApiError(409, `Conflict on creating resource provider ${name} `);
  const { body } = await post(context, '/resource_providers', {
    name,
    parent_provider_uuid: host.uuid,
  });
  return body as Provider;
}

/** Deletes the reservation provider of a host, if it exists. @throws 409 if it is in use */
export async function deleteReservationProvider(context: Context, hostname: string): Promise<void> {
  const provider = await findProvider(context, reservationProviderName(hostname));
  if (provider) await remove(context, `/resource_providers/${provider.uuid}`);
}

/** Deletes all allocations and inventories of a host's reservation provider. */
export async function clearReservationProvider(context: Context, hostname: string): Promise<void> {
  const provider = await findProvider(context, reservationProviderName(hostname));
  if (!provider) return;
  const { body } = await get(context, `/resource_providers/${provider.uuid}/allocations`);
  for (const consumer of Object.keys((body as { allocations: object }).allocations))
    await unlessNotFound(remove(context, `/allocations/${consumer}`));
  await remove(context, `/resource_providers/${provider.uuid}/inventories`);
}

/** The inventories of a provider in the replies of Placement's API, by resource class. */
interface Inventories {
  readonly resource_provider_generation: placement.Provider['generation'];
  readonly inventories: Readonly<Record<string, placement.InventoryFields>>;
}

async function readInventories(context: Context, uuid: string): Promise<Inventories> {
  return (await get(context, `/resource_providers/${uuid}/inventories`)).body as Inventories;
}

/** Reads the usable amount of each resource class on a host. */
export async function readStocks(
  context: Context,
  hostname: string,
): Promise<Readonly<Record<string, HostStock>>> {
  const provider = await findProvider(context, hostname);
  if (!provider) return {};
  const { inventories } = await readInventories(context, provider.uuid);
  return Object.fromEntries(
    Object.entries(inventories).map(([name, { total, reserved, allocation_ratio, max_unit }]) => [
      name,
      { capacity: Math.floor((total - reserved) * allocation_ratio), maxUnit: max_unit },
    ]),
  );
}

/** The resource class of a reservation, which its flavor requests. */
export const reservationClass = (reservationId: string): string =>
  `CUSTOM_RESERVATION_${reservationId.toUpperCase().replaceAll('-', '_')}`;

export async function createReservationClass(
  context: Context,
  reservationId: string,
): Promise<void> {
  await post(context, '/resource_classes', { name: reservationClass(reservationId) });
}

/** Deletes the resource class of a reservation, if it exists. @throws 409 if it is in use */
export async function deleteReservationClass(
  context: Context,
  reservationId: string,
): Promise<void> {
  await unlessNotFound(remove(context, `/resource_classes/${reservationClass(reservationId)}`));
}

/** Sets the number of slots of a reservation on a host. Creates a missing reservation provider. */
export async function putInventory(
  context: Context,
  hostname: string,
  reservationId: string,
  total: number,
): Promise<void> {
  const { uuid } =
    (await findProvider(context, reservationProviderName(hostname))) ??
    (await createReservationProvider(context, hostname));
  const { inventories, ...generation } = await readInventories(context, uuid);
  const own = { total, allocation_ratio: 1, min_unit: 1, max_unit: 1, step_size: 1, reserved: 0 };
  await call(context, {
    method: 'PUT',
    path: `/resource_providers/${uuid}/inventories`,
    body: {
      ...generation,
      inventories: { ...inventories, [reservationClass(reservationId)]: own },
    },
  });
}

/** Deletes the slots of a reservation on a host. @throws 409 if servers use them */
export async function deleteInventory(
  context: Context,
  hostname: string,
  reservationId: string,
): Promise<void> {
  const provider = await findProvider(context, reservationProviderName(hostname));
  if (!provider) return;
  const path = `/resource_providers/${provider.uuid}/inventories/${reservationClass(reservationId)}`;
  await unlessNotFound(remove(context, path));
}

/** Lists the names of the providers that have all traits; a trait with `!` must be absent. */
export async function providersWithTraits(
  context: Context,
  traits: readonly string[],
): Promise<ReadonlySet<string>> {
  const providers = await listProviders(context, ['required', traits.join(',')]);
  return new Set(providers.map(({ name }) => name));
}

/**
 * Adds the trait of reservable hosts to a host's provider, or removes it. Does nothing if the host
 * has no provider.
 */
export async function setReservableTrait(
  context: Context,
  hostname: string,
  isReservable: boolean,
): Promise<void> {
  const provider = await findProvider(context, hostname);
  if (!provider) return;
  const path = `/resource_providers/${provider.uuid}/traits`;
  const { traits, ...generation } = (await get(context, path)).body as { traits: string[] };
  if (traits.includes(reservableTrait) === isReservable) return;
  if (isReservable) await call(context, { method: 'PUT', path: `/traits/${reservableTrait}` });
  const others = traits.filter((trait) => trait !== reservableTrait);
  const changed = isReservable ? [...others, reservableTrait] : others;
  await call(context, { method: 'PUT', path, body: { ...generation, traits: changed } });
}

async function unlessNotFound(replied: Promise<unknown>): Promise<void> {
  await replied.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
}
