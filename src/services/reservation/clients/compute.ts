// What Reservation wants of Compute: hypervisors, aggregates, flavors, server groups, and the
// servers on what was reserved.
import { ApiError, notFound } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import type { Reply, Context } from '../../../kernel/model.ts';
import { compute } from '../../compute/index.ts';
import { asOwner, asService, type Owner } from './identity.ts';

/** Blazar names no version, and so is served at the first. */
const version = '2.1';

/** A part of a path; what is no character is written as one that stands for it. */
const part = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const ask = (
  context: Context,
  method: string,
  path: string,
  body?: unknown,
  query?: readonly [string, string][],
): Promise<Reply> =>
  callService(context, compute, {
    method,
    path: `/v2.1${path}`,
    version,
    ...(body === undefined ? {} : { body }),
    ...(query ? { query } : {}),
  });

const askAsService = (
  context: Context,
  method: string,
  path: string,
  body?: unknown,
  query?: readonly [string, string][],
) => ask(asService(context), method, path, body, query);

/** The answer; undefined where what was asked about is not there. */
async function unlessGone(asked: Promise<Reply>): Promise<Reply | undefined> {
  return asked.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
}

export interface Hypervisor {
  readonly id: number;
  readonly hypervisor_hostname: string;
  readonly hypervisor_type: string;
  readonly hypervisor_version: number;
  readonly vcpus: number;
  readonly memory_mb: number;
  readonly local_gb: number;
  readonly cpu_info: string;
  readonly state: string;
  readonly status: string;
  readonly service: { readonly host: string };
}

/** A hypervisor by its number or its exact name. */
export async function findHypervisor(
  context: Context,
  pattern: string,
): Promise<Hypervisor | undefined> {
  const id = /^\d{1,9}$/.test(pattern) ? pattern : await idOfHypervisor(context, pattern);
  const found =
    id === undefined
      ? undefined
      : await unlessGone(askAsService(context, 'GET', `/os-hypervisors/${id}`));
  return (found?.body as { hypervisor: Hypervisor } | undefined)?.hypervisor;
}

async function idOfHypervisor(context: Context, name: string): Promise<string | undefined> {
  const found = await unlessGone(
    askAsService(context, 'GET', `/os-hypervisors/${part(name)}/search`),
  );
  const { hypervisors } = (found?.body ?? { hypervisors: [] }) as { hypervisors: Hypervisor[] };
  const exact = hypervisors.find(({ hypervisor_hostname }) => hypervisor_hostname === name);
  return exact && String(exact.id);
}

export async function listHypervisors(context: Context): Promise<readonly Hypervisor[]> {
  const { body } = await askAsService(context, 'GET', '/os-hypervisors/detail');
  return (body as { hypervisors: Hypervisor[] }).hypervisors;
}

/** A server, as lists of those on a hypervisor name it. */
export interface NamedServer {
  readonly uuid: string;
  readonly name: string;
}

/** The servers on a hypervisor. */
export async function serversOnHypervisor(
  context: Context,
  hostname: string,
): Promise<readonly NamedServer[]> {
  const found = await unlessGone(
    askAsService(context, 'GET', `/os-hypervisors/${part(hostname)}/servers`),
  );
  const { hypervisors } = (found?.body ?? { hypervisors: [] }) as {
    hypervisors: { hypervisor_hostname: string; servers?: NamedServer[] }[];
  };
  return (
    hypervisors.find(({ hypervisor_hostname }) => hypervisor_hostname === hostname)?.servers ?? []
  );
}

/** The availability zone of a host; empty where none has it. */
export async function zoneOf(context: Context, serviceName: string): Promise<string> {
  // Blazar reads the zones with all of their hosts for it.
  const { body } = await askAsService(context, 'GET', '/os-services', undefined, [
    ['binary', 'nova-compute'],
    ['host', serviceName],
  ]);
  return (body as { services: { zone: string }[] }).services[0]?.zone ?? '';
}

export interface Aggregate {
  readonly id: number;
  readonly name: string;
  readonly hosts: readonly string[];
}

export async function findAggregate(context: Context, id: number): Promise<Aggregate | undefined> {
  const found = await unlessGone(askAsService(context, 'GET', `/os-aggregates/${id}`));
  return (found?.body as { aggregate: Aggregate } | undefined)?.aggregate;
}

export async function findAggregateNamed(
  context: Context,
  name: string,
): Promise<Aggregate | undefined> {
  const { body } = await askAsService(context, 'GET', '/os-aggregates');
  return (body as { aggregates: Aggregate[] }).aggregates.find(
    (aggregate) => aggregate.name === name,
  );
}

