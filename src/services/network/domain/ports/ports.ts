// Ports: their addresses, security groups, device and binding. Upstream:
// neutron/plugins/ml2/plugin.py and neutron/db/db_base_plugin_v2.py.
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import { releaseAddresses, requireNoFloating } from '../../store/addresses.ts';
import { deleteBindings } from '../../store/port-bindings.ts';
import { addGroups, groupsOfPorts, setGroups } from '../../store/security-groups.ts';
import { setTags } from '../../store/tags.ts';
import {
  floatingipTable,
  forwardingTable,
  networkTable,
  portTable,
  routerTable,
} from '../../store/tables.ts';
import type { Context } from '../../../../kernel/model.ts';
import { getNetwork, seesAll } from '../visibility.ts';
import { normalMac } from '../../ip.ts';
import { allocate, newAllocation, reallocate, type SharedAllocation } from './allocation.ts';
import type { RequestedIp } from './candidate-subnets.ts';
import { followHost, noteAllocation, reportRelease } from './routed.ts';
import type { Fields } from '../attributes/definitions.ts';
import { storedFields, newStandard } from '../standard.ts';
import { changedOptions } from './dhcp-options.ts';
import { portStatus } from './port-status.ts';
import { reportNewStatus, reportStatusChange } from './server-events.ts';
import {
  effectivePolicy,
  isTrusted,
  deviceOwners,
  type AddressPair,
  type FixedIp,
  type Network,
  type Port,
  type ResourceStatus,
} from '../../model.ts';
import { bad, badResource, inConflict, invalidInput, macInUse, portInUse } from '../refusals.ts';
import { changeAllocation } from '../qos/allocations.ts';
import { attachedPolicy, checkReplaced } from '../qos/attachments.ts';
import { checkCreatedSupported, checkNewSupported } from '../qos/support.ts';
import { requireStillShared } from '../sharing/shared-attributes.ts';
import { removeForwarding, removeForwardingsExcept } from '../routers/forwarding-removal.ts';
import { ensureDefaultGroup, groupsForPort } from '../security-groups/security-groups.ts';
import { bindTrunkOf, checkDeletable } from '../trunks/binding.ts';

/**
 * Creates ports on the networks that a body names.
 * @throws 404 if the actor does not see one of the networks
 */
export async function createPorts(context: Context, items: readonly Fields[]): Promise<Port[]> {
  const shared = newAllocation();
  const ports: Port[] = [];
  for (const fields of items) {
    const network = await getNetwork(context, fields['network_id'] as string);
    ports.push(await createPort(context, network, fields, shared));
  }
  return ports;
}

/**
 * Creates a port on a network. `fields` are the checked fields of a POST; Network itself may also
 * pass an id.
 */
export async function createPort(
  context: Context,
  network: Network,
  fields: Fields,
  shared?: SharedAllocation,
): Promise<Port> {
  const { db, now } = context;
  const project = fields['project_id'] as string;
  const owner = (fields['device_owner'] ?? '') as string;
  const device = (fields['device_id'] ?? '') as string;
  await checkDevice(context, project, owner, device);
  const secure = isTrusted(owner)
    ? false
    : ((fields['port_security_enabled'] ?? network.port_security_enabled) as boolean);
  const host = (fields['binding:host_id'] ?? '') as string;
  const id = (fields['id'] as string | undefined) ?? newUuid();
  const up = (fields['admin_state_up'] ?? true) as boolean;
  const hardware = await macFor(context, network.id, fields['mac_address'] as RequestedMac);
  const port: Port = {
    ...newStandard(fields, now, id),
    name: (fields['name'] ?? '') as string,
    network_id: network.id,
    mac_address: hardware,
    admin_state_up: up,
    status: (fields['status'] as ResourceStatus | undefined) ?? portStatus(owner, host, up),
    device_id: device,
    device_owner: owner,
    port_security_enabled: secure,
    allowed_address_pairs: pairsOf(fields, hardware) ?? [],
    'binding:host_id': host,
    'binding:vnic_type': (fields['binding:vnic_type'] ?? 'normal') as string,
    'binding:profile': profileOf(fields) ?? {},
    extra_dhcp_opts: changedOptions([], fields['extra_dhcp_opts']),
    qos_policy_id: await attachedPolicy(context, project, fields['qos_policy_id']),
    ip_allocation: 'immediate',
    propagate_uplink_status: (fields['propagate_uplink_status'] ?? true) as boolean,
    hints: (fields['hints'] ?? null) as Port['hints'],
  };
  await portTable.create(db, port);
  await checkCreatedSupported(context, network, port);
  await requireStillShared(context, network, project);
  const requested = fields['fixed_ips'] as RequestedIp[] | undefined;
  const ip_allocation = await allocate(context, port, requested, shared);
  if (ip_allocation !== port.ip_allocation) await noteAllocation(db, id, ip_allocation);
  if (!secure && port.allowed_address_pairs.length) throw securityRequiredForPairs();
  await addGroups(
    db,
    id,
    await firstGroups(context, port, fields['security_groups'] as string[] | undefined),
  );
  const tags = (fields['tags'] ?? []) as string[];
  if (tags.length) await setTags(db, id, tags);
  await reportNewStatus(context, port);
  return { ...port, ip_allocation };
}

