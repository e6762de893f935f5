// Forwards ports of a floating IP to ports of addresses behind its router. Upstream:
// neutron/services/portforwarding/pf_plugin.py.
import type { Context } from '../../../../kernel/model.ts';
import { parseIp } from '../../ip.ts';
import type { FixedIp, Floatingip, Port, PortForwarding } from '../../model.ts';
import { addressesOf } from '../../store/addresses.ts';
import { floatingipTable, forwardingTable, portTable, routerTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { absent, badResource, inConflict } from '../refusals.ts';
import { newStandard } from '../standard.ts';
import { getPort, getSubnet } from '../visibility.ts';
import { alreadyAssociated, floatingipStatusBehind, routerBetween } from './floatingips.ts';
import { removeForwarding } from './forwarding-removal.ts';

const invalid = (why: string) => badResource('port_forwarding', why);

/** Finds a forwarding of the floating IP. @throws 404 */
export async function getForwarding(
  { db }: Context,
  floating: Floatingip,
  id: string,
): Promise<PortForwarding> {
  const found = await forwardingTable.find(db, { id, floatingip_id: floating.id });
  if (found) return found;
  throw absent('PortForwardingNotFound', `Port Forwarding ${id} could not be found.`);
}

export async function createForwarding(
  context: Context,
  floating: Floatingip,
  fields: Fields,
): Promise<PortForwarding> {
  const { db, now } = context;
  const external = portsOf(fields, 'external');
  const internal = portsOf(fields, 'internal');
  if (!external || !internal)
    throw invalid('Both an internal and an external port or range of ports are required');
  const forwarding: PortForwarding = {
    ...newStandard({ ...fields, project_id: floating.project_id }, now),
    floatingip_id: floating.id,
    protocol: fields['protocol'] as string,
    internal_port_id: fields['internal_port_id'] as string,
    internal_ip_address: fields['internal_ip_address'] as string,
    ...internal,
    ...external,
  };
  await checkCollisions(context, forwarding, { internal, external });
  await checkWithoutFloatingIp(context, forwarding);
  if (floating.port_id !== null)
    throw alreadyAssociated(floating, forwarding.internal_port_id, forwarding.internal_ip_address);
  const { port, routerId } = await routeTo(context, floating, forwarding);
  await checkRouter(context, floating, forwarding, routerId);
  await forwardingTable.create(db, forwarding);
  await portTable.touch(db, port, now); // keeps its address until this transaction ends
  await putBehind(context, floating, routerId);
  return forwarding;
}

export async function updateForwarding(
  context: Context,
  floating: Floatingip,
  forwarding: PortForwarding,
  fields: Fields,
): Promise<PortForwarding> {
  const { db, now } = context;
  const sent = { internal: portsOf(fields, 'internal'), external: portsOf(fields, 'external') };
  const changes: Partial<PortForwarding> = {
    ...pick(fields, 'description', 'protocol', 'internal_port_id', 'internal_ip_address'),
    ...sent.internal,
    ...sent.external,
  };
  const changed = { ...forwarding, ...changes };
  if (changes.internal_port_id !== undefined) await checkWithoutFloatingIp(context, changed);
  let { internal_ip_address: address } = changed;
  let routerId = floating.router_id!;
  if (changed.internal_port_id !== forwarding.internal_port_id) {
    const found = await routeTo(context, floating, {
      internal_port_id: changed.internal_port_id,
      internal_ip_address: changes.internal_ip_address,
    });
    ({ address, routerId } = found);
    await checkRouter(context, floating, { ...changed, internal_ip_address: address }, routerId);
  }
  const next = { ...changed, internal_ip_address: address };
  const port = await checkUpdate(context, next);
  // A new address can collide even if the body has no ports.
  const internal = sent.internal ?? (changes.internal_ip_address === undefined ? undefined : next);
  if (internal ?? sent.external)
    await checkCollisions(context, next, { internal, external: sent.external });
  await portTable.touch(db, port, now);
  await putBehind(context, floating, routerId);
  const stored = { ...changes, internal_ip_address: address };
  return forwardingTable.change(db, forwarding, stored, now);
}

/** Deletes a forwarding. Without forwardings, the floating IP is behind no router. */
export async function deleteForwarding(
  context: Context,
  forwarding: PortForwarding,
): Promise<void> {
  const { db, now } = context;
  const port = await portTable.find(db, { id: forwarding.internal_port_id });
  if (port) await portTable.touch(db, port, now);
  await removeForwarding(context, forwarding);
}

/** The ends of a range of ports, both included. */
type Ports<Side extends string> = Record<`${Side}_port_start` | `${Side}_port_end`, number>;

/** The ports of a body on one side: the single port, or else the range. */
function portsOf<Side extends 'internal' | 'external'>(
  fields: Fields,
  side: Side,
): Ports<Side> | undefined {
  const value = fields[`${side}_port`] ?? fields[`${side}_port_range`] ?? null;
  if (value === null) return undefined;
  return portsIn(side, value);
}

/** Reads a single port, or the two of a range with a colon between them. */
export function portsIn<Side extends 'internal' | 'external'>(
  side: Side,
  value: unknown,
): Ports<Side> {
  const ends = String(value).split(':').map(Number);
  return { [`${side}_port_start`]: ends[0], [`${side}_port_end`]: ends.at(-1) } as Ports<Side>;
}

const pick = (fields: Fields, ...names: (keyof PortForwarding)[]): Partial<PortForwarding> =>
  Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));

