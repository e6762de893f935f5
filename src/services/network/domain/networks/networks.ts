// Networks: provider attributes and segments, sharing, and deletion. Upstream:
// neutron/plugins/ml2/plugin.py.
import { unbind } from '../../store/agents.ts';
import { deleteSegments, segmentsOf, type Allocation } from '../../store/segments.ts';
import { latest } from '../../store/sharing.ts';
import {
  floatingipTable,
  networkTable,
  portTable,
  rbacTable,
  subnetTable,
} from '../../store/tables.ts';
import { elevated } from '../../../../kernel/context.ts';
import { firstRepeated } from '../../../../kernel/db/grouping.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Fields } from '../attributes/definitions.ts';
import { refreshDhcpPorts } from '../agents/dhcp-ports.ts';
import { storedFields, newStandard } from '../standard.ts';
import { deleteFloatingip } from '../routers/floatingips.ts';
import { deletePortUnchecked } from '../ports/ports.ts';
import { endSharing, removePolicies, share, shareNew } from '../sharing/shared-attributes.ts';
import { keptTargets } from '../sharing/use.ts';
import { changeAllocation } from '../qos/allocations.ts';
import { checkReplaced, policyOfNetwork } from '../qos/attachments.ts';
import { checkSupported } from '../qos/support.ts';
import {
  allocateSegment,
  defaultType,
  requestedSegment,
  type RequestedSegment,
} from '../segments/allocation.ts';
import { reportSegment } from '../segments/hosts.ts';
import { insertSegments, providerOf } from '../segments/segments.ts';
import { checkMtu, mtuOf } from './mtu.ts';
import { isAutoDeleted, deviceOwners, type Network } from '../../model.ts';
import { bad, inConflict, invalidInput, networkInUse } from '../refusals.ts';
import { setTags } from '../../store/tags.ts';

export async function createNetwork(
  context: Context,
  fields: Fields,
  id?: string,
): Promise<Network> {
  const { db, now } = context;
  const requested = requestedSegments(fields);
  const types = requested.map(({ type: network_type }) => ({ network_type }));
  const mtu = await mtuOf(context, types, fields['mtu'] as number);
  const standard = newStandard(fields, now, id);
  const segments: Allocation[] = [];
  for (const one of requested) segments.push(await allocateSegment(context, one, segments));
  if (fields['is_default']) await checkOnlyDefault(context, standard.id);
  const network: Network = {
    ...standard,
    name: fields['name'] as string,
    admin_state_up: fields['admin_state_up'] as boolean,
    status: 'ACTIVE',
    'router:external': fields['router:external'] as boolean,
    is_default: (fields['router:external'] && fields['is_default']) as boolean,
    mtu,
    port_security_enabled: fields['port_security_enabled'] as boolean,
    ...providerOf(segments),
    availability_zone_hints: fields['availability_zone_hints'] as string[],
    qos_policy_id: await policyOfNetwork(context, standard.project_id, fields['qos_policy_id']),
  };
  await networkTable.create(db, network);
  await insertSegments(context, network.id, segments);
  if (fields['shared']) await shareNew(context, 'network', network);
  if (network['router:external']) await shareNew(context, 'network', network, 'access_as_external');
  return network;
}

/** The segments that a new network requests, by default one of the default type. @throws 400 */
function requestedSegments(fields: Fields): RequestedSegment[] {
  const listed = fields['segments'] as readonly Fields[] | undefined;
  const isProvided = providerAttributes.some((name) => (fields[name] ?? null) !== null);
  if (isProvided) {
    if (Array.isArray(listed))
      throw bad(
        'SegmentsSetInConjunctionWithProviders',
        'Segments and provider values cannot both be set.',
      );
    return [requestedSegment(fields, 'provider:')];
  }
  if (!Array.isArray(listed)) return [{ type: defaultType, physical: null, number: null }];
  const requested = (listed as Fields[]).map((one) => requestedSegment(one, 'provider:'));
  const whole = requested.filter(({ type, number }) => number !== null || type === 'flat');
  if (firstRepeated(whole.map((one) => JSON.stringify(one))) !== undefined)
    throw bad('SegmentsContainDuplicateEntry', 'Duplicate segment entry in request.');
  return requested;
}

const providerAttributes = [
  'provider:network_type',
  'provider:physical_network',
  'provider:segmentation_id',
] as const;

export async function updateNetwork(
  context: Context,
  network: Network,
  fields: Fields,
): Promise<Network> {
  const { db, now } = context;
  const sent = providerAttributes.filter(
    (name) => name in fields && fields[name] !== network[name],
  );
  if (sent.length)
    throw invalidInput(
      'Plugin does not support updating the following provider network attributes: ' +
        sent.join(', '),
    );
  await checkReplaced(context, network, fields);
  if (fields['shared'] === true) await share(context, 'network', network);
  if (fields['shared'] === false) await unshare(context, network);
  const mtu = fields['mtu'] as number | undefined;
  if (mtu !== undefined) {
    const subnets = await subnetTable.list(db, { where: { network_id: network.id } });
    checkMtu(
      network.id,
      mtu,
      subnets.map((subnet) => subnet.ip_version),
    );
  }
  await changeExternal(context, network, fields['router:external'] as boolean | undefined);
  const changed = await networkTable.change(
    db,
    network,
    {
      ...storedFields(networkTable, fields),
      is_default: await defaultAfter(context, network, fields),
      ...(mtu === undefined
        ? {}
        : { mtu: await mtuOf(context, await segmentsOf(db, network.id), mtu) }),
    },
    now,
  );
  if (changed.qos_policy_id !== network.qos_policy_id)
    await followPolicy(context, changed, network.qos_policy_id);
  if (changed.admin_state_up !== network.admin_state_up) await refreshDhcpPorts(context, changed);
  return changed;
}

