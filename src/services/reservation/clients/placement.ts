// What Reservation wants of Placement: a provider for each host, a class for each reservation, and
// its inventories.
import { ApiError } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import type { Reply, Context } from '../../../kernel/model.ts';
import { placement } from '../../placement/index.ts';
import type { HostStock } from '../model.ts';
import { asService } from './identity.ts';

/** The version that Blazar speaks. Upstream: blazar/utils/openstack/placement.py. */
const version = '1.29';

const ask = (
  context: Context,
  method: string,
  path: string,
  body?: unknown,
  query?: readonly [string, string][],
): Promise<Reply> =>
  callService(asService(context), placement, {
    method,
    path,
    version,
    ...(body === undefined ? {} : { body }),
    ...(query ? { query } : {}),
  });

interface Provider {
  readonly uuid: string;
  readonly generation: number;
}

/** The name of the provider that stands for what is reserved on a host. */
const nameFor = (hostname: string): string => `blazar_${hostname}`;

async function findProvider(context: Context, name: string): Promise<Provider | undefined> {
  const { body } = await ask(context, 'GET', '/resource_providers', undefined, [['name', name]]);
  return (body as { resource_providers: Provider[] }).resource_providers[0];
}

/**
 * Makes the reservation provider of a host, below that of the host.
 * @throws 409 where it is there, 500 where the host has none
 */
export async function createReservationProvider(
  context: Context,
  hostname: string,
): Promise<Provider> {
  const host = await findProvider(context, hostname);
  if (!host) throw new ApiError(500, `No such resource provider ${hostname}`);
  const name = nameFor(hostname);
  if (await findProvider(context, name))
    throw new ApiError(409, `Conflict on creating resource provider ${name} `);
  const { body } = await ask(context, 'POST', '/resource_providers', {
    name,
    parent_provider_uuid: host.uuid,
  });
  return body as Provider;
}

/**
 * Deletes the reservation provider of a host, where there is one.
 * @throws 409 where it is in use
 */
export async function deleteReservationProvider(context: Context, hostname: string): Promise<void> {
  const provider = await findProvider(context, nameFor(hostname));
  if (provider) await ask(context, 'DELETE', `/resource_providers/${provider.uuid}`);
}

/**
 * Takes all inventories off the reservation provider of a host, and what consumers have of them.
 */
export async function clearReservationProvider(context: Context, hostname: string): Promise<void> {
  const provider = await findProvider(context, nameFor(hostname));
  if (!provider) return;
  const { body } = await ask(context, 'GET', `/resource_providers/${provider.uuid}/allocations`);
  for (const consumer of Object.keys((body as { allocations: object }).allocations))
    await unlessGone(ask(context, 'DELETE', `/allocations/${consumer}`));
  await ask(context, 'DELETE', `/resource_providers/${provider.uuid}/inventories`);
}

interface Inventory {
  readonly total: number;
  readonly reserved: number;
  readonly allocation_ratio: number;
  readonly max_unit: number;
}

async function inventoriesOf(
  context: Context,
  uuid: string,
): Promise<{ generation: number; inventories: Record<string, Inventory> }> {
  const { body } = await ask(context, 'GET', `/resource_providers/${uuid}/inventories`);
  const { resource_provider_generation: generation, inventories } = body as {
    resource_provider_generation: number;
    inventories: Record<string, Inventory>;
  };
  return { generation, inventories };
}

/** What a host can give of each class. */
export async function stocksOf(
  context: Context,
  hostname: string,
): Promise<Record<string, HostStock>> {
  const provider = await findProvider(context, hostname);
  if (!provider) return {};
  const { inventories } = await inventoriesOf(context, provider.uuid);
  return Object.fromEntries(
    Object.entries(inventories).map(([name, { total, reserved, allocation_ratio, max_unit }]) => [
      name,
      { capacity: Math.floor((total - reserved) * allocation_ratio), maxUnit: max_unit },
    ]),
  );
}

/** The class of a reservation: what its flavor asks for. */
export const classFor = (reservationId: string): string =>
  `CUSTOM_RESERVATION_${reservationId.toUpperCase().replaceAll('-', '_')}`;

export async function createReservationClass(
  context: Context,
  reservationId: string,
): Promise<void> {
  await ask(context, 'POST', '/resource_classes', { name: classFor(reservationId) });
}

/** Deletes the class, where it is there. @throws 409 where it is in use */
export async function deleteReservationClass(
  context: Context,
  reservationId: string,
): Promise<void> {
  await unlessGone(ask(context, 'DELETE', `/resource_classes/${classFor(reservationId)}`));
}

/**
 * Puts so many slots of a reservation on a host, whose reservation provider is made where it is
 * missing.
 */
export async function putInventory(
  context: Context,
  hostname: string,
  reservationId: string,
  total: number,
): Promise<void> {
  const { uuid } =
    (await findProvider(context, nameFor(hostname))) ??
    (await createReservationProvider(context, hostname));
  const { generation, inventories } = await inventoriesOf(context, uuid);
  const own = { total, allocation_ratio: 1, min_unit: 1, max_unit: 1, step_size: 1, reserved: 0 };
  await ask(context, 'PUT', `/resource_providers/${uuid}/inventories`, {
    resource_provider_generation: generation,
    inventories: { ...inventories, [classFor(reservationId)]: own },
  });
}

/** Takes the slots of a reservation off a host. @throws 409 where they are in use */
export async function deleteInventory(
  context: Context,
  hostname: string,
  reservationId: string,
): Promise<void> {
  const provider = await findProvider(context, nameFor(hostname));
  if (!provider) return;
  await unlessGone(
    ask(
      context,
      'DELETE',
      `/resource_providers/${provider.uuid}/inventories/${classFor(reservationId)}`,
    ),
  );
}

/** The names of the providers that have all of these traits; one with `!` must be missing. */
export async function providersWith(
  context: Context,
  traits: readonly string[],
): Promise<Set<string>> {
  const { body } = await ask(context, 'GET', '/resource_providers', undefined, [
    ['required', traits.join(',')],
  ]);
  return new Set(
    (body as { resource_providers: { name: string }[] }).resource_providers.map(({ name }) => name),
  );
}

async function unlessGone(asked: Promise<unknown>): Promise<void> {
  await asked.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  });
}
