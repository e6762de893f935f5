// The profile os.nova.server: a node is a server of Compute.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as compute from '../../clients/compute.ts';
import { findImage } from '../../clients/image.ts';
import type { Json } from '../../model.ts';
import { invalidSpec } from '../refusals.ts';
import { without } from '../without.ts';
import {
  checkNetwork,
  dropPorts,
  makePorts,
  networkIds,
  networksOf,
  type InternalPort,
} from './nova-networks.ts';
import { details, preview } from './nova-details.ts';
import { novaOperations, novaSchema } from './nova-schema.ts';
import { operate } from './nova-operations.ts';
import { update } from './nova-update.ts';
import { firstPoll, pollAgain, metadataOf } from './nova-waiting.ts';
import {
  DriverFailure,
  type Driver,
  type Physical,
  type ProfileType,
  type Progress,
} from './types.ts';

/** The ids behind the names of a profile. */
interface Known {
  readonly flavor: string;
  readonly image: string | undefined;
  /** By their names. */
  readonly networks: Readonly<Record<string, string>>;
}

/** @throws DriverFailure for what is not there */
async function lookUp(context: Context, properties: Json): Promise<Known & Json> {
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
  if (memory['server'] === undefined) {
    memory['known'] ??= await lookUp(context, properties);
    const { networks } = memory['known'] as Known;
    const ports = await makePorts(context, networksOf(properties), networks);
    memory['ports'] = ports;
    const { server, hints } = serverBody(physical, ports);
    memory['server'] = await ask(() => compute.createServer(context, server, hints));
    return { nextCheckAt: firstPoll(physical, 'server.create', true) };
  }
  return created(physical, memory['server'] as string);
}

/** @throws DriverFailure where Compute refuses */
async function ask(create: () => Promise<string>): Promise<string> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof ApiError) throw failure(error.message);
    throw error;
  }
}

const failure = (why: string): DriverFailure =>
  new DriverFailure(`Failed in creating server: ${why.replace(/\.$/, '')}.`);

async function created(physical: Physical, id: string): Promise<Progress> {
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
  const failed = !server || server.status === 'ERROR' || server.status === 'DELETED';
  if (!failed) return pollAgain(physical, 'Failed in creating server');
  if (server) await compute.deleteServer(context, id);
  await dropPorts(context, memory['ports'] as InternalPort[]);
  const why = server?.fault?.message ?? `No Server found for ${id}`;
  throw failure(why);
}

/**
 * The body of the request for a server. Zone and group come from policies before they come from the
 * profile.
 */
function serverBody(
  { node, properties, memory }: Physical,
  ports: readonly InternalPort[],
): { server: Json; hints?: Json } {
  const given = <T>(name: string): T | null => properties[name] as T | null;
  const { flavor, image } = memory['known'] as Known;
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
  if (id && !memory['deleting']) {
    memory['deleting'] = true;
    await compute.deleteServer(context, id);
    const lookAt = firstPoll(physical, 'server.delete', true);
    if (lookAt > context.now) return { nextCheckAt: lookAt };
  }
  const server = id ? await compute.findServer(context, id) : undefined;
  if (server && server.status !== 'DELETED')
    return pollAgain(physical, `Failed in deleting server '${id}'`);
  await dropPorts(context, (node.data['internal_ports'] ?? []) as InternalPort[]);
  return { changes: { physicalId: null, data: without(node.data, 'internal_ports') } };
}

async function check({ context, node }: Physical): Promise<'active' | 'inactive' | 'gone'> {
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

/** Whether what the properties name is there. Upstream: do_validate of the profile. */
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
  lookUp,
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
  // Later ones are told of, but are no types of their own.
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
