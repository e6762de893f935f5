// Creates servers: validates the request in upstream's order, inserts the servers, and schedules
// their build. Upstream: compute/api.py.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { once } from '../../../../kernel/db/transaction.ts';
import { badRequest, conflict, forbidden } from '../../../../kernel/errors.ts';
import { newHexId, newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findSecurityGroups, type NetworkRequests } from '../../clients/network.ts';
import { availableZones, listHosts } from '../../store/hosts/server-hosts.ts';
import { findKeypair } from '../../store/keypairs.ts';
import {
  addMembers,
  countMembersOf,
  findGroup,
  type GroupKey,
} from '../../store/servers/groups.ts';
import { purgeServer } from '../../store/servers/purge.ts';
import { findServers, insertServers } from '../../store/servers/servers.ts';
import { bothLimitsOf, exceeds, type BothLimits } from '../quotas.ts';
import { groupKeyOf } from '../server-groups.ts';
import { notifyGroup } from '../notifications.ts';
import { serverFlavor } from '../servers/flavor.ts';
import { bootImage, disksOf } from '../servers/boot-source.ts';
import { checkMemory, checkRoom, checkVolumeRoom, type BootImage } from '../servers/images.ts';
import { rootMapping, rootOnVolume, type Mapping } from '../servers/mappings.ts';
import { validateNetworks } from '../servers/networks.ts';
import {
  checkFiles,
  checkMetadata,
  countAllowed,
  acquireQuotaLockIfLimited,
  usageIn,
  type InjectedFile,
} from '../servers/quotas.ts';
import { requestsFor } from '../port-resources.ts';
import { loadSettings } from '../settings.ts';
import { hostnameOf, power } from '../servers/states.ts';
import { recordCreations } from '../servers/tasks.ts';
import { checkMappings } from '../servers/volumes.ts';
import { buildKind, type BuildPayload, type Destination } from './build.ts';
import type { CreatedServer, ServerFlavor, ServerGroup } from '../../model.ts';

/** A request for servers. */
export interface ServerRequest {
  readonly name: string;
  readonly description: string | null;
  readonly hostname: string | null;
  /** Empty if the request names no image because the root disk is on a volume. */
  readonly imageId: string;
  readonly flavorId: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly networks: NetworkRequests;
  readonly diskConfig: string;
  readonly accessIpV4: string | null;
  readonly accessIpV6: string | null;
  /** The zone that the servers are pinned to. */
  readonly zone: string | null;
  readonly destination: Destination;
  readonly mappings: readonly Mapping[];
  readonly legacyMappings: boolean;
  readonly files: readonly InjectedFile[];
  readonly configDrive: boolean;
  readonly keyName: string | null;
  /** The number of servers to create: as many as the quotas allow, from `least` to `most`. */
  readonly least: number;
  readonly most: number;
  /** Names or ids. */
  readonly securityGroups: readonly string[];
  readonly userData: string | null;
  /** Scheduler hints. */
  readonly hints: Readonly<Record<string, unknown>>;
  readonly trustedCerts: readonly string[] | null;
  /** The id and the age of a server that comes from another cloud; null for a new one. */
  readonly origin: { readonly id: string; readonly createdAt: Micros } | null;
}

/** A request whose other fields have default values. */
export type NewServers = Partial<ServerRequest> &
  Pick<ServerRequest, 'name' | 'flavorId' | 'imageId'>;

const defaults: Omit<ServerRequest, 'name' | 'flavorId' | 'imageId'> = {
  description: null,
  hostname: null,
  metadata: {},
  tags: [],
  networks: undefined,
  diskConfig: 'MANUAL',
  accessIpV4: null,
  accessIpV6: null,
  zone: null,
  destination: { host: null, node: null, forced: false },
  mappings: [],
  legacyMappings: false,
  files: [],
  configDrive: false,
  keyName: null,
  least: 1,
  most: 1,
  securityGroups: [],
  userData: null,
  hints: {},
  trustedCerts: null,
  origin: null,
};

/** Permissions of the actor in addition to that of creating servers. */
export interface CreateRights {
  /** Whether image-backed servers may have flavors without a disk. */
  readonly zeroDiskFlavor?: boolean;
  /** Whether ports may request resources of Placement (from 2.72). */
  readonly portResources?: boolean;
}

/**
 * Creates servers for the actor's project, and schedules their build. It may acquire the lock on
 * the project's quotas, so it should be the first statement of a transaction, which avoids retries.
 * @returns the servers, by launch index
 * @throws 400, 403, 409
 */