const mostProfile = 4095;

export const fitsProfile = (profile: Port['binding:profile']): boolean =>
  JSON.stringify(profile).length <= mostProfile;

/** @throws 400 if a binding profile is too large */
export function checkProfile(profile: Port['binding:profile']): void {
  if (!fitsProfile(profile)) throw invalidInput('binding:profile value too large');
}

function profileOf(fields: Fields): Port['binding:profile'] | undefined {
  const profile = fields['binding:profile'] as Port['binding:profile'] | undefined;
  if (profile) checkProfile(profile);
  return profile;
}

/** The MAC address in a body, where null asks for a random one. */
type RequestedMac = string | null | undefined;

/**
 * Returns the requested MAC address, or a new one.
 * @throws 409 if another port of the network has it
 */
async function macFor(
  { db }: Context,
  networkId: string,
  requested: RequestedMac,
  own?: string,
): Promise<string> {
  if (requested === undefined || requested === null) return randomMac();
  const mac = normalMac(requested);
  const [other] = await portTable.list(db, {
    where: { network_id: networkId, mac_address: mac },
    limit: 1,
  });
  if (other && other.id !== own) throw macInUse(networkId, mac);
  return mac;
}

const randomMac = (): string =>
  `fa:16:3e:${newUuid()
    .slice(0, 6)
    .replace(/..(?!$)/g, '$&:')}`;

/** @throws 409 if the device is a router of another project */
async function checkDevice(
  { db, actor }: Context,
  project: string,
  owner: string,
  device: string,
): Promise<void> {
  if (owner !== deviceOwners.routerInterface || seesAll(actor) || !device) return;
  const router = await routerTable.find(db, { id: device });
  if (router && router.project_id !== project) {
    throw inConflict(
      'DeviceIDNotOwnedByTenant',
      `The following device_id ${device} is not owned by your project or matches another ` +
        'project router.',
    );
  }
}

/** Returns the security groups of a new port: those in the body, or the project's default group. */
async function firstGroups(
  context: Context,
  port: Port,
  ids: readonly string[] | undefined,
): Promise<string[]> {
  if (isTrusted(port.device_owner)) return [];
  if (!port.port_security_enabled) {
    if (ids?.length) throw securityRequired();
    return [];
  }
  if (ids) return groupsForPort(context, port.project_id, ids);
  const own = await ensureDefaultGroup(context, port.project_id);
  return own === undefined ? [] : [own];
}

const securityRequired = () =>
  bad(
    'PortSecurityAndIPRequiredForSecurityGroups',
    'Port security must be enabled and port must have an IP address in order to use security ' +
      'groups.',
  );

const securityRequiredForPairs = () =>
  inConflict(
    'AddressPairAndPortSecurityRequired',
    'Port Security must be enabled in order to have allowed address pairs on a port.',
  );

