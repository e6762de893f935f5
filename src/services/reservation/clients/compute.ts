// The client of Compute: hypervisors, aggregates, flavors, server groups, and the servers on
// reserved resources.
import { ApiError, notFound } from '../../../kernel/errors.ts';
import { callService, type ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Reply, Context } from '../../../kernel/model.ts';
import * as compute from '../../compute/index.ts';
import { asOwner, asService, type Owner } from './identity.ts';

/** The trait of hosts that Compute does not select for ordinary servers. */
export const { reservableTrait } = compute;

/** Blazar requests no microversion, so Compute uses its first. */
const version = '2.1';

/** A path segment. Lone surrogates, which cannot be encoded, are replaced. */
const segment = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** Calls Compute as the actor. The path is below `/v2.1`. */
const callAsActor = (context: Context, request: ServiceRequest): Promise<Reply> =>
  callService(context, compute.compute, { ...request, path: `/v2.1${request.path}`, version });

/** Calls Compute as the user `blazar`, an administrator. */
const call = (context: Context, request: ServiceRequest): Promise<Reply> =>
  callAsActor(asService(context), request);

const get = (
  context: Context,
  path: string,
  query: readonly [string, string][] = [],
): Promise<Reply> => call(context, { method: 'GET', path, query });

const post = (context: Context, path: string, body: object): Promise<Reply> =>
  call(context, { method: 'POST', path, body });

const remove = (context: Context, path: string): Promise<Reply> =>
  call(context, { method: 'DELETE', path });

/** Waits for a reply; undefined if Compute returns 404. */
async function unlessNotFound(replied: Promise<Reply>): Promise<Reply | undefined> {
  return replied.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
}

/** A hypervisor in a list without details. */
interface HypervisorItem extends Pick<compute.ComputeHost, 'id'> {
  readonly hypervisor_hostname: compute.ComputeHost['name'];
  readonly state: string;
  readonly status: string;
}

/** A hypervisor in the replies of Compute's API. */
export interface Hypervisor extends HypervisorItem, Pick<compute.ComputeHost, 'vcpus'> {
  readonly hypervisor_type: string;
  readonly hypervisor_version: number;
  readonly memory_mb: compute.ComputeHost['memoryMb'];
  readonly local_gb: compute.ComputeHost['diskGb'];
  readonly cpu_info: string;
  readonly service: Pick<compute.ComputeHost['service'], 'host'>;
}

/** Finds a hypervisor by its id or its exact hostname. */
export async function findHypervisor(
  context: Context,
  idOrName: string,
): Promise<Hypervisor | undefined> {
  const id = /^\d{1,9}$/.test(idOrName) ? idOrName : await findHypervisorId(context, idOrName);
  const reply =
    id === undefined ? undefined : await unlessNotFound(get(context, `/os-hypervisors/${id}`));
  return (reply?.body as { hypervisor: Hypervisor } | undefined)?.hypervisor;
}

async function findHypervisorId(context: Context, name: string): Promise<string | undefined> {
  const reply = await unlessNotFound(get(context, `/os-hypervisors/${segment(name)}/search`));
  const { hypervisors } = (reply?.body ?? { hypervisors: [] }) as { hypervisors: HypervisorItem[] };
  const exact = hypervisors.find(({ hypervisor_hostname }) => hypervisor_hostname === name);
  return exact && String(exact.id);
}

export async function listHypervisors(context: Context): Promise<readonly Hypervisor[]> {
  const { body } = await get(context, '/os-hypervisors/detail');
  return (body as { hypervisors: Hypervisor[] }).hypervisors;
}

/** A server in the list of those on a hypervisor. */
export type ServerItem = Pick<compute.HostedServer, 'uuid' | 'name'>;

/** Lists the servers on a hypervisor. */
export async function serversOnHypervisor(
  context: Context,
  hostname: string,
): Promise<readonly ServerItem[]> {
  const reply = await unlessNotFound(get(context, `/os-hypervisors/${segment(hostname)}/servers`));
  const { hypervisors } = (reply?.body ?? { hypervisors: [] }) as {
    hypervisors: (HypervisorItem & { servers?: ServerItem[] })[];
  };
  return (
    hypervisors.find(({ hypervisor_hostname }) => hypervisor_hostname === hostname)?.servers ?? []
  );
}

/** Lists the ids of the reservations that servers use, by the UUID of the server. */
export async function reservationsOfServers(
  context: Context,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const servers = await compute.findServers(context, uuids);
  return new Map(
    servers.map(({ uuid, hints, flavor }) => {
      const ofFlavor = flavor.extraSpecs['aggregate_instance_extra_specs:reservation'];
      const hinted = [hints['reservation'] ?? []].flat().map(String);
      return [uuid, [...hinted, ...(ofFlavor === undefined ? [] : [ofFlavor])]];
    }),
  );
}

