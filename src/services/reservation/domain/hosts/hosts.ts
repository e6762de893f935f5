// Registers, updates and unregisters reservable hosts. Upstream:
// blazar/plugins/oshosts/host_plugin.py.
import { isDuplicate, isForeignKey } from '../../../../kernel/db/errors.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { badRequest, conflict, forbidden, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import {
  findHypervisor,
  serversOnHypervisor,
  findZone,
  type Hypervisor,
} from '../../clients/compute.ts';
import { createTrust, deleteTrust, requireDelegation, trustIdFor } from '../../clients/identity.ts';
import {
  createReservationProvider,
  deleteReservationProvider,
  readStocks,
  setReservableTrait,
} from '../../clients/placement.ts';
import { hasAllocations, listAllocations } from '../../store/allocations.ts';
import {
  listCapabilities,
  bumpHostRevision,
  deleteCapability,
  deleteHost,
  findHost,
  insertHost,
  setCapability,
  updateProperty,
  findProperty,
} from '../../store/hosts.ts';
import { addFreepoolHost, removeFreepoolHost } from '../freepool.ts';
import type { Host, Property } from '../../model.ts';
import { readRequirements } from '../requirements.ts';
import { markHost } from '../strict.ts';
import { countCharacters, malformed, toText, readObject, type Values } from '../values.ts';