/** Reads the address pairs of a body. A pair without a MAC address gets that of the port. */
function pairsOf(fields: Fields, mac: string): AddressPair[] | undefined {
  const pairs = fields['allowed_address_pairs'] as
    { ip_address: string; mac_address?: string }[] | undefined;
  return pairs?.map(({ ip_address, mac_address = mac }) => ({ mac_address, ip_address }));
}

export async function updatePort(context: Context, port: Port, fields: Fields): Promise<Port> {
  const { db, now } = context;
  await checkReplaced(context, port, fields);
  checkVnicType(port, fields['binding:vnic_type'] as string | undefined);
  const owner = (fields['device_owner'] ?? port.device_owner) as string;
  const device = (fields['device_id'] ?? port.device_id) as string;
  if ('device_owner' in fields || 'device_id' in fields)
    await checkDevice(context, port.project_id, owner, device);
  const host = (fields['binding:host_id'] ?? port['binding:host_id']) as string;
  const up = (fields['admin_state_up'] ?? port.admin_state_up) as boolean;
  const mac = await newMac(context, port, fields);
  const secure = (fields['port_security_enabled'] ?? port.port_security_enabled) as boolean;
  let kept: readonly FixedIp[] | undefined;
  if ('fixed_ips' in fields) {
    await checkFloating(context, port, fields['fixed_ips'] as RequestedIp[]);
    kept = await reallocate(
      context,
      { ...port, mac_address: mac, device_owner: owner, 'binding:host_id': host },
      fields['fixed_ips'] as RequestedIp[],
    );
  } else await followHost(context, port, { host, owner, mac });
  if (!secure) await checkInsecure(context, port, fields);
  const pairs = pairsOf(fields, mac);
  const newGroups = fields['security_groups'] as string[] | undefined;
  const next = await portTable.change(
    db,
    port,
    {
      ...storedFields(portTable, fields),
      ...(fields['mac_address'] === undefined ? {} : { mac_address: mac }),
      ...(pairs ? { allowed_address_pairs: pairs } : {}),
      extra_dhcp_opts: changedOptions(port.extra_dhcp_opts, fields['extra_dhcp_opts']),
      ...(fields['binding:profile'] === undefined ? {} : { 'binding:profile': profileOf(fields)! }),
      ...(await allocatedFor(context, port, fields)),
      status: portStatus(owner, host, up),
    },
    now,
  );
  if (next.qos_policy_id !== port.qos_policy_id)
    await checkNewSupported(context, next.qos_policy_id, next);
  if (host !== port['binding:host_id']) {
    await deleteBindings(db, port.id, host); // an inactive binding to it becomes the active one
    await bindTrunkOf(context, next);
  }
  if (kept) {
    await requireNoFloating(db, port.id, kept);
    await removeForwardingsExcept(context, port.id, kept);
  }
  if (newGroups)
    await setGroups(db, port.id, await groupsForPort(context, port.project_id, newGroups));
  await reportStatusChange(context, port, next);
  return next;
}

/** The profile of a port's binding, if the QoS policy of a server's port changes. @throws 409 */
async function allocatedFor(
  context: Context,
  port: Port,
  fields: Fields,
): Promise<Partial<Pick<Port, 'binding:profile'>>> {
  if (!('qos_policy_id' in fields) || fields['qos_policy_id'] === port.qos_policy_id) return {};
  const network = await networkTable.find(context.db, { id: port.network_id });
  const next = { ...port, qos_policy_id: fields['qos_policy_id'] as string | null };
  const profile = await changeAllocation(
    context,
    port,
    effectivePolicy(port, network),
    effectivePolicy(next, network),
  );
  return profile ? { 'binding:profile': profile } : {};
}

/** @throws 409 if the type of a bound port would change */
function checkVnicType(port: Port, type: string | undefined): void {
  if (type === undefined || type === port['binding:vnic_type'] || !port['binding:host_id']) return;
  throw portInUse(port);
}

async function newMac(context: Context, port: Port, fields: Fields): Promise<string> {
  if (fields['mac_address'] === undefined) return port.mac_address;
  const requested = (fields['mac_address'] as string | null) ?? randomMac();
  if (normalMac(requested) === port.mac_address) return port.mac_address;
  if (port['binding:host_id']) {
    throw inConflict(
      'PortBound',
      `Unable to complete operation on port ${port.id}, port is already bound, port type: ovs, ` +
        `old_mac ${port.mac_address}, new_mac ${requested}.`,
    );
  }
  return macFor(context, port.network_id, requested, port.id);
}

