// Hosts coming and going: each is a node, the service on it, and a provider in Placement.
import type { Micros } from '../../../../kernel/clock.ts';
import { badRequest, conflict } from '../../../../kernel/fault.ts';
import { uuidFor } from '../../../../kernel/ids.ts';
import * as network from '../../../network/index.ts';
import { changeAggregates, changeTraits, dropProvider, ensureProvider } from '../../../placement/index.ts';
import { aggregatesOfHost, findAggregate, zoneKey } from '../../store/hosts/aggregates.ts';
import {
  deleteHost,
  findComputeHost,
  hasMoves,
  insertHost,
  listComputeHosts,
  serversOn,
  type ComputeHost,
} from '../../store/hosts/hosts.ts';
import {
  deleteService,
  insertService,
  updateService,
  type ComputeService,
  type ServiceChange,
} from '../../store/hosts/services.ts';
import { createAggregate, joinAggregate, leaveAggregate } from './aggregates.ts';
import { profileOf, readProfile, type HostProfile } from './host-profiles.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Work } from '../../../../kernel/model.ts';

/** What every host can do. */
const capabilities = [
  'COMPUTE_NODE', 'OWNER_NOVA', 'COMPUTE_NET_ATTACH_INTERFACE', 'COMPUTE_DEVICE_TAGGING', 'COMPUTE_VOLUME_EXTEND',
  'COMPUTE_VOLUME_MULTI_ATTACH', 'COMPUTE_TRUSTED_CERTS', 'COMPUTE_IMAGE_TYPE_RAW', 'COMPUTE_IMAGE_TYPE_QCOW2',
  'COMPUTE_IMAGE_TYPE_ISO', 'COMPUTE_RESCUE_BFV', 'HW_ARCH_X86_64',
]; // prettier-ignore

/** The trait of providers whose service is disabled: requests of the scheduler forbid it. */
export const disabledTrait = 'COMPUTE_STATUS_DISABLED';

const classes = { VCPU: 'vcpus', MEMORY_MB: 'memory_mb', DISK_GB: 'disk_gb' } as const;

/** Makes a host. Its ids follow from region and name, so that they are the same after a reset. @throws 409 where the name is taken */
export async function addHost(work: Work, profile: HostProfile): Promise<ComputeHost> {
  const { db, region, now } = work;
  const { name, vcpus, memory_mb: memoryMb, disk_gb: diskGb, zone } = profile;
  if (await findComputeHost(db, { name })) throw conflict(`There is a host ${name} already.`);
  const uuid = uuidFor(`compute.host.${region.name}.${name}`);
  const service = { uuid: uuidFor(`compute.service.${region.name}.${name}`), host: name, binary: 'nova-compute' };
  const serviceId = await insertService(db, service, now);
  await insertHost(db, { uuid, name, vcpus, memoryMb, diskGb }, serviceId, now);
  await provide(db, uuid, profile, now);
  if (zone !== undefined) await putIntoZone(db, name, zone, now);
  await network.hostAdded(work, profile);
  return (await findComputeHost(db, { name }))!;
}

async function provide(db: Db, uuid: string, profile: HostProfile, now: Micros): Promise<void> {
  const inventories = Object.entries(classes).map(([resource, key]) => {
    const total = profile[key];
    const reserved = Math.min(profile.reserved[key], total - 1);
    return [resource, { total, reserved, max_unit: total, allocation_ratio: profile.ratios[key] }] as const;
  });
  const traits = [...capabilities, ...profile.traits];
  await ensureProvider(db, { uuid, name: profile.name, inventories: Object.fromEntries(inventories), traits }, now);
}

/** A zone is an aggregate that says so, here one of the same name. */
async function putIntoZone(db: Db, host: string, zone: string, now: Micros): Promise<void> {
  const found = await findAggregate(db, { name: zone });
  const aggregate = found ?? (await createAggregate(db, { name: zone, zone }, now));
  if (aggregate.metadata[zoneKey] !== zone) throw conflict(`The aggregate ${zone} is no availability zone of that name.`);
  await joinAggregate(db, aggregate, host, now);
}

/** Removes a host with its service, its provider, and its places in aggregates. @throws 409 while servers are on it or on their way */
export async function removeHost(work: Work, host: ComputeHost): Promise<void> {
  const { db, now } = work;
  const { name } = host;
  if ((await serversOn(db, [name])).length) {
    throw conflict('Unable to delete compute service that is hosting instances. Migrate or delete the instances first.');
  }
  if (await hasMoves(db, name)) {
    throw conflict(
      'Unable to delete compute service that has in-progress migrations. Complete the migrations or delete the instances first.',
    );
  }
  for (const aggregate of await aggregatesOfHost(db, name)) await leaveAggregate(db, aggregate, host, now);
  await dropProvider(db, host.uuid);
  await network.hostRemoved(work, name);
  await deleteHost(db, host.id);
  await deleteService(db, host.service.id);
}

/** Gives hosts their providers back where Placement has been emptied: as ordinary hosts of their size, in their aggregates. */
export async function restoreProviders({ db, now }: Work): Promise<void> {
  for (const { uuid, name, vcpus, memoryMb, diskGb, service } of await listComputeHosts(db)) {
    await provide(db, uuid, profileOf({ name, vcpus, memory_mb: memoryMb, disk_gb: diskGb }), now);
    if (service.disabled) await changeTraits(db, uuid, { add: [disabledTrait] }, now);
    const aggregates = await aggregatesOfHost(db, name);
    await changeAggregates(db, uuid, { add: aggregates.map((aggregate) => aggregate.uuid) }, now);
  }
}

/** Announces the hosts to Network where that has been emptied: each runs an agent of it. */
export async function restoreAgents(work: Work): Promise<void> {
  for (const host of await listComputeHosts(work.db)) await network.hostAdded(work, host);
}

/** Enables or disables a service, or forces it down; its provider shows whether it may be used. */
export async function changeService(
  db: Db,
  service: ComputeService,
  change: ServiceChange,
  now: Micros,
): Promise<ComputeService> {
  await updateService(db, service.id, change);
  const host = change.disabled === undefined ? undefined : await findComputeHost(db, { name: service.host });
  if (host) await changeTraits(db, host.uuid, { [change.disabled ? 'add' : 'remove']: [disabledTrait] }, now);
  return { ...service, ...change };
}

/** Lets the scheduler use a host, or not; its service is as it was. Upstream: compute/manager.py set_host_enabled. */
export const allowServers = (db: Db, { uuid }: ComputeHost, allowed: boolean, now: Micros): Promise<void> =>
  changeTraits(db, uuid, { [allowed ? 'remove' : 'add']: [disabledTrait] }, now);

/** The host of a name. */
export const findHost = (db: Db, name: string): Promise<ComputeHost | undefined> => findComputeHost(db, { name });

/** A host's description in a request, with what it leaves out filled in. @throws 400 that says what is expected */
export function readHost(description: unknown): HostProfile {
  try {
    return readProfile(description, 'The host');
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