export async function createServers(
  context: Context,
  servers: NewServers,
  rights: CreateRights = {},
): Promise<CreatedServer[]> {
  const request: ServerRequest = { ...defaults, ...servers };
  const checkLock = await acquireQuotaLockIfLimited(context);
  const { db, now } = context;
  const { networks, count, ...common } = await validate(context, request, rights, checkLock);
  const created = await insertAll(context, request, common, count);
  const payload: BuildPayload = {
    requestId: context.requestId,
    servers: created.map(({ uuid }) => ({ uuid })),
    networks,
    mappings: common.disks,
    destination: request.destination,
  };
  await schedule(db, { dueAt: now, kind: buildKind, subject: common.reservationId, payload });
  return created;
}

/** The properties that all servers of a request share. */
interface Common {
  readonly flavor: ServerFlavor;
  readonly image: BootImage | undefined;
  readonly disks: readonly Mapping[];
  readonly securityGroups: readonly string[];
  readonly group: GroupKey | undefined;
  /** The maximum number of servers that the user may have in the group. */
  readonly membersLimit: number;
  readonly reservationId: string;
}

/** Validates a request in upstream's order. @throws 400, 403, 409 */
async function validate(
  context: Context,
  request: ServerRequest,
  { zeroDiskFlavor = false, portResources = true }: CreateRights,
  checkLock: (limits: BothLimits) => void,
) {
  const { db, actor } = context;
  const { userId, projectId = '' } = actor;
  const { keyName, least, most } = request;
  // These reads are pipelined, but their errors take their places among the checks below.
  const reads = [
    serverFlavor(context, request.flavorId),
    bootImage(context, request),
    once(db, `compute.limits.${projectId} ${userId}`, () => bothLimitsOf(db, projectId, userId)),
    hintedGroup(context, request.hints),
    loadSettings(context),
  ] as const;
  await Promise.allSettled(reads);
  const [flavorRead, imageRead, limitsRead, groupRead, settingsRead] = reads;
  const flavor = await flavorRead;
  if (!request.imageId) await imageRead;
  await checkZone(db, request);
  const image = await imageRead;
  if (image) checkMemory(flavor, image);
  const securityGroups = await findSecurityGroups(context, projectId, request.securityGroups);
  const networks = await validateNetworks(context, request.networks, most);
  if (keyName !== null && !(await findKeypair(db, userId, keyName)))
    throw badRequest('Invalid key_name provided.');
  if (!portResources && (await requestsFor(context, networks)).size)
    throw badRequest(
      'Creating servers with ports having resource requests, like a port with a QoS minimum ' +
        'bandwidth policy, is not supported until microversion 2.72.',
    );
  const requested = disksOf(request, image, flavor);
  const limits = await limitsRead;
  checkLock(limits);
  checkMetadata(limits.project, request.metadata);
  checkFiles(limits.project, request.files);
  if (image && rootOnVolume(requested)) checkVolumeRoom(rootMapping(requested)!.size, image);
  else if (image) checkRoom(flavor, image, zeroDiskFlavor);
  const group = await groupRead;
  await checkDestination(db, request.destination);
  const usage = usageIn(db, projectId);
  const count = await countAllowed(limits, usage, { userId, flavor, least, most });
  const disks = await checkMappings(
    context,
    requested,
    flavor,
    request.imageId,
    await settingsRead,
  );
  const reservationId = `r-${newHexId().slice(0, 8)}`;
  const membersLimit = limits.user.server_group_members;
  return {
    flavor,
    image,
    disks,
    securityGroups,
    networks,
    group,
    membersLimit,
    count,
    reservationId,
  };
}

/**
 * @throws 400 if the zone has no available host, unless a host is forced, or if several servers
 *   would get the same hostname
 */
async function checkZone(
  db: Db,
  { zone, destination: { forced, host }, hostname, most }: ServerRequest,
): Promise<void> {
  const isHostForced = forced && host !== null;
  if (!isHostForced && zone !== null && !(await availableZones(db)).has(zone))
    throw badRequest('The requested availability zone is not available');
  if (hostname !== null && most > 1)
    throw badRequest('Unable to allocate a single hostname to multiple instances');
}

/** Finds the group that the hints name. @throws 400 if it is unknown, or another project's */
async function hintedGroup(
  context: Context,
  hints: ServerRequest['hints'],
): Promise<GroupKey | undefined> {
  const hint = hints['group'];
  const uuid = Array.isArray(hint) ? (hint[0] as string | undefined) : (hint as string | undefined);
  return uuid ? groupKeyOf(context, uuid) : undefined;
}

/** @throws 400 if the request names an unknown host */
async function checkDestination(db: Db, { host, node, forced }: Destination): Promise<void> {
  if (forced || (host === null && node === null)) return;
  const hosts = await listHosts(db);
  const onHost = host === null ? hosts : hosts.filter((candidate) => candidate.host === host);
  const onNode = node === null ? onHost : onHost.filter((candidate) => candidate.node === node);
  if (!onNode.length) throw badRequest(`Compute host ${host ?? node} could not be found.`);
}