/**
 * Checks that a port without port security will have no address pairs and no security groups.
 * Upstream: _portsec_ext_port_update_processing in neutron/plugins/ml2/plugin.py.
 * @throws 400, 409
 */
async function checkInsecure({ db }: Context, port: Port, fields: Fields): Promise<void> {
  const pairs = fields['allowed_address_pairs'] as unknown[] | undefined;
  if ((pairs ?? port.allowed_address_pairs).length) throw securityRequiredForPairs();
  const sent = fields['security_groups'] as string[] | undefined;
  if (sent?.length) throw securityRequired();
  if (sent || !(await groupsOfPorts(db, [port.id])).size) return;
  throw inConflict(
    'PortSecurityPortHasSecurityGroup',
    'Port has security group associated. Cannot disable port security or IP address until ' +
      'security group is removed.',
  );
}

/** @throws 400 if an address with an associated floating IP would be removed */
async function checkFloating(
  { db }: Context,
  port: Port,
  requested: readonly RequestedIp[],
): Promise<void> {
  const [floating] = await floatingipTable.list(db, { where: { port_id: port.id }, limit: 1 });
  if (!floating || requested.some(({ ip_address: ip }) => ip === floating.fixed_ip_address)) return;
  throw badResource(
    'port',
    `Cannot update the fixed_ips of the port ${port.id}, because its original fixed_ip has ` +
      'been associated to a floating ip',
  );
}

/** Deletes a port. @throws 409 if it belongs to a router or a floating IP, or is in a trunk */
export async function deletePort(context: Context, port: Port): Promise<void> {
  if (await isInUse(context, port)) {
    throw inConflict(
      'ServicePortInUse',
      `Port ${port.id} cannot be deleted directly via the port API: has device owner ` +
        `${port.device_owner}.`,
    );
  }
  await deletePortUnchecked(context, port);
}

async function isInUse({ db }: Context, port: Port): Promise<boolean> {
  if (port.device_owner === deviceOwners.floatingip)
    return (await floatingipTable.find(db, { id: port.device_id })) !== undefined;
  if (
    port.device_owner !== deviceOwners.routerInterface &&
    port.device_owner !== deviceOwners.routerGateway
  )
    return false;
  return (await routerTable.find(db, { id: port.device_id })) !== undefined;
}

/** Deletes a port, also one of Network's own devices. @throws 409 if it is in a trunk */
export async function deletePortUnchecked(context: Context, port: Port): Promise<void> {
  await checkDeletable(context, port);
  await removePort(context, port);
}

/**
 * Deletes a port that is in no trunk, with its addresses, groups and tags, and disassociates its
 * floating IPs.
 * @throws 409
 */
export async function removePort(context: Context, port: Port): Promise<void> {
  const { db, now, actor } = context;
  const [floatingips, forwardings] = await pipelined([
    floatingipTable.list(db, { where: { port_id: port.id } }),
    forwardingTable.list(db, { where: { internal_port_id: port.id } }),
  ]);
  for (const floating of floatingips) {
    if (!seesAll(actor) && floating.project_id !== actor.projectId) {
      throw inConflict(
        'FipAssociated',
        `Unable to complete the operation on port ${port.id} because the port still has an ` +
          'associated floating IP.',
      );
    }
    await floatingipTable.change(
      db,
      floating,
      { port_id: null, fixed_ip_address: null, router_id: null, status: 'DOWN' },
      now,
    );
  }
  for (const forwarding of forwardings) await removeForwarding(context, forwarding);
  await reportRelease(context, port);
  await releaseAddresses(db, port.id);
  await deleteBindings(db, port.id);
  await setGroups(db, port.id, []);
  await setTags(db, port.id, []);
  await portTable.delete(db, port);
}

/** Increments the revision of a port because its addresses have changed. */
export const touchPort = ({ db, now }: Context, port: Port): Promise<Port> =>
  portTable.touch(db, port, now);