/** The columns of hosts. Extra capabilities with these names are ignored. */
export const columnNames = new Set([
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
export interface HostWithCapabilities {
  readonly host: Host;
  readonly capabilities: Readonly<Record<string, string>>;
}

const unknownHost = (id: string) =>
  notFound(`Object with ${pythonRepr({ host_id: id })} not found`);

/** @throws 404 */
export async function getHost({ db }: { readonly db: Db }, id: string): Promise<Host> {
  const host = /^\d{1,9}$/.test(id) ? await findHost(db, Number(id)) : undefined;
  if (!host) throw unknownHost(id);
  return host;
}

/** Reads the extra capabilities of hosts. */
export async function withCapabilities(
  { db }: { readonly db: Db },
  hosts: readonly Host[],
): Promise<HostWithCapabilities[]> {
  const [only] = hosts;
  const all = await listCapabilities(db, hosts.length === 1 ? { hostId: only!.id } : {});
  const byHost = new Map<number, Record<string, string>>();
  for (const { hostId, name, value } of all) {
    const capabilities = byHost.get(hostId) ?? {};
    Object.defineProperty(capabilities, name, { value, enumerable: true });
    byHost.set(hostId, capabilities);
  }
  return hosts.map((host) => ({ host, capabilities: byHost.get(host.id) ?? {} }));
}

/**
 * Registers a host: adds it to the freepool, and creates its reservation provider.
 * @throws 400, 403, 404, 409
 */
export async function registerHost(context: Context, body: unknown): Promise<HostWithCapabilities> {
  requireDelegation(context);
  const values = readObject(body);
  const idOrName = values['id'] ?? values['name'];
  if ((typeof idOrName !== 'string' && typeof idOrName !== 'number') || idOrName === '')
    throw forbidden(`Invalid values for host ${pythonRepr(values)}`);
  const name = String(idOrName);
  const hypervisor = await findHypervisor(context, name);
  if (!hypervisor) throw notFound(`Host '${name.slice(0, 255)}' not found!`);
  await requireNoServers(context, hypervisor.hypervisor_hostname);
  const capabilities = readCapabilities(values);
  await createReservationProvider(context, hypervisor.hypervisor_hostname);
  await addFreepoolHost(context, hypervisor.service.host);
  await markHost(context, hypervisor.hypervisor_hostname);
  const host = await createHost(context, hypervisor);
  for (const [key, value] of capabilities.filter(([name]) => values[name] !== null))
    await setCapability(context.db, { hostId: host.id, name: key, value }, context.now);
  await createTrust(context, host.trustId!);
  return (await withCapabilities(context, [host]))[0]!;
}

async function createHost(context: Context, hypervisor: Hypervisor): Promise<Host> {
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
    availabilityZone: await findZone(context, service.host),
    trustId: trustIdFor(context),
    reservable: true,
    stocks: await readStocks(context, hypervisorHostname),
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

/** @throws 409 if servers are on the host */
async function requireNoServers(context: Context, hostname: string): Promise<void> {
  const servers = await serversOnHypervisor(context, hostname);
  if (!servers.length) return;
  const items = servers.map(({ uuid, name }) => ({ uuid, name }));
  throw conflict(`Servers [${pythonRepr(items)}] found for host ${hostname}`);
}

/** Reads the extra capabilities from the body of a request. @throws 400 */
function readCapabilities(values: Values): [string, string][] {
  const extras = Object.entries(values).filter(([key]) => !columnNames.has(key));
  if (extras.some(([key]) => countCharacters(key) > 64))
    throw badRequest('Extra capability key too long');
  if (extras.some(([key]) => key === '')) throw malformed('extra capability');
  return extras.map(([key, value]) => [key, toText(value)]);
}

/**
 * Changes the extra capabilities of a host.
 * @throws 400, 404, 409 if a reservation requires a capability that would change
 */
export async function updateHost(
  context: Context,
  id: string,
  body: unknown,
): Promise<HostWithCapabilities> {
  const host = await getHost(context, id);
  const values = readObject(body);
  if (!Object.keys(values).length)
    throw badRequest('No data to update', { code: 'reservation.no_data' });
  // Columns of the host cannot be changed. Upstream stores such values as extra capabilities, which
  // hide the real values.
  const capabilities = readCapabilities(values);
  // A concurrent request that allocates slots on this host has evaluated the old capabilities.
  await bumpHostRevision(context.db, host);
  // The value null deletes a capability.
  const deleted = new Set(Object.keys(values).filter((key) => values[key] === null));
  const before = (await withCapabilities(context, [host]))[0]!.capabilities;
  const changed = capabilities
    .filter(
      ([key, value]) => Object.hasOwn(before, key) && (deleted.has(key) || before[key] !== value),
    )
    .map(([key]) => key);
  const required = changed.length ? await requiredCapabilities(context, host) : new Set();
  const conflicting = changed.filter((key) => required.has(key));
  if (conflicting.length)
    throw conflict(`Can't add extracapabilities ${pythonRepr(conflicting)} to Host ${host.id}`);
  for (const [key, value] of capabilities) {
    if (deleted.has(key)) await deleteCapability(context.db, { hostId: host.id, name: key });
    else await setCapability(context.db, { hostId: host.id, name: key, value }, context.now);
  }
  return (await withCapabilities(context, [await getHost(context, id)]))[0]!;
}

/** The keys in the requirements of current and future reservations of a host. */
async function requiredCapabilities({ db, now }: Context, host: Host): Promise<Set<string>> {
  const allocations = await listAllocations(db, { hostId: host.id, since: now });
  const expressions = allocations.flatMap(({ details }) => {
    if ('hypervisorProperties' in details)
      return [details.hypervisorProperties, details.resourceProperties];
    return 'demand' in details && !details.resourceProperties.startsWith('{')
      ? [details.resourceProperties]
      : [];
  });
  return new Set(expressions.flatMap(readRequirements).map(({ key }) => key));
}

/**
 * Unregisters a host, so that it is available to ordinary servers again.
 * @throws 404, 409 while it is reserved or servers are on it
 */
export async function unregisterHost(context: Context, id: string): Promise<void> {
  const host = await getHost(context, id);
  const reserved = conflict(`Can't delete host ${host.id}. The host is reserved.`);
  if (await hasAllocations(context.db, host.id)) throw reserved;
  await requireNoServers(context, host.hypervisorHostname);
  await removeFreepoolHost(context, host.serviceName);
  await deleteReservationProvider(context, host.hypervisorHostname);
  await setReservableTrait(context, host.hypervisorHostname, false);
  try {
    await deleteHost(context.db, host);
  } catch (error) {
    throw isForeignKey(error) ? reserved : error;
  }
  await deleteTrust(context, host.trustId);
}

/** Sets whether a property is private, which hides it from users. @throws 400, 404 */
export async function setPropertyVisibility(
  context: Context,
  name: string,
  body: unknown,
): Promise<Property> {
  const { private: isPrivate } = readObject(body);
  const property = name.length <= 64 ? await findProperty(context.db, name) : undefined;
  if (!property) throw notFound(`Resource property ${name.slice(0, 64)} not found`);
  if (typeof isPrivate !== 'boolean') throw malformed('private');
  return updateProperty(context.db, property, isPrivate, context.now);
}