/** @throws 409 if another network is the default external network */
async function checkOnlyDefault({ db }: Context, id: string): Promise<void> {
  const other = await networkTable.find(db, { is_default: true });
  if (!other || other.id === id) return;
  throw inConflict(
    'DefaultExternalNetworkExists',
    `A default external network already exists: ${other.id}.`,
  );
}

/** Whether a network is the default external network after an update. @throws 409 */
async function defaultAfter(context: Context, network: Network, fields: Fields): Promise<boolean> {
  const isExternal = (fields['router:external'] ?? network['router:external']) as boolean;
  const isDefault = (fields['is_default'] ?? network.is_default) as boolean;
  if (fields['is_default'] && (isExternal || 'router:external' in fields))
    await checkOnlyDefault(context, network.id);
  return isExternal && isDefault;
}

/**
 * Applies a new QoS policy of a network to its ports without one of their own.
 * @throws 409 if a port does not support its rules, or if the server of one cannot claim more
 */
async function followPolicy(
  context: Context,
  network: Network,
  before: string | null,
): Promise<void> {
  const { db, now } = context;
  const { qos_policy_id: after } = network;
  const where = { network_id: network.id, qos_policy_id: null };
  const ports = await portTable.list(db, { where, conditions: [latest] });
  for (const port of ports) await checkSupported(context, after, port);
  for (const port of ports) {
    const profile = await changeAllocation(context, port, before, after);
    if (profile) await portTable.change(db, port, { 'binding:profile': profile }, now);
  }
}

/** Ends the policy that shares a network with all projects. @throws 409 if others depend on it */
async function unshare(context: Context, network: Network): Promise<void> {
  const { db } = context;
  const policy = await endSharing(context, network);
  if (!policy) return;
  const onNetwork = { where: { network_id: network.id }, conditions: [latest] };
  const ports = await portTable.list(db, onNetwork);
  const subnets = await subnetTable.list(db, onNetwork);
  const users = [
    ...ports.filter((port) => !port.device_owner.startsWith('network:')),
    ...subnets,
  ].map((one) => one.project_id);
  const allowed = new Set(['', network.project_id, ...(await keptTargets(context, policy))]);
  if (users.some((user) => !allowed.has(user))) {
    throw inConflict(
      'InvalidSharedSetting',
      `Unable to reconfigure sharing settings for network ${network.name}. Multiple projects ` +
        'are using it.',
    );
  }
}

/** Opens a network to all projects as an external one, or to none. @throws 409 */
async function changeExternal(
  context: Context,
  network: Network,
  isExternal: boolean | undefined,
): Promise<void> {
  if (isExternal === undefined || isExternal === network['router:external']) return;
  const action = 'access_as_external';
  if (isExternal) return share(context, 'network', network, action);
  await checkNoGateway(context, network);
  await rbacTable.remove(context.db, { object_id: network.id, action });
}

async function checkNoGateway({ db }: Context, { id }: Network): Promise<void> {
  const gateways = await portTable.count(db, {
    where: { network_id: id, device_owner: deviceOwners.routerGateway },
  });
  if (!gateways) return;
  throw inConflict(
    'ExternalNetworkInUse',
    `External network ${id} cannot be updated to be made non-external, since it has existing ` +
      'gateway ports.',
  );
}

/**
 * Deletes a network with its subnets, its auto-deleted ports, and its floating IPs that are not
 * associated with a port.
 * @throws 409 if it has other ports
 */
export async function deleteNetwork(context: Context, network: Network): Promise<void> {
  const { db } = context;
  const where = { network_id: network.id };
  for (const floating of await floatingipTable.list(db, {
    where: { floating_network_id: network.id, port_id: null },
  }))
    await deleteFloatingip(context, floating);
  const ports = await portTable.list(db, { where });
  const others = ports.filter((port) => !isAutoDeleted(port.device_owner));
  if (others.length) {
    const ids = others.map(({ id }) => id).join(',');
    throw networkInUse(
      network.id,
      `There are one or more ports still in use on the network, id for these ports is: ${ids}`,
    );
  }
  for (const port of ports) await deletePortUnchecked(elevated(context), port);
  for (const subnet of await subnetTable.list(db, { where })) {
    await setTags(db, subnet.id, []);
    await subnetTable.delete(db, subnet);
  }
  await unbind(db, network.id);
  for (const { id } of await segmentsOf(db, network.id)) await reportSegment(context, id);
  await deleteSegments(db, network.id);
  await setTags(db, network.id, []);
  await networkTable.delete(db, network);
  await removePolicies(context, network.id);
}