/** Inserts the servers of a request, with their actions and memberships. @throws 403, 409 */
async function insertAll(
  context: Context,
  request: ServerRequest,
  common: Common,
  count: number,
): Promise<CreatedServer[]> {
  const { db, actor } = context;
  const { group, membersLimit } = common;
  const { origin } = request;
  if (group) await checkMembers(context, group, membersLimit, count);
  if (origin) await makeRoom(db, origin.id);
  const uuids = Array.from({ length: count }, () => origin?.id ?? newUuid());
  await recordCreations(context, uuids);
  const created = uuids.map((uuid, index) => ({
    ...newServer(context, request, common, uuid),
    ...namesOf(request, uuid, index, count),
    launchIndex: index,
  }));
  await insertServers(db, created);
  if (group) {
    await addMembers(db, group, uuids, actor.userId);
    await notifyMembers(context, group, uuids);
  }
  return created;
}

/** Reports each new member of a group, with the members that the group has by then. */
async function notifyMembers(
  context: Context,
  { uuid }: GroupKey,
  added: readonly string[],
): Promise<void> {
  let read: ServerGroup | undefined;
  for (const last of added)
    await notifyGroup(context, 'add_member', async () => {
      read ??= (await findGroup(context.db, uuid))!;
      return { ...read, members: read.members.slice(0, read.members.indexOf(last) + 1) };
    });
}

/** A server of a request, but for its names and its place among the others. */
function newServer(
  { now, actor }: Context,
  request: ServerRequest,
  common: Common,
  uuid: string,
): Omit<CreatedServer, 'name' | 'hostname' | 'launchIndex'> {
  const { userId, projectId = '' } = actor;
  const { group } = common;
  return {
    uuid,
    description: request.description,
    projectId,
    userId,
    vmState: 'building',
    taskState: 'scheduling',
    powerState: power.none,
    progress: 0,
    imageId: request.imageId,
    onVolume: rootOnVolume(common.disks),
    imageProperties: keptProperties(common.image),
    flavor: common.flavor,
    host: null,
    node: null,
    zone: null,
    pinnedZone: request.zone,
    shelvedImageId: null,
    keyName: request.keyName,
    configDrive: request.configDrive ? 'True' : '',
    userData: request.userData,
    accessIpV4: request.accessIpV4,
    accessIpV6: request.accessIpV6,
    diskConfig: request.diskConfig,
    reservationId: common.reservationId,
    rootDeviceName: rootDevice(common.image),
    lockedBy: null,
    lockedReason: null,
    metadata: request.metadata,
    tags: request.tags,
    hints: asLists(request.hints),
    trustedCerts: request.trustedCerts,
    groupId: group?.uuid ?? null,
    securityGroups: common.securityGroups,
    fault: null,
    createdAt: request.origin?.createdAt ?? now,
    updatedAt: now,
    launchedAt: null,
    terminatedAt: null,
    softDeletedAt: null,
    deletedAt: null,
  };
}

/**
 * Forgets a deleted server whose id comes back.
 * @throws 409 if the server is not deleted
 */
async function makeRoom(db: Db, uuid: string): Promise<void> {
  if ((await findServers(db, [uuid])).length) throw conflict(`Instance ${uuid} already exists.`);
  await purgeServer(db, uuid);
}

/**
 * The properties of the image that a server stores. Those that describe disks are left out.
 * Upstream: SM_SKIP_KEYS in utils.py.
 */
const keptProperties = (image: BootImage | undefined): Record<string, string> => {
  const kept = Object.entries(image?.properties ?? {}).filter(
    ([name]) => !['block_device_mapping', 'mappings'].includes(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, value.slice(0, 255)]));
};

const rootDevice = (image: BootImage | undefined): string =>
  `/dev/${(image?.properties['root_device_name'] ?? 'vda').replace(/^\/dev\//, '')}`;

/** @throws 403 if the user would have more than the maximum number of servers in the group */
async function checkMembers(
  { db, actor }: Context,
  group: GroupKey,
  limit: number,
  added: number,
): Promise<void> {
  if (limit >= 0 && exceeds(limit, await countMembersOf(db, group.id, actor.userId), added))
    throw forbidden('Quota exceeded, too many servers in group');
}

/**
 * The name and the hostname of a server. If a request creates several servers, a number is appended
 * to each.
 */
function namesOf(
  { name, hostname }: ServerRequest,
  uuid: string,
  index: number,
  count: number,
): { name: string; hostname: string } {
  const derived = hostnameOf(name, `server-${uuid}`);
  if (count === 1) return { name, hostname: hostname ?? derived };
  return { name: `${name}-${index + 1}`, hostname: `${derived}-${index + 1}` };
}

/** Hints in the form in which servers store them, where every value is a list. */
const asLists = (hints: ServerRequest['hints']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(hints).map(([name, value]): [string, unknown] => [
      name,
      Array.isArray(value) ? value : [value],
    ]),
  );
