// Asking for servers: what can be refused at once is refused, in upstream's order; the rest is left to the build. Upstream: compute/api.py.
import { badRequest, forbidden } from '../../../../kernel/fault.ts';
import { newHexId, newUuid } from '../../../../kernel/ids.ts';
import { schedule } from '../../../../kernel/jobs.ts';
import { findFlavor } from '../../store/flavors.ts';
import { findKeypair } from '../../store/keypairs.ts';
import { addMember, countMembersOf, findGroup, type ServerGroup } from '../../store/servers/groups.ts';
import { availableZones, listHosts } from '../../store/hosts/server-hosts.ts';
import { insertServer, updateServer, type NewServer, type Server, type ServerFlavor } from '../../store/servers/servers.ts';
import { exceeds, limitsOf } from '../quotas.ts';
import { buildKind, type BuildPayload, type Destination } from './build.ts';
import { checkRoom, usableImage } from '../servers/images.ts';
import { findSecurityGroups, type ServerImage, type Viewer } from '../../neighbours/servers.ts';
import { settleNetworks, type NetworkRequest } from '../servers/networks.ts';
import { checkMetadata, countAllowed } from '../servers/quotas.ts';
import { checkBootVolume, checkMappings, rootOnVolume, type Mapping } from '../servers/volumes.ts';
import { recordAction, type Actor } from '../servers/tasks.ts';
import { hostnameOf, power } from '../servers/states.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** What a client asks for. */
export interface ServerRequest {
  readonly name: string;
  readonly description: string | null;
  readonly hostname: string | null;
  /** Empty where the root disk is on a volume. */
  readonly imageId: string;
  readonly flavorId: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly networks: NetworkRequest;
  readonly diskConfig: string;
  readonly accessIpV4: string | null;
  readonly accessIpV6: string | null;
  readonly zone: string | null;
  /** The zone, where a host was not forced: then it must be one that takes servers. */
  readonly checkZone: boolean;
  readonly destination: Destination;
  readonly mappings: readonly Mapping[];
  readonly legacyMappings: boolean;
  readonly configDrive: boolean;
  readonly keyName: string | null;
  readonly least: number;
  readonly most: number;
  readonly securityGroups: readonly string[];
  readonly userData: string | null;
  readonly hints: Readonly<Record<string, unknown>>;
  readonly trustedCerts: readonly string[] | null;
  readonly mayHaveNoDisk: boolean;
}

/** A flavor as a server keeps it. @throws 400 where there is none, or the project may not use it */
export async function serverFlavor(db: Db, { projectId, isAdmin }: Viewer, id: string): Promise<ServerFlavor> {
  const flavor = await findFlavor(db, id, isAdmin ? undefined : projectId);
  if (!flavor) throw badRequest(`Flavor ${id} could not be found.`);
  return {
    id: flavor.flavorid,
    name: flavor.name,
    vcpus: flavor.vcpus,
    ram: flavor.memoryMb,
    disk: flavor.rootGb,
    ephemeral: flavor.ephemeralGb,
    swap: flavor.swap,
    extraSpecs: flavor.extraSpecs,
  };
}

/** Makes servers, and has them built. @returns them, the first one first. @throws 400, 403, 409 */
export async function createServers(actor: Actor, request: ServerRequest): Promise<Server[]> {
  const { db, now } = actor;
  const viewer: Viewer = { projectId: actor.projectId, userId: actor.userId, isAdmin: actor.isAdmin };
  const flavor = await serverFlavor(db, viewer, request.flavorId);
  if (!request.imageId) await checkBootVolume(db, viewer, request.mappings, request.legacyMappings);
  await checkPlace(db, request);
  const image = await checkImage(db, viewer, request, flavor);
  const securityGroups = await findSecurityGroups(db, actor.projectId, request.securityGroups, now);
  const networks = await settleNetworks(db, viewer, request.networks, { count: request.most, now });
  const { keyName } = request;
  if (keyName !== null && !(await findKeypair(db, actor.userId, keyName))) throw badRequest('Invalid key_name provided.');
  await checkMetadata(db, actor.projectId, request.metadata);
  if (image && !rootOnVolume(request.mappings)) checkRoom(flavor, image, request.mayHaveNoDisk);
  const group = await groupOf(db, viewer, request.hints);
  await checkDestination(db, request.destination);
  const { least, most } = request;
  const count = await countAllowed(db, { projectId: actor.projectId, userId: actor.userId, flavor, least, most });
  await checkMappings(db, viewer, request.mappings, request.legacyMappings, request.imageId !== '');
  const common = { flavor, image, securityGroups, group, reservationId: `r-${newHexId().slice(0, 8)}` };
  const servers: Server[] = [];
  const payload: BuildPayload['servers'][number][] = [];
  for (let index = 0; index < count; index++) {
    const server = await insertOne(actor, request, common, index, count);
    const action = await recordAction(actor, server.uuid, 'create');
    servers.push(await updateServer(db, server, { actionId: action }, now));
    payload.push({ uuid: server.uuid, action });
  }
  const { mappings, destination } = request;
  const job: BuildPayload = { servers: payload, networks, mappings, destination };
  await schedule(db, { dueAt: now, kind: buildKind, subject: common.reservationId, payload: job });
  return servers;
}