export interface NewAggregate {
  readonly name: string;
  readonly zone?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Makes an aggregate, and says what is to be said of it. @returns its id */
export async function createAggregate(
  context: Context,
  { name, zone, metadata }: NewAggregate,
): Promise<number> {
  const aggregate = { name, ...(zone === undefined ? {} : { availability_zone: zone }) };
  const { body } = await askAsService(context, 'POST', '/os-aggregates', { aggregate });
  const { id } = (body as { aggregate: Aggregate }).aggregate;
  if (metadata)
    await askAsService(context, 'POST', `/os-aggregates/${id}/action`, {
      set_metadata: { metadata },
    });
  return id;
}

export async function joinAggregate(context: Context, id: number, host: string): Promise<void> {
  await askAsService(context, 'POST', `/os-aggregates/${id}/action`, { add_host: { host } });
}

/** Takes a host out of an aggregate; one that is not in it, or is gone, is out already. */
export async function leaveAggregate(context: Context, id: number, host: string): Promise<void> {
  await unlessGone(
    askAsService(context, 'POST', `/os-aggregates/${id}/action`, { remove_host: { host } }),
  );
}

/** Deletes an aggregate, with what hosts are left in it taken out. */
export async function deleteAggregate(context: Context, id: number): Promise<void> {
  const aggregate = await findAggregate(context, id);
  if (!aggregate) return;
  for (const host of aggregate.hosts) await leaveAggregate(context, id, host);
  await unlessGone(askAsService(context, 'DELETE', `/os-aggregates/${id}`));
}

/** Makes a server group of the owner's. @returns its id */
export async function createServerGroup(
  context: Context,
  owner: Owner,
  name: string,
  affinity: boolean,
): Promise<string> {
  const body = { server_group: { name, policies: [affinity ? 'affinity' : 'anti-affinity'] } };
  const reply = await ask(await asOwner(context, owner), 'POST', '/os-server-groups', body);
  return (reply.body as { server_group: { id: string } }).server_group.id;
}

export async function deleteServerGroup(context: Context, id: string): Promise<void> {
  await unlessGone(askAsService(context, 'DELETE', `/os-server-groups/${id}`));
}

export interface NewFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
  readonly disk: number;
  readonly ephemeral?: number;
  readonly swap?: number;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** Makes a flavor that nobody sees yet. @throws 409 where the id or the name is taken */
export async function createFlavor(context: Context, flavor: NewFlavor): Promise<void> {
  const { id, name, vcpus, ram, disk, ephemeral, swap, extraSpecs } = flavor;
  await askAsService(context, 'POST', '/flavors', {
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
  await askAsService(context, 'POST', `/flavors/${id}/os-extra_specs`, { extra_specs: extraSpecs });
}

/** Shows a flavor to a project. */
export async function allowFlavor(context: Context, id: string, tenant: string): Promise<void> {
  await askAsService(context, 'POST', `/flavors/${id}/action`, {
    addTenantAccess: { tenant },
  }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 409)) throw error; // it sees it already
  });
}

export async function disallowFlavor(context: Context, id: string, tenant: string): Promise<void> {
  await unlessGone(
    askAsService(context, 'POST', `/flavors/${id}/action`, { removeTenantAccess: { tenant } }),
  );
}

export async function deleteFlavor(context: Context, id: string): Promise<void> {
  await unlessGone(askAsService(context, 'DELETE', `/flavors/${id}`));
}

/** A flavor as Compute shows it, with its extra specs. */
export interface SourceFlavor {
  readonly id: string;
  readonly name: string;
  readonly ram: number;
  readonly vcpus: number;
  readonly disk: number;
  readonly swap: number | '';
  readonly 'OS-FLV-EXT-DATA:ephemeral': number;
  readonly rxtx_factor: number;
  readonly 'os-flavor-access:is_public': boolean;
  readonly extra_specs: Readonly<Record<string, string>>;
}

/** The flavor, where who asks may see it. @throws 404 in the words of Compute's client */
export async function flavorOf(context: Context, id: string): Promise<SourceFlavor> {
  const found =
    id === '' || id.length > 255
      ? undefined
      : await unlessGone(ask(context, 'GET', `/flavors/${part(id)}`));
  if (!found)
    throw notFound(
      `Flavor ${id.slice(0, 255)} could not be found. (HTTP 404) (Request-ID: ${context.requestId})`,
    );
  const { body } = found;
  const { flavor } = body as { flavor: SourceFlavor };
  const specs = await ask(context, 'GET', `/flavors/${part(id)}/os-extra_specs`);
  // Links lead to the flavor as it is then, and not as it was reserved.
  const kept = Object.fromEntries(
    Object.entries(flavor).filter(([name]) => name !== 'links'),
  ) as unknown as SourceFlavor;
  return { ...kept, ...(specs.body as { extra_specs: Record<string, string> }) };
}

async function serversWith(context: Context, filter: readonly [string, string]): Promise<string[]> {
  const query: [string, string][] = [[...filter], ['all_tenants', '1']];
  const { body } = await askAsService(context, 'GET', '/servers', undefined, query);
  return (body as { servers: { id: string }[] }).servers.map(({ id }) => id);
}

/** Deletes all servers of a flavor. @returns whether they are gone */
export const deleteServersOfFlavor = (context: Context, flavorId: string): Promise<boolean> =>
  deleteServers(context, ['flavor', flavorId]);

/** Deletes all servers on a host, whoever they belong to. @returns whether they are gone */
export const deleteServersOnHost = (context: Context, host: string): Promise<boolean> =>
  deleteServers(context, ['host', host]);

async function deleteServers(
  context: Context,
  filter: readonly [string, string],
): Promise<boolean> {
  for (;;) {
    const before = await serversWith(context, filter);
    for (const id of before) await unlessGone(askAsService(context, 'DELETE', `/servers/${id}`));
    const after = await serversWith(context, filter);
    if (!after.length) return true;
    // A list has a length at most: where others have come up, there were more. Else those that are
    // left take their time.
    if (after.some((id) => before.includes(id))) return false;
  }
}

/** Makes an image of each server on a host; one that cannot be made now is left out. */
export async function snapshotServersOnHost(
  context: Context,
  host: string,
  prefix: string,
): Promise<void> {
  const query: [string, string][] = [
    ['host', host],
    ['all_tenants', '1'],
  ];
  const { body } = await askAsService(context, 'GET', '/servers', undefined, query);
  for (const { id, name } of (body as { servers: { id: string; name: string }[] }).servers) {
    const image = { createImage: { name: `${prefix}${name}`.slice(0, 255) } };
    await askAsService(context, 'POST', `/servers/${id}/action`, image).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
  }
}
