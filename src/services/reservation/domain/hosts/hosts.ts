// Hosts that can be reserved: registering them, changing what is said of them, giving them back.
// Upstream: blazar/plugins/oshosts/host_plugin.py.
import { isDuplicate, isForeignKey } from '../../../../kernel/db/errors.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { badRequest, conflict, forbidden, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import {
  findHypervisor,
  serversOnHypervisor,
  zoneOf,
  type Hypervisor,
} from '../../clients/compute.ts';
import { dropTrust, makeTrust, trustIdFor } from '../../clients/identity.ts';
import {
  createReservationProvider,
  deleteReservationProvider,
  stocksOf,
} from '../../clients/placement.ts';
import { isAllocated, listAllocations } from '../../store/allocations.ts';
import {
  capabilitiesOf,
  bumpHostRevision,
  deleteCapability,
  deleteHost,
  findHost,
  insertHost,
  putCapability,
  updateProperty,
  findProperty,
} from '../../store/hosts.ts';
import { findReservations } from '../../store/reservations.ts';
import { joinFreepool, leaveFreepool } from '../freepool.ts';
import type { Host, Property } from '../../model.ts';
import { readRequirements } from '../requirements.ts';
import { lengthOf, malformed, textOf, valuesOf } from '../values.ts';

/** What a host has of itself: extra capabilities of these names are passed over. */
const builtIn = new Set([
  'id',
  'name',
  'availability_zone',
  'hypervisor_hostname',
  'service_name',
  'vcpus',
  'cpu_info',
  'hypervisor_type',
  'hypervisor_version',
  'memory_mb',
  'local_gb',
]);

/** A host with its extra capabilities, by name. */
export interface WholeHost {
  readonly host: Host;
  readonly capabilities: Readonly<Record<string, string>>;
}

const unknown = (id: string) => notFound(`Object with ${pythonRepr({ host_id: id })} not found`);

/** @throws 404 */
export async function hostOf(work: { readonly db: Db }, id: string): Promise<Host> {
  const host = /^\d{1,9}$/.test(id) ? await findHost(work.db, Number(id)) : undefined;
  if (!host) throw unknown(id);
  return host;
}

export async function wholeHosts(
  { db }: { readonly db: Db },
  hosts: readonly Host[],
): Promise<WholeHost[]> {
  const [only] = hosts;
  const all = await capabilitiesOf(db, hosts.length === 1 ? { hosts: [only!.id] } : {});
  const byHost = new Map<number, Record<string, string>>();
  for (const { hostId, name, value } of all) {
    const mine = byHost.get(hostId) ?? {};
    Object.defineProperty(mine, name, { value, enumerable: true });
    byHost.set(hostId, mine);
  }
  return hosts.map((host) => ({ host, capabilities: byHost.get(host.id) ?? {} }));
}

/**
 * Registers a host: it goes to the pool, and gets a provider for what is reserved on it.
 * @throws 400, 403, 404, 409
 */
export async function registerHost(context: Context, body: unknown): Promise<WholeHost> {
  const values = valuesOf(body);
  const pattern = values['id'] ?? values['name'];
  if ((typeof pattern !== 'string' && typeof pattern !== 'number') || pattern === '')
    throw forbidden(`Invalid values for host ${pythonRepr(values)}`);
  const name = String(pattern);
  const hypervisor = await findHypervisor(context, name);
  if (!hypervisor) throw notFound(`Host '${name.slice(0, 255)}' not found!`);
  await refuseServers(context, hypervisor.hypervisor_hostname);
  const extras = extrasOf(values, builtIn);
  await createReservationProvider(context, hypervisor.hypervisor_hostname);
  await joinFreepool(context, hypervisor.service.host);
  const host = await writeHost(context, hypervisor);
  for (const [key, value] of extras.filter(([name]) => values[name] !== null))
    await putCapability(context.db, { hostId: host.id, name: key, value }, context.now);
  await makeTrust(context);
  return (await wholeHosts(context, [host]))[0]!;
}

async function writeHost(context: Context, hypervisor: Hypervisor): Promise<Host> {
  const { id, hypervisor_hostname: hypervisorHostname, service } = hypervisor;
  const host: Host = {
    id,
    hypervisorHostname,
    serviceName: service.host,
    hypervisorType: hypervisor.hypervisor_type,
    hypervisorVersion: hypervisor.hypervisor_version,
    vcpus: hypervisor.vcpus,
    memoryMb: hypervisor.memory_mb,
    localGb: hypervisor.local_gb,
    cpuInfo: hypervisor.cpu_info,
    availabilityZone: await zoneOf(context, service.host),
    trustId: trustIdFor(context),
    reservable: true,
    stocks: await stocksOf(context, hypervisorHostname),
    revision: 1,
    createdAt: context.now,
    updatedAt: null,
  };
  try {
    await insertHost(context.db, host);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw conflict(`Conflict on creating resource provider blazar_${hypervisorHostname} `);
  }
  return host;
}