interface Sides {
  readonly internal: Ports<'internal'> | undefined;
  readonly external: Ports<'external'> | undefined;
}

/**
 * Checks the ports that a body has: ranges of the same length, or a range that leads to one port,
 * and no port that another forwarding uses.
 * @throws 400
 */
async function checkCollisions(
  { db }: Context,
  forwarding: PortForwarding,
  { internal, external }: Sides,
): Promise<void> {
  const length = internal ? internal.internal_port_end - internal.internal_port_start : 0;
  const outside = external ? external.external_port_end - external.external_port_start : 0;
  if (length > 0 && length !== outside) {
    throw invalid(
      'Invalid ranges of internal and/or external ports. The relation between internal and ' +
        'external ports must be N-N or 1-N',
    );
  }
  const { protocol, internal_port_id, internal_ip_address, floatingip_id } = forwarding;
  const sides = [
    ['internal', internal, { internal_port_id, internal_ip_address }],
    ['external', external, { floatingip_id }],
  ] as const;
  for (const [side, ports, where] of sides) {
    if (!ports) continue;
    const [first, last] = rangeOn(forwarding, side);
    const others = await forwardingTable.list(db, { where: { ...where, protocol } });
    const clash = others.find((other) => {
      const [start, end] = rangeOn(other, side);
      return other.id !== forwarding.id && Math.max(first, start) <= Math.min(last, end);
    });
    if (!clash) continue;
    throw invalid(
      `There is a port collision with the ${side}_port_range. The following ranges collide: ` +
        `${rangeOn(clash, side).join(':')} and ${first}:${last}`,
    );
  }
}

const rangeOn = (
  forwarding: PortForwarding,
  side: 'internal' | 'external',
): readonly [start: number, end: number] => [
  forwarding[`${side}_port_start`],
  forwarding[`${side}_port_end`],
];

/** @throws 409 if the internal port has a floating IP of its own */
async function checkWithoutFloatingIp(
  { db }: Context,
  { internal_port_id: portId, internal_ip_address: address }: PortForwarding,
): Promise<void> {
  const [other] = await floatingipTable.list(db, { where: { port_id: portId }, limit: 1 });
  if (!other) return;
  throw inConflict(
    'PortHasBindingFloatingIP',
    `Cannot create port forwarding to floating IP ${other.floating_ip_address} (${other.id}) ` +
      `with port ${portId} using fixed IP ${address}, as that port already has a binding ` +
      'floating IP.',
  );
}

/** The addresses as upstream's messages show them. */
const shownAddresses = (fixedIps: readonly FixedIp[]): string =>
  `[${fixedIps
    .map(
      ({ subnet_id, ip_address }) => `{'subnet_id': '${subnet_id}', 'ip_address': '${ip_address}'}`,
    )
    .join(', ')}]`;

interface Inside {
  readonly internal_port_id: string;
  readonly internal_ip_address: string | undefined;
}

/**
 * Finds the router between the floating IP and an IPv4 address of the internal port, by default the
 * first one.
 * @throws 400, 404
 */
