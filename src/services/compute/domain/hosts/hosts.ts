// Adds, changes and removes hosts. Each consists of a compute node, the service on it, a resource
// provider in Placement, and agents in Network.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import { firstRepeated, grouped } from '../../../../kernel/db/grouping.ts';
import { uuidFor } from '../../../../kernel/ids.ts';
import { hostRemoved, hostsAdded, reportProviders } from '../../clients/network.ts';
import {
  addToAggregate,
  changeTraits,
  deleteProvider,
  ensureProviders,
  type ProviderShape,
} from '../../clients/placement.ts';
import { aggregatesOfHosts, findAggregate, listAggregates } from '../../store/hosts/aggregates.ts';
import {
  deleteHost,
  findComputeHost,
  findComputeHosts,
  hasMoves,
  insertHosts,
  listComputeHosts,
  serversOn,
} from '../../store/hosts/hosts.ts';
import { deleteService, insertServices, updateService } from '../../store/hosts/services.ts';
import { endEvacuations } from './evacuations.ts';
import { addAggregateHosts, createAggregate, removeAggregateHost } from './aggregates.ts';
import { profileOf, readProfile, type HostProfile } from './host-profiles.ts';
import type { Context } from '../../../../kernel/model.ts';
import { zoneKey, type ComputeHost, type ComputeService, type ServiceChange } from '../../model.ts';

/**
 * Database lock held by every request that writes hosts, services, aggregates, flavors and other
 * resources of operators, because these depend on each other.
 */
export const operatorLock = 'compute.operators';

/** The traits of every host. */
const capabilities = [
  'COMPUTE_NODE',
  'OWNER_NOVA',
  'COMPUTE_NET_ATTACH_INTERFACE',
  'COMPUTE_DEVICE_TAGGING',
  'COMPUTE_VOLUME_EXTEND',
  'COMPUTE_VOLUME_MULTI_ATTACH',
  'COMPUTE_TRUSTED_CERTS',
  'COMPUTE_IMAGE_TYPE_RAW',
  'COMPUTE_IMAGE_TYPE_QCOW2',
  'COMPUTE_IMAGE_TYPE_ISO',
  'COMPUTE_RESCUE_BFV',
  'HW_ARCH_X86_64',
];

/** The trait of providers whose service is disabled. Queries for candidates exclude it. */
export const disabledTrait = 'COMPUTE_STATUS_DISABLED';

/**
 * The trait of hosts that are registered in Blazar, if Blazar keeps ordinary servers off them by
 * Placement. Blazar has no such trait upstream: its specification mentions traits as a way to do
 * without the filter.
 */
export const reservableTrait = 'CUSTOM_BLAZAR_RESERVABLE';

const classes = { VCPU: 'vcpus', MEMORY_MB: 'memory_mb', DISK_GB: 'disk_gb' } as const;

/**
 * Adds hosts. Their ids are derived from region and name, so that they are the same after a reset.
 * @returns them in the order of the profiles
 * @throws 409 if a name is taken
 */
export async function addHosts(
  context: Context,
  profiles: readonly HostProfile[],
): Promise<readonly ComputeHost[]> {
  const { db, region, now } = context;
  const names = profiles.map(({ name }) => name);
  const [existing] = (await findComputeHosts(db, names)).keys();
  const taken = firstRepeated(names) ?? existing;
  if (taken !== undefined) throw conflict(`A host named ${taken} already exists.`);
  const idOf = (kind: string, name: string): string =>
    uuidFor(`compute.${kind}.${region.name}.${name}`);
  const services = names.map((name) => ({
    uuid: idOf('service', name),
    host: name,
    binary: 'nova-compute',
  }));
  const serviceIds = await insertServices(db, services, now);
  await insertHosts(
    db,
    profiles.map(({ name, vcpus, memory_mb: memoryMb, disk_gb: diskGb }) => {
      const [uuid, serviceId] = [idOf('host', name), serviceIds.get(idOf('service', name))!];
      return { uuid, name, vcpus, memoryMb, diskGb, serviceId };
    }),
    now,
  );
  const shapes = profiles.map((profile) => providerOf(idOf('host', profile.name), profile));
  await ensureProviders(context, shapes);
  for (const [zone, hosts] of grouped(profiles, (profile) => profile.zone))
    if (zone !== undefined)
      await addToZone(
        context,
        hosts.map(({ name }) => name),
        zone,
      );
  await hostsAdded(context, names);
  const added = await findComputeHosts(db, names);
  return names.map((name) => added.get(name)!);
}

/** The resource provider of a host, with its inventories and traits. */
function providerOf(uuid: string, profile: HostProfile): ProviderShape {
  const inventories = Object.entries(classes).map(([resource, key]) => {
    const total = profile[key];
    const reserved = Math.min(profile.reserved[key], total - 1);
    return [
      resource,
      { total, reserved, max_unit: total, allocation_ratio: profile.ratios[key] },
    ] as const;
  });
  return {
    uuid,
    name: profile.name,
    inventories: Object.fromEntries(inventories),
    traits: [...capabilities, ...profile.traits],
  };
}

