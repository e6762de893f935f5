// The profile os.nova.server: the physical resource of a node is a server of Compute.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as compute from '../../clients/compute.ts';
import { findImage } from '../../clients/image.ts';
import type { Json } from '../../model.ts';
import { invalidSpec } from '../refusals.ts';
import { without } from '../without.ts';
import {
  checkNetwork,
  createPorts,
  deletePorts,
  networkIds,
  networksOf,
  type InternalPort,
} from './nova-networks.ts';
import { details, preview } from './nova-details.ts';
import { novaOperations, novaSchema } from './nova-schema.ts';
import { operate } from './nova-operations.ts';
import { update } from './nova-update.ts';
import { firstPoll, metadataOf, pollAgain } from './nova-polling.ts';
import {
  DriverFailure,
  type Driver,
  type Health,
  type Physical,
  type ProfileType,
  type Progress,
} from './types.ts';

/** The ids that the names in a profile resolve to. */
interface ResolvedNames {
  readonly flavor: string;
  readonly image: string | undefined;
  /** By name. */
  readonly networks: Readonly<Record<string, string>>;
}

/** @throws DriverFailure for a name that does not exist */
async function resolveNames(context: Context, properties: Json): Promise<ResolvedNames & Json> {
  const given = properties as { flavor: string; image: string | null };
  const flavor = await compute.findFlavor(context, given.flavor);
  if (!flavor)
    throw new DriverFailure(`The specified flavor '${given.flavor}' could not be found.`);
  const image = given.image ? await findImage(context, given.image) : undefined;
  if (given.image && !image)
    throw new DriverFailure(`The specified image '${given.image}' could not be found.`);
  return {
    flavor: flavor.id,
    image: image?.id,
    networks: await networkIds(context, networksOf(properties)),
  };
}

async function create(physical: Physical): Promise<Progress> {
  const { context, memory, properties } = physical;
  if (memory.server !== undefined) return pollCreation(physical, memory.server);
  const known =
    (memory.known as ResolvedNames | undefined) ?? (await resolveNames(context, properties));
  const ports = await createPorts(context, networksOf(properties), known.networks);
  const { server, hints } = serverBody(physical, known, ports);
  const id = await createServer(context, server, hints);
  const remembered = { ...memory, known: { ...known }, ports, server: id };
  return firstPoll({ ...physical, memory: remembered }, 'server.create', true);
}

/** @throws DriverFailure if Compute rejects the request */
async function createServer(context: Context, server: Json, hints?: Json): Promise<string> {
  try {
    return await compute.createServer(context, server, hints);
  } catch (error) {
    if (error instanceof ApiError) throw creationFailure(error.message);
    throw error;
  }
}

const creationFailure = (why: string): DriverFailure =>
  new DriverFailure(`Failed in creating server: ${why.replace(/\.$/, '')}.`);

/** Checks whether a new server is active; deletes it, and its ports, if it is in error. */
async function pollCreation(physical: Physical, id: string): Promise<Progress> {
  const { context, node, memory } = physical;
  const server = await compute.findServer(context, id);
  if (server?.status === 'ACTIVE') {
    const placement = {
      zone: server['OS-EXT-AZ:availability_zone'] as string,
      ...node.data.placement,
    };
    const ports = memory['ports'] as InternalPort[];
    const data = { ...node.data, placement, ...(ports.length ? { internal_ports: ports } : {}) };
    return { changes: { physicalId: id, data } };
  }
  const hasFailed = !server || server.status === 'ERROR' || server.status === 'DELETED';
  if (!hasFailed) return pollAgain(physical, 'Failed in creating server');
  if (server) await compute.deleteServer(context, id);
  await deletePorts(context, memory['ports'] as InternalPort[]);
  throw creationFailure(server?.fault?.message ?? `No Server found for ${id}`);
}

/**
 * The body of the request for a server. The zone and the server group that the policies have chosen
 * take precedence over those of the profile.
 */
