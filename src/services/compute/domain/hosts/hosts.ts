// Hosts that are added and removed: each is a compute node, the service on it, a resource provider
// in Placement, and agents in Network.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import { uuidFor } from '../../../../kernel/ids.ts';
import { hostAdded, hostRemoved } from '../../clients/network.ts';
import {
  changeAggregates,
  changeTraits,
  deleteProvider,
  ensureProvider,
} from '../../clients/placement.ts';
import { aggregatesOfHost, findAggregate } from '../../store/hosts/aggregates.ts';
import {
  deleteHost,
  findComputeHost,
  hasMoves,
  insertHost,
  listComputeHosts,
  serversOn,
} from '../../store/hosts/hosts.ts';
import { deleteService, insertService, updateService } from '../../store/hosts/services.ts';
import { endEvacuations } from './evacuations.ts';
import { addAggregateHost, createAggregate, removeAggregateHost } from './aggregates.ts';
import { profileOf, readProfile, type HostProfile } from './host-profiles.ts';
import type { Context } from '../../../../kernel/model.ts';
import { zoneKey, type ComputeHost, type ComputeService, type ServiceChange } from '../../model.ts';

/**
 * The turn of what operators write: hosts, their services, aggregates, flavors and the like rest on
 * each other.
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

/**
 * The trait of providers whose service is disabled: requests for allocation candidates forbid it.
 */
export const disabledTrait = 'COMPUTE_STATUS_DISABLED';

const classes = { VCPU: 'vcpus', MEMORY_MB: 'memory_mb', DISK_GB: 'disk_gb' } as const;

/**
 * Adds a host. Its ids follow from region and name, so that they are the same after a reset.
 * @throws 409 where the name is taken
 */
export async function addHost(context: Context, profile: HostProfile): Promise<ComputeHost> {
  const { db, region, now } = context;
  const { name, vcpus, memory_mb: memoryMb, disk_gb: diskGb, zone } = profile;
  if (await findComputeHost(db, { name })) throw conflict(`There is a host ${name} already.`);
  const uuid = uuidFor(`compute.host.${region.name}.${name}`);
  const service = {
    uuid: uuidFor(`compute.service.${region.name}.${name}`),
    host: name,
    binary: 'nova-compute',
  };
  const serviceId = await insertService(db, service, now);
  await insertHost(db, { uuid, name, vcpus, memoryMb, diskGb }, serviceId, now);
  await createProvider(context, uuid, profile);
  if (zone !== undefined) await addToZone(context, name, zone);
  await hostAdded(context, { name });
  return (await findComputeHost(db, { name }))!;
}

/** Creates the resource provider of a host: its inventories and traits. */
async function createProvider(context: Context, uuid: string, profile: HostProfile): Promise<void> {
  const inventories = Object.entries(classes).map(([resource, key]) => {
    const total = profile[key];
    const reserved = Math.min(profile.reserved[key], total - 1);
    return [
      resource,
      { total, reserved, max_unit: total, allocation_ratio: profile.ratios[key] },
    ] as const;
  });
  const traits = [...capabilities, ...profile.traits];
  await ensureProvider(context, {
    uuid,
    name: profile.name,
    inventories: Object.fromEntries(inventories),
    traits,
  });
}

/** Adds a host to the aggregate of that name, which makes hosts part of the zone of that name. */
async function addToZone(context: Context, host: string, zone: string): Promise<void> {
  const found = await findAggregate(context.db, { name: zone });
  const aggregate = found ?? (await createAggregate(context, { name: zone, zone }));
  if (aggregate.metadata[zoneKey] !== zone)
    throw conflict(`The aggregate ${zone} is no availability zone of that name.`);
  await addAggregateHost(context, aggregate, host);
}

/**
 * Removes a host with its service and its provider, also from its aggregates.
 * @throws 409 while servers are on it or on their way
 */
export async function removeHost(context: Context, host: ComputeHost): Promise<void> {
  const { db } = context;
  const { name } = host;
  if ((await serversOn(db, [name])).length) {
    throw conflict(
      'Unable to delete compute service that is hosting instances. Migrate or delete the instances first.',
    );
  }
  if (await hasMoves(db, name)) {
    throw conflict(
      'Unable to delete compute service that has in-progress migrations. Complete the migrations or delete the instances first.',
    );
  }
  for (const aggregate of await aggregatesOfHost(db, name))
    await removeAggregateHost(context, aggregate, name);
  await endEvacuations(context, host);
  await deleteProvider(context, host.uuid);
  await deleteHost(db, host.id);
  await deleteService(db, host.service.id);
  await hostRemoved(context, name);
}

/**
 * Announces hosts again to services that have been reset: resource providers to Placement, agents
 * to Network.
 */
export async function announceHosts(context: Context, reset: ReadonlySet<string>): Promise<void> {
  if (reset.has('placement')) await restoreProviders(context);
  if (reset.has('network'))
    for (const { name } of await listComputeHosts(context.db)) await hostAdded(context, { name });
}

/**
 * Creates the providers of all hosts again: as ordinary hosts of their size, in their aggregates.
 */
async function restoreProviders(context: Context): Promise<void> {
  for (const { uuid, name, vcpus, memoryMb, diskGb, service } of await listComputeHosts(
    context.db,
  )) {
    await createProvider(
      context,
      uuid,
      profileOf({ name, vcpus, memory_mb: memoryMb, disk_gb: diskGb }),
    );
    if (service.disabled) await changeTraits(context, uuid, { add: [disabledTrait] });
    const aggregates = await aggregatesOfHost(context.db, name);
    await changeAggregates(context, uuid, { add: aggregates.map((aggregate) => aggregate.uuid) });
  }
}

/**
 * Enables or disables a service, which its provider shows; or forces it down, or up, which ends the
 * evacuations from its host.
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
 * Deletes a service: that of a host with the host.
 * @throws 409 while servers are on the host or on their way
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
 * Lets the scheduler use a host, or not; its service stays as it is. Upstream: compute/manager.py
 * set_host_enabled.
 */
export const setHostEnabled = (
  context: Context,
  { uuid }: ComputeHost,
  enabled: boolean,
): Promise<void> => changeTraits(context, uuid, { [enabled ? 'remove' : 'add']: [disabledTrait] });

/**
 * A host's description in a request, with what it leaves out filled in.
 * @throws 400 that says what is expected
 */
export function readHost(description: unknown): HostProfile {
  try {
    return readProfile(description, 'The host');
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