/** Adds hosts to the aggregate that defines a zone and has its name; creates it if necessary. */
async function addToZone(context: Context, hosts: readonly string[], zone: string): Promise<void> {
  const found = await findAggregate(context.db, { name: zone });
  const aggregate = found ?? (await createAggregate(context, { name: zone, zone }));
  if (aggregate.metadata[zoneKey] !== zone)
    throw conflict(`Aggregate ${zone} exists, but does not define an availability zone ${zone}.`);
  await addAggregateHosts(context, aggregate, hosts);
}

/**
 * Removes a host with its service and its provider, also from its aggregates.
 * @throws 409 while servers are on it or moving to or from it
 */
export async function removeHost(context: Context, host: ComputeHost): Promise<void> {
  const { db } = context;
  const { name } = host;
  if ((await serversOn(db, [name])).length) {
    throw conflict(
      'Unable to delete compute service that is hosting instances. ' +
        'Migrate or delete the instances first.',
    );
  }
  if (await hasMoves(db, name)) {
    throw conflict(
      'Unable to delete compute service that has in-progress migrations. ' +
        'Complete the migrations or delete the instances first.',
    );
  }
  for (const aggregate of await aggregatesOfHosts(db, [name]))
    await removeAggregateHost(context, aggregate, name);
  await endEvacuations(context, host);
  await hostRemoved(context, name);
  await deleteProvider(context, host.uuid);
  await deleteHost(db, host.id);
  await deleteService(db, host.service.id);
}

/**
 * Restores what services that have been reset know of hosts: resource providers in Placement, and
 * agents in Network.
 */
export async function announceHosts(context: Context, reset: ReadonlySet<string>): Promise<void> {
  if (reset.has('placement')) await restoreProviders(context);
  if (!reset.has('placement') && !reset.has('network')) return;
  const names = (await listComputeHosts(context.db)).map(({ name }) => name);
  if (reset.has('network')) await hostsAdded(context, names);
  else await reportProviders(context, names);
}

/**
 * Creates the providers of all hosts again, with the sizes of the hosts, default ratios, reserved
 * amounts and traits, and the aggregates of the hosts.
 */
async function restoreProviders(context: Context): Promise<void> {
  const hosts = await listComputeHosts(context.db);
  const shapes = hosts.map(({ uuid, name, vcpus, memoryMb, diskGb }) =>
    providerOf(uuid, profileOf({ name, vcpus, memory_mb: memoryMb, disk_gb: diskGb })),
  );
  await ensureProviders(context, shapes);
  for (const { uuid, service } of hosts)
    if (service.disabled) await changeTraits(context, uuid, { add: [disabledTrait] });
  const uuidOf = new Map(hosts.map(({ name, uuid }) => [name, uuid]));
  for (const aggregate of await listAggregates(context.db)) {
    const members = aggregate.hosts.flatMap((name) => uuidOf.get(name) ?? []);
    if (members.length) await addToAggregate(context, aggregate.uuid, members);
  }
}

/**
 * Enables or disables a service and updates the trait of its provider, or forces the service down
 * or up, of which the latter completes the evacuations from its host.
 */
export async function changeService(
  context: Context,
  service: ComputeService,
  change: ServiceChange,
): Promise<ComputeService> {
  await updateService(context.db, service.id, change);
  const host = await findComputeHost(context.db, { name: service.host });
  if (host && change.disabled !== undefined)
    await changeTraits(context, host.uuid, {
      [change.disabled ? 'add' : 'remove']: [disabledTrait],
    });
  if (host && change.forcedDown === false) await endEvacuations(context, host);
  return { ...service, ...change };
}

/**
 * Deletes a service. A nova-compute service is deleted together with its host.
 * @throws 409 while servers are on the host or moving to or from it
 */
export async function removeService(context: Context, service: ComputeService): Promise<void> {
  const host =
    service.binary === 'nova-compute'
      ? await findComputeHost(context.db, { name: service.host })
      : undefined;
  if (host) await removeHost(context, host);
  else await deleteService(context.db, service.id);
}

/**
 * Allows the scheduler to use a host, or forbids it, without changing the service. Upstream:
 * compute/manager.py set_host_enabled.
 */
export const setHostEnabled = (
  context: Context,
  { uuid }: ComputeHost,
  enabled: boolean,
): Promise<void> => changeTraits(context, uuid, { [enabled ? 'remove' : 'add']: [disabledTrait] });

/**
 * Reads a host's description in a request, and completes it with default values.
 * @throws 400 that says what is expected
 */
export function readHost(description: unknown): HostProfile {
  try {
    return readProfile(description, 'The host');
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