function serverBody(
  { node, properties }: Physical,
  { flavor, image }: ResolvedNames,
  ports: readonly InternalPort[],
): { server: Json; hints?: Json } {
  const given = <T>(name: string): T | null => properties[name] as T | null;
  const { zone, servergroup } = node.data.placement ?? {};
  const hints = {
    ...given<Json>('scheduler_hints'),
    ...(servergroup ? { group: servergroup } : {}),
  };
  const optional: Json = {
    imageRef: image,
    key_name: given('key_name'),
    adminPass: given('admin_pass'),
    security_groups: given<string[]>('security_groups')?.map((name) => ({ name })),
    block_device_mapping_v2: given<Json[]>('block_device_mapping_v2')?.map((device) =>
      withoutNulls(device),
    ),
    user_data: userData(given('user_data')),
    config_drive: given('config_drive'),
    personality: given('personality'),
    availability_zone: zone ?? given('availability_zone'),
    networks: ports.length ? ports.map(({ id }) => ({ port: id })) : null,
  };
  const server = {
    name: given<string>('name') ?? node.name,
    flavorRef: flavor,
    'OS-DCF:diskConfig': given('auto_disk_config') === false ? 'MANUAL' : 'AUTO',
    metadata: metadataOf(node, given('metadata')),
    ...withoutNulls(optional),
  };
  return { server, ...(Object.keys(hints).length ? { hints } : {}) };
}

const withoutNulls = (fields: Json): Json =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );

const userData = (text: string | null): string | null =>
  text === null ? null : Buffer.from(text).toString('base64');

async function remove(physical: Physical): Promise<Progress> {
  const { context, node, memory } = physical;
  const id = node.physicalId;
  let deleting = physical;
  if (id && !memory['deleting']) {
    await compute.deleteServer(context, id);
    deleting = { ...physical, memory: { ...memory, deleting: true } };
    const pending = firstPoll(deleting, 'server.delete', true);
    if (pending.nextCheckAt > context.now) return pending;
    deleting = { ...deleting, memory: pending.memory };
  }
  const server = id ? await compute.findServer(context, id) : undefined;
  if (server && server.status !== 'DELETED')
    return pollAgain(deleting, `Failed in deleting server '${id}'`);
  await deletePorts(context, (node.data['internal_ports'] ?? []) as InternalPort[]);
  return { changes: { physicalId: null, data: without(node.data, 'internal_ports') } };
}

async function check({ context, node }: Physical): Promise<Health> {
  const server = await compute.findServer(context, node.physicalId!);
  if (!server || server.status === 'DELETED') return 'gone';
  return server.status === 'ACTIVE' ? 'active' : 'inactive';
}

async function join({ context, node }: Physical, clusterId: string): Promise<void> {
  await compute.setServerMetadata(context, node.physicalId!, {
    cluster_id: clusterId,
    cluster_node_index: String(node.index),
  });
}

async function leave({ context, node }: Physical): Promise<void> {
  for (const key of ['cluster_id', 'cluster_node_index'])
    await compute.deleteServerMetadata(context, node.physicalId!, key);
}

/** Checks that all resources that the properties name exist. Upstream: do_validate. */
async function validate(context: Context, _name: string, properties: Json): Promise<void> {
  const missing = (key: string, value: string, dot = '.'): Error =>
    invalidSpec(`The specified ${key} '${value}' could not be found${dot}`);
  const {
    availability_zone: zone,
    flavor: flavorName,
    image,
    key_name: key,
  } = properties as Record<string, string | null>;
  if (zone && !(await compute.availableZones(context)).includes(zone))
    throw missing('availability_zone', zone, '');
  const flavor = await compute.findFlavor(context, flavorName!);
  if (!flavor) throw missing('flavor', flavorName!);
  if (flavor['OS-FLV-DISABLED:disabled'])
    throw invalidSpec(`The specified flavor '${flavorName}' is disabled`);
  if (image && !(await findImage(context, image))) throw missing('image', image);
  if (key && !(await compute.hasKeypair(context, key))) throw missing('key_name', key);
  for (const request of networksOf(properties)) await checkNetwork(context, request);
}

const driver: Driver = {
  resolveNames,
  create,
  remove,
  update,
  check,
  operate,
  join,
  leave,
  details,
  preview,
  zone: async ({ context, node }) => {
    const server = node.physicalId ? await compute.findServer(context, node.physicalId) : undefined;
    return server?.['OS-EXT-AZ:availability_zone'] as string | undefined;
  },
};

export const novaServer: ProfileType = {
  name: 'os.nova.server',
  version: '1.0',
  // Upstream lists the support of later versions, but has no types for them.
  support: {
    '1.0': [{ status: 'SUPPORTED', since: '2016.04' }],
    '1.1': [{ status: 'SUPPORTED', since: '2023.04' }],
    '1.2': [{ status: 'SUPPORTED', since: '2023.07' }],
  },
  schema: novaSchema,
  operations: novaOperations,
  validate,
  driver,
};