/** Reads the availability zone of a host; '' if Compute has no service on it. */
export async function findZone(context: Context, host: string): Promise<string> {
  // Blazar lists all zones with their hosts instead.
  const { body } = await get(context, '/os-services', [
    ['binary', 'nova-compute'],
    ['host', host],
  ]);
  return (body as { services: { zone: string }[] }).services[0]?.zone ?? '';
}

/** An aggregate in the replies of Compute's API. */
export type Aggregate = Pick<compute.Aggregate, 'id' | 'name' | 'hosts'>;

export async function findAggregate(context: Context, id: number): Promise<Aggregate | undefined> {
  const reply = await unlessNotFound(get(context, `/os-aggregates/${id}`));
  return (reply?.body as { aggregate: Aggregate } | undefined)?.aggregate;
}

export async function listAggregates(context: Context): Promise<readonly Aggregate[]> {
  const { body } = await get(context, '/os-aggregates');
  return (body as { aggregates: Aggregate[] }).aggregates;
}

export const findAggregateByName = async (
  context: Context,
  name: string,
): Promise<Aggregate | undefined> =>
  (await listAggregates(context)).find((aggregate) => aggregate.name === name);

export interface NewAggregate extends Pick<compute.Aggregate, 'name'> {
  readonly zone?: string;
  readonly metadata?: compute.Aggregate['metadata'];
}

/** Creates an aggregate, and sets its metadata. @returns its id */
export async function createAggregate(
  context: Context,
  { name, zone, metadata }: NewAggregate,
): Promise<number> {
  const aggregate = { name, ...(zone === undefined ? {} : { availability_zone: zone }) };
  const { body } = await post(context, '/os-aggregates', { aggregate });
  const { id } = (body as { aggregate: Aggregate }).aggregate;
  if (metadata) await post(context, `/os-aggregates/${id}/action`, { set_metadata: { metadata } });
  return id;
}

export async function addAggregateHost(context: Context, id: number, host: string): Promise<void> {
  await post(context, `/os-aggregates/${id}/action`, { add_host: { host } });
}

/** Removes a host from an aggregate; does nothing if either is gone. */
export async function removeAggregateHost(
  context: Context,
  id: number,
  host: string,
): Promise<void> {
  await unlessNotFound(post(context, `/os-aggregates/${id}/action`, { remove_host: { host } }));
}

/** Removes the hosts of an aggregate from it, then deletes it. */
export async function deleteAggregate(context: Context, id: number): Promise<void> {
  const aggregate = await findAggregate(context, id);
  if (!aggregate) return;
  for (const host of aggregate.hosts) await removeAggregateHost(context, id, host);
  await unlessNotFound(remove(context, `/os-aggregates/${id}`));
}

/** Creates a server group that belongs to the owner. @returns its id */
export async function createServerGroup(
  context: Context,
  owner: Owner,
  name: string,
  affinity: boolean,
): Promise<string> {
  const { body } = await callAsActor(await asOwner(context, owner), {
    method: 'POST',
    path: '/os-server-groups',
    body: { server_group: { name, policies: [affinity ? 'affinity' : 'anti-affinity'] } },
  });
  return (body as { server_group: { id: compute.ServerGroup['uuid'] } }).server_group.id;
}

export async function deleteServerGroup(context: Context, id: string): Promise<void> {
  await unlessNotFound(remove(context, `/os-server-groups/${id}`));
}

export interface NewFlavor extends Pick<compute.FlavorFields, 'name' | 'vcpus'> {
  readonly id: compute.FlavorFields['flavorid'];
  readonly ram: number;
  readonly disk: number;
  readonly ephemeral?: number;
  readonly swap?: number;
  readonly extraSpecs: compute.Flavor['extraSpecs'];
}

/** Creates a flavor that no project has access to yet. @throws 409 if the id or name exists */
export async function createFlavor(context: Context, flavor: NewFlavor): Promise<void> {
  const { id, name, vcpus, ram, disk, ephemeral, swap, extraSpecs } = flavor;
  await post(context, '/flavors', {
    flavor: {
      id,
      name,
      vcpus,
      ram,
      disk,
      'os-flavor-access:is_public': false,
      ...(ephemeral ? { 'OS-FLV-EXT-DATA:ephemeral': ephemeral } : {}),
      ...(swap ? { swap } : {}),
    },
  });
  await post(context, `/flavors/${id}/os-extra_specs`, { extra_specs: extraSpecs });
}