async function routeTo(
  context: Context,
  floating: Floatingip,
  { internal_port_id: portId, internal_ip_address: requested }: Inside,
): Promise<{ port: Port; address: string; routerId: string }> {
  const port = await getPort(context, portId);
  const fixed = (await addressesOf(context.db, [portId])).get(portId) ?? [];
  const usable = fixed.filter(({ ip_address: ip }) => parseIp(ip)!.version === 4);
  if (!usable.length)
    throw invalid(`Requested internal port ${portId} must allocate an IPv4 address at least.`);
  const found =
    requested === undefined ? usable[0] : usable.find(({ ip_address: ip }) => ip === requested);
  if (!found) {
    throw invalid(
      `Requested internal IP address ${requested} is not suitable for internal neutron port ` +
        `${portId}, as its fixed_ips are ${shownAddresses(usable)}`,
    );
  }
  const subnet = await getSubnet(context, found.subnet_id);
  const routerId = await routerBetween(context, port, subnet, floating.floating_network_id);
  if (routerId !== undefined) return { port, address: found.ip_address, routerId };
  throw invalid(
    `External network ${floating.floating_network_id} is not reachable from subnet ${subnet.id}. ` +
      `Cannot set Port forwarding for port ${portId} with Floating IP ${floating.id}`,
  );
}

/** @throws 400 if the floating IP is behind another router */
async function checkRouter(
  { db }: Context,
  floating: Floatingip,
  forwarding: PortForwarding,
  routerId: string,
): Promise<void> {
  if (floating.router_id === null || floating.router_id === routerId) return;
  const { internal_ip_address, internal_port_start, internal_port_end } = forwarding;
  const same = await forwardingTable.list(db, {
    where: {
      floatingip_id: floating.id,
      internal_ip_address,
      internal_port_start,
      internal_port_end,
    },
    limit: 1,
  });
  throw invalid(
    same.length
      ? `Floating IP ${floating.id} with params: internal_ip_address: ${internal_ip_address}, ` +
          `internal_port: ${internal_port_start} already exists`
      : `The Floating IP ${floating.id} had been set on router ${floating.router_id}, the ` +
          `internal Neutron port ${forwarding.internal_port_id} can not reach it`,
  );
}

/** Puts a floating IP behind a router, whose interfaces stay until this transaction ends. */
async function putBehind(context: Context, floating: Floatingip, routerId: string): Promise<void> {
  const { db, now } = context;
  const router = (await routerTable.find(db, { id: routerId }))!;
  await routerTable.touch(db, router, now);
  const status = await floatingipStatusBehind(context, routerId);
  await floatingipTable.change(db, floating, { router_id: routerId, status }, now);
}

/**
 * Checks that the internal port has the address, and that no forwarding of the floating IP has the
 * same end.
 * @throws 400, 404
 */
async function checkUpdate(context: Context, next: PortForwarding): Promise<Port> {
  const { db } = context;
  const port = await getPort(context, next.internal_port_id);
  const fixed = (await addressesOf(db, [port.id])).get(port.id) ?? [];
  if (!fixed.some(({ ip_address: ip }) => ip === next.internal_ip_address)) {
    throw invalid(
      'The internal IP does not correspond to an address on the internal port, which has ' +
        `fixed_ips ${shownAddresses(fixed)}`,
    );
  }
  const { floatingip_id, protocol } = next;
  const others = await forwardingTable.list(db, { where: { floatingip_id, protocol } });
  const floating = await floatingipTable.find(db, { id: floatingip_id });
  const conflict = others
    .filter(({ id }) => id !== next.id)
    .map((other) => {
      if (isSame(other, next, 'external'))
        return (
          `{'floating_ip_address': '${floating?.floating_ip_address}', ` +
          `'external_port': ${other.external_port_start}}`
        );
      return other.internal_port_id === next.internal_port_id &&
        other.internal_ip_address === next.internal_ip_address &&
        isSame(other, next, 'internal')
        ? `{'internal_port_id': '${other.internal_port_id}', 'internal_ip_address': ` +
            `'${other.internal_ip_address}', 'internal_port': ${other.internal_port_start}}`
        : undefined;
    })
    .find((one) => one !== undefined);
  if (conflict === undefined) return port;
  throw invalid(
    'Another port forwarding entry with the same attributes already exists, conflicting values ' +
      `are ${conflict}`,
  );
}

/** Whether two forwardings have the same single port. */
const isSame = (
  one: PortForwarding,
  other: PortForwarding,
  side: 'internal' | 'external',
): boolean => {
  const [start, end] = rangeOn(one, side);
  const [otherStart, otherEnd] = rangeOn(other, side);
  return start === end && otherStart === otherEnd && start === otherStart;
};