/** @throws 400 where the zone has no host, or one name is to be that of several servers */
async function checkPlace(db: Db, { zone, checkZone, hostname, most }: ServerRequest): Promise<void> {
  if (checkZone && zone !== null && !(await availableZones(db)).has(zone))
    throw badRequest('The requested availability zone is not available');
  if (hostname !== null && most > 1) throw badRequest('Unable to allocate a single hostname to multiple instances');
}

async function checkImage(
  db: Db,
  viewer: Viewer,
  { imageId }: ServerRequest,
  flavor: ServerFlavor,
): Promise<ServerImage | undefined> {
  if (!imageId) return undefined;
  const image = await usableImage(db, viewer, imageId, 'Can not find requested image');
  if (flavor.ram < image.minRam) throw badRequest("Flavor's memory is too small for requested image.");
  return image;
}

/** The group that the hints name. @throws 400 where there is none, or it is another project's */
async function groupOf(db: Db, { projectId, isAdmin }: Viewer, hints: ServerRequest['hints']): Promise<ServerGroup | undefined> {
  const hint = hints['group'];
  const uuid = Array.isArray(hint) ? (hint[0] as string | undefined) : (hint as string | undefined);
  if (!uuid) return undefined;
  const group = await findGroup(db, uuid, isAdmin ? undefined : projectId);
  if (!group) throw badRequest(`Instance group ${uuid} could not be found.`);
  return group;
}

/** @throws 400 where a host is asked for that there is not */
async function checkDestination(db: Db, { host, node, forced }: Destination): Promise<void> {
  if (forced || (host === null && node === null)) return;
  const hosts = await listHosts(db);
  if (host !== null && !hosts.some((one) => one.host === host)) throw badRequest(`Compute host ${host} could not be found.`);
  if (node !== null && !hosts.some((one) => one.node === node && (host === null || one.host === host)))
    throw badRequest(`Compute host ${host ?? node} could not be found.`);
}

interface Common {
  readonly flavor: ServerFlavor;
  readonly image: ServerImage | undefined;
  readonly securityGroups: readonly string[];
  readonly group: ServerGroup | undefined;
  readonly reservationId: string;
}

async function insertOne(actor: Actor, request: ServerRequest, common: Common, index: number, count: number): Promise<Server> {
  const { db, now, projectId, userId } = actor;
  const { group } = common;
  const uuid = newUuid();
  const server: NewServer = {
    ...named(request, uuid, index, count),
    uuid,
    description: request.description,
    projectId,
    userId,
    vmState: 'building',
    taskState: 'scheduling',
    powerState: power.none,
    progress: 0,
    imageId: common.image && !rootOnVolume(request.mappings) ? common.image.id : '',
    imageProperties: common.image?.properties ?? {},
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
    launchIndex: index,
    reservationId: common.reservationId,
    rootDeviceName: '/dev/vda',
    lockedBy: null,
    lockedReason: null,
    metadata: request.metadata,
    tags: request.tags,
    hints: listed(request.hints),
    trustedCerts: request.trustedCerts,
    groupId: group?.uuid ?? null,
    securityGroups: common.securityGroups,
    fault: null,
    actionId: null,
    createdAt: now,
    updatedAt: now,
    launchedAt: null,
    terminatedAt: null,
    deletedAt: null,
  };
  if (group) await checkMembers(actor, group);
  const inserted = await insertServer(db, server);
  if (group) await addMember(db, group, uuid, userId);
  return inserted;
}

/** @throws 403 where the user has as many servers in the group as may be */
async function checkMembers({ db, projectId, userId }: Actor, group: ServerGroup): Promise<void> {
  const limit = (await limitsOf(db, projectId, userId)).server_group_members;
  if (exceeds(limit, await countMembersOf(db, group.id, userId), 1)) throw forbidden('Quota exceeded, too many servers in group');
}

/** Servers that are made together are told apart by a number. */
function named(
  { name, hostname }: ServerRequest,
  uuid: string,
  index: number,
  count: number,
): { name: string; hostname: string } {
  const own = hostnameOf(name, `server-${uuid}`);
  if (count === 1) return { name, hostname: hostname ?? own };
  return { name: `${name}-${index + 1}`, hostname: `${own}-${index + 1}` };
}

/** Hints as they are kept: every value is a list. */
const listed = (hints: ServerRequest['hints']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(hints).map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? value : [value]]),
  );