/** Gives a project access to a flavor. */
export async function addFlavorAccess(context: Context, id: string, tenant: string): Promise<void> {
  await post(context, `/flavors/${id}/action`, { addTenantAccess: { tenant } }).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError && error.status === 409)) throw error; // has access already
    },
  );
}

export async function removeFlavorAccess(
  context: Context,
  id: string,
  tenant: string,
): Promise<void> {
  await unlessNotFound(post(context, `/flavors/${id}/action`, { removeTenantAccess: { tenant } }));
}

export async function deleteFlavor(context: Context, id: string): Promise<void> {
  await unlessNotFound(remove(context, `/flavors/${id}`));
}

/** A flavor in the replies of Compute's API, with its extra specs. */
export interface SourceFlavor extends Pick<compute.FlavorFields, 'name' | 'vcpus'> {
  readonly id: compute.FlavorFields['flavorid'];
  readonly ram: compute.FlavorFields['memoryMb'];
  readonly disk: compute.FlavorFields['rootGb'];
  /** '' if it is 0. */
  readonly swap: compute.FlavorFields['swap'] | '';
  readonly 'OS-FLV-EXT-DATA:ephemeral': compute.FlavorFields['ephemeralGb'];
  readonly rxtx_factor: compute.FlavorFields['rxtxFactor'];
  readonly 'os-flavor-access:is_public': compute.FlavorFields['isPublic'];
  readonly extra_specs: compute.Flavor['extraSpecs'];
}

/** Resolves the id or the name of a flavor to its id. Returns an unknown text unchanged. */
export async function flavorIdOf(context: Context, idOrName: string): Promise<string> {
  const { body } = await get(context, '/flavors', [['is_public', 'None']]);
  const { flavors } = body as { flavors: { id: string; name: string }[] };
  const found =
    flavors.find(({ id }) => id === idOrName) ?? flavors.find(({ name }) => name === idOrName);
  return found?.id ?? idOrName;
}

/** Reads a flavor that the actor has access to. @throws 404 with the message of Compute's client */
export async function readFlavor(context: Context, id: string): Promise<SourceFlavor> {
  const path = `/flavors/${segment(id)}`;
  const reply =
    id === '' || id.length > 255
      ? undefined
      : await unlessNotFound(callAsActor(context, { method: 'GET', path }));
  if (!reply)
    throw notFound(
      `Flavor ${id.slice(0, 255)} could not be found. (HTTP 404) (Request-ID: ` +
        `${context.requestId})`,
    );
  // The copy outlives the flavor, so it does not keep the links.
  const flavor = { ...(reply.body as { flavor: SourceFlavor & { links?: unknown } }).flavor };
  delete flavor.links;
  const specs = await callAsActor(context, { method: 'GET', path: `${path}/os-extra_specs` });
  return { ...flavor, ...(specs.body as Pick<SourceFlavor, 'extra_specs'>) };
}

/** Lists the servers of all projects that match a filter. */
async function listServers(
  context: Context,
  filter: readonly [string, string],
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { body } = await get(context, '/servers', [[...filter], ['all_tenants', '1']]);
  return (body as { servers: { id: string; name: string }[] }).servers;
}

/** Deletes all servers of a flavor. @returns whether all of them are gone */
export const deleteServersOfFlavor = (context: Context, flavorId: string): Promise<boolean> =>
  deleteServers(context, ['flavor', flavorId]);

/** Deletes the servers of all projects on a host. @returns whether all of them are gone */
export const deleteServersOnHost = (context: Context, host: string): Promise<boolean> =>
  deleteServers(context, ['host', host]);

async function deleteServers(
  context: Context,
  filter: readonly [string, string],
): Promise<boolean> {
  for (;;) {
    const before = await listServers(context, filter);
    for (const { id } of before) await unlessNotFound(remove(context, `/servers/${id}`));
    const after = await listServers(context, filter);
    if (!after.length) return true;
    // A list has at most one page. Servers that were not in the first list are on the next page;
    // servers that were are still being deleted.
    if (after.some(({ id }) => before.some((server) => server.id === id))) return false;
  }
}

/** Creates an image of each server on a host. Skips servers that Compute refuses to snapshot. */
export async function snapshotServersOnHost(
  context: Context,
  host: string,
  prefix: string,
): Promise<void> {
  for (const { id, name } of await listServers(context, ['host', host])) {
    const createImage = { name: `${prefix}${name}`.slice(0, 255) };
    await post(context, `/servers/${id}/action`, { createImage }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
  }
}