async function refuseServers(context: Context, hostname: string): Promise<void> {
  const servers = await serversOnHypervisor(context, hostname);
  if (!servers.length) return;
  const named = servers.map(({ uuid, name }) => ({ uuid, name }));
  throw conflict(`Servers [${pythonRepr(named)}] found for host ${hostname}`);
}

/** What is said of a host beyond what it is. @throws 400 */
function extrasOf(
  values: Readonly<Record<string, unknown>>,
  without: ReadonlySet<string>,
): [string, string][] {
  const extras = Object.entries(values).filter(([key]) => !without.has(key));
  if (extras.some(([key]) => lengthOf(key) > 64)) throw badRequest('Extra capability key too long');
  if (extras.some(([key]) => key === '')) throw malformed('extra capability');
  return extras.map(([key, value]) => [key, textOf(value)]);
}

/** Says something else of a host. @throws 400, 404, 409 for what a reservation has asked for */
export async function changeHost(context: Context, id: string, body: unknown): Promise<WholeHost> {
  const host = await hostOf(context, id);
  const values = valuesOf(body);
  if (!Object.keys(values).length)
    throw badRequest('No data to update', { code: 'reservation.no_data' });
  // What a host is by itself is not to be changed. Upstream takes it for an extra capability, which
  // hides the real value.
  const extras = extrasOf(values, builtIn);
  // Who promises the host meanwhile has seen what it was.
  await bumpHostRevision(context.db, host);
  // Null takes one away.
  const gone = new Set(Object.keys(values).filter((key) => values[key] === null));
  const before = (await wholeHosts(context, [host]))[0]!.capabilities;
  const changed = extras
    .filter(
      ([key, value]) => Object.hasOwn(before, key) && (gone.has(key) || before[key] !== value),
    )
    .map(([key]) => key);
  const wanted = changed.length ? await requiredOf(context, host) : new Set();
  const refused = changed.filter((key) => wanted.has(key));
  if (refused.length)
    throw conflict(`Can't add extracapabilities ${pythonRepr(refused)} to Host ${host.id}`);
  for (const [key, value] of extras) {
    if (gone.has(key)) await deleteCapability(context.db, { hostId: host.id, name: key });
    else await putCapability(context.db, { hostId: host.id, name: key, value }, context.now);
  }
  return (await wholeHosts(context, [await hostOf(context, id)]))[0]!;
}

/** The properties that reservations of a host have asked for. */
async function requiredOf({ db, now }: Context, host: Host): Promise<Set<string>> {
  const allocations = await listAllocations(db, { hostId: host.id, since: now });
  const reservations = await findReservations(
    db,
    allocations.map(({ reservationId }) => reservationId),
  );
  const expressions = [...reservations.values()].flatMap(({ details }) => {
    if ('hypervisorProperties' in details)
      return [details.hypervisorProperties, details.resourceProperties];
    return 'demand' in details && !details.resourceProperties.startsWith('{')
      ? [details.resourceProperties]
      : [];
  });
  return new Set(expressions.flatMap(readRequirements).map(({ key }) => key));
}

/**
 * Gives a host back to ordinary servers.
 * @throws 404, 409 while it is reserved or servers are on it
 */
export async function unregisterHost(context: Context, id: string): Promise<void> {
  const host = await hostOf(context, id);
  const reserved = conflict(`Can't delete host ${host.id}. The host is reserved.`);
  if (await isAllocated(context.db, host.id)) throw reserved;
  await refuseServers(context, host.hypervisorHostname);
  await leaveFreepool(context, host.serviceName);
  await deleteReservationProvider(context, host.hypervisorHostname);
  try {
    await deleteHost(context.db, host);
  } catch (error) {
    throw isForeignKey(error) ? reserved : error;
  }
  await dropTrust(context, host.trustId);
}

/** Hides a property from ordinary lists, or shows it. @throws 400, 404 */
export async function changeProperty(
  context: Context,
  name: string,
  body: unknown,
): Promise<Property> {
  const { private: isPrivate } = valuesOf(body);
  const property = name.length <= 64 ? await findProperty(context.db, name) : undefined;
  if (!property) throw notFound(`Resource property ${name.slice(0, 64)} not found`);
  if (typeof isPrivate !== 'boolean') throw malformed('private');
  return updateProperty(context.db, property, isPrivate, context.now);
}
