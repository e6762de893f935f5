// Routers and their external gateways. Upstream: neutron/db/l3_db.py.
import { addressesOf } from '../../store/addresses.ts';
import { unbind } from '../../store/agents.ts';
import { setTags } from '../../store/tags.ts';
import {
  conntrackHelperTable,
  floatingipTable,
  portTable,
  routerTable,
  subnetTable,
} from '../../store/tables.ts';
import { elevated } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import { overlap, parseCidr, parseIp } from '../../ip.ts';
import { finderOf } from '../../ranges.ts';
import { reallocate } from '../ports/allocation.ts';
import type { RequestedIp } from '../ports/candidate-subnets.ts';
import { rangeOf, subnetsOf } from '../ports/candidate-subnets.ts';
import { scheduleOn } from '../agents/agents.ts';
import type { Fields } from '../attributes/definitions.ts';
import { getNetwork } from '../visibility.ts';
import { networkSettings } from '../settings.ts';
import { checkExchanged } from '../qos/attachments.ts';
import { requireStillShared } from '../sharing/shared-attributes.ts';
import { storedFields, newStandard } from '../standard.ts';
import { createPort, deletePortUnchecked, touchPort } from '../ports/ports.ts';
import {
  deviceOwners,
  type FixedIp,
  type HostRoute,
  type Port,
  type Router,
  type Subnet,
} from '../../model.ts';
import { bad, badResource, checkExternal, inConflict } from '../refusals.ts';

/** The value of `external_gateway_info` in a body. */
interface Gateway {
  readonly network_id: string;
  readonly external_fixed_ips?: readonly RequestedIp[];
  readonly enable_snat?: boolean;
  readonly qos_policy_id?: string | null;
}

export async function createRouter(context: Context, fields: Fields, id?: string): Promise<Router> {
  const router: Router = {
    ...newStandard(fields, context.now, id),
    name: fields['name'] as string,
    admin_state_up: fields['admin_state_up'] as boolean,
    status: 'ACTIVE',
    gw_port_id: null,
    enable_snat: true,
    routes: [],
    availability_zone_hints: fields['availability_zone_hints'] as string[],
    qos_policy_id: null,
  };
  await routerTable.create(context.db, router);
  await scheduleOn(context, 'L3 agent', router.id);
  return setGateway(context, router, gatewayOf(fields['external_gateway_info']));
}

/** Reads the gateway of a body. Null and an empty object mean no gateway. */
const gatewayOf = (value: unknown): Gateway | null =>
  value === null || value === undefined || !Object.keys(value).length ? null : (value as Gateway);

export async function updateRouter(
  context: Context,
  router: Router,
  fields: Fields,
): Promise<Router> {
  const { db, now } = context;
  const routes = fields['routes'] as HostRoute[] | undefined;
  if (routes) await checkRoutes(context, router, routes);
  const changed = await routerTable.change(db, router, storedFields(routerTable, fields), now);
  if (!('external_gateway_info' in fields)) return changed;
  return setGateway(context, changed, gatewayOf(fields['external_gateway_info']));
}

/** Adds routes to a router, as far as it does not have them. @throws 400 */
export const addRoutes = (
  context: Context,
  router: Router,
  added: readonly HostRoute[],
): Promise<Router> =>
  updateRouter(context, router, { routes: withoutRepeats([...router.routes, ...added]) });

/** Removes routes from a router, as far as it has them. @throws 400 */
export function removeRoutes(
  context: Context,
  router: Router,
  removed: readonly HostRoute[],
): Promise<Router> {
  const isRemoved = new Set(removed.map(routeKey));
  const routes = router.routes.filter((route) => !isRemoved.has(routeKey(route)));
  return updateRouter(context, router, { routes });
}

const routeKey = ({ destination, nexthop }: HostRoute): string => `${destination} ${nexthop}`;

const withoutRepeats = (routes: readonly HostRoute[]): HostRoute[] => [
  ...new Map(routes.map((route) => [routeKey(route), route])).values(),
];

/** Returns all ports of a router, with their addresses. */
export async function portsOfRouter(
  { db }: Context,
  id: string,
): Promise<{ port: Port; fixed: readonly FixedIp[] }[]> {
  const ports = await portTable.list(db, {
    where: {
      device_id: [id],
      device_owner: [deviceOwners.routerInterface, deviceOwners.routerGateway],
    },
    sort: ['created_at'],
  });
  const addresses = await addressesOf(
    db,
    ports.map((port) => port.id),
  );
  return ports.map((port) => ({ port, fixed: addresses.get(port.id) ?? [] }));
}

/** @throws 400 if the next hop of a route is not on a subnet of the router */
async function checkRoutes(
  context: Context,
  router: Router,
  routes: readonly HostRoute[],
): Promise<void> {
  const { maxRoutes } = await networkSettings.load(context.db);
  if (routes.length > maxRoutes) {
    throw bad(
      'RoutesExhausted',
      `Unable to complete operation for ${router.id}. The number of routes exceeds the maximum ` +
        `${maxRoutes}.`,
    );
  }
  const fixed = (await portsOfRouter(context, router.id)).flatMap((one) => one.fixed);
  const subnets = await subnetTable.among(
    context.db,
    'id',
    fixed.map(({ subnet_id }) => subnet_id),
  );
  const subnetWith = finderOf(subnets, rangeOf);
  const used = new Set(fixed.map(({ ip_address }) => parseIp(ip_address)!.value));
  for (const { nexthop } of routes) {
    const ip = parseIp(nexthop)!;
    const why = !subnetWith(ip)
      ? 'the nexthop is not connected with router'
      : used.has(ip.value)
        ? 'the nexthop is used by router'
        : undefined;
    if (why === undefined) continue;
    const quoted = routes
      .map((route) => `{'destination': '${route.destination}', 'nexthop': '${route.nexthop}'}`)
      .join(', ');
    throw bad('InvalidRoutes', `Invalid format for routes: [${quoted}], ${why}`);
  }
}

/** Sets the gateway of a router with its QoS policy, or clears it. @throws 400, 404, 409 */
async function setGateway(
  context: Context,
  router: Router,
  gateway: Gateway | null,
): Promise<Router> {
  const changed = await changeGateway(context, router, gateway);
  const policy = gateway ? gateway.qos_policy_id : null;
  if (policy === undefined || policy === changed.qos_policy_id) return changed;
  await checkExchanged(context, changed, policy);
  return routerTable.change(context.db, changed, { qos_policy_id: policy }, context.now);
}

async function changeGateway(
  context: Context,
  router: Router,
  gateway: Gateway | null,
): Promise<Router> {
  const { db, now } = context;
  const before =
    router.gw_port_id === null ? undefined : await portTable.find(db, { id: router.gw_port_id });
  const enableSnat = gateway?.enable_snat ?? true;
  if (gateway) await checkGateway(context, gateway);
  if (before && gateway?.network_id === before.network_id) {
    const fixedIps = gateway.external_fixed_ips;
    if (fixedIps?.length) {
      await reallocate(elevated(context), before, fixedIps);
      await touchPort(context, before);
    }
    return routerTable.change(
      db,
      router,
      { enable_snat: gateway.enable_snat ?? router.enable_snat },
      now,
    );
  }
  const cleared = before ? await clearGateway(context, router, before) : router;
  if (!gateway) return cleared;
  const network = await getNetwork(context, gateway.network_id);
  await requireStillShared(context, network, router.project_id, 'access_as_external');
  await checkNewSubnets(context, cleared, await subnetsOf(context, network.id));
  const fixedIps = gateway.external_fixed_ips;
  const port = await createPort(elevated(context), network, {
    project_id: '',
    device_id: router.id,
    device_owner: deviceOwners.routerGateway,
    ...(fixedIps?.length ? { fixed_ips: fixedIps } : {}),
  });
  return routerTable.change(db, cleared, { gw_port_id: port.id, enable_snat: enableSnat }, now);
}

async function checkGateway(
  context: Context,
  { network_id: id, external_fixed_ips: fixedIps = [] }: Gateway,
): Promise<void> {
  const network = await getNetwork(context, id);
  checkExternal(network, 'router', 'an');
  const gateways = new Set((await subnetsOf(context, id)).map((subnet) => subnet.gateway_ip));
  const taken = fixedIps.find(({ ip_address: ip }) => ip !== undefined && gateways.has(ip));
  if (taken)
    throw badResource('router', `External IP ${taken.ip_address} is the same as the gateway IP`);
}

/** Clears the gateway of a router. @throws 409 if floating IPs need it */
async function clearGateway(context: Context, router: Router, port: Port): Promise<Router> {
  if (await floatingipTable.count(context.db, { where: { router_id: router.id } })) {
    throw inConflict(
      'RouterExternalGatewayInUseByFloatingIp',
      `Gateway cannot be updated for router ${router.id}, since a gateway to external network ` +
        `${port.network_id} is required by one or more floating IPs.`,
    );
  }
  const cleared = await routerTable.change(
    context.db,
    router,
    { gw_port_id: null, enable_snat: true },
    context.now,
  );
  await deletePortUnchecked(elevated(context), port);
  return cleared;
}

/**
 * Checks that new subnets of a router do not overlap with those that it has. The port `own` is left
 * out.
 * @throws 400
 */
export async function checkNewSubnets(
  context: Context,
  router: Router,
  added: readonly Subnet[],
  own?: string,
): Promise<void> {
  const attached = (await portsOfRouter(context, router.id)).filter(({ port }) => port.id !== own);
  const ids = attached.flatMap(({ fixed }) => fixed.map(({ subnet_id }) => subnet_id));
  const present = new Set(ids);
  const duplicate = added.find((subnet) => present.has(subnet.id));
  if (duplicate) throw badResource('router', `Router already has a port on subnet ${duplicate.id}`);
  const outside = attached.filter(({ port }) => port.device_owner === deviceOwners.routerGateway);
  const reached = [...(await subnetTable.among(context.db, 'id', ids))];
  for (const { port } of outside) reached.push(...(await subnetsOf(context, port.network_id)));
  for (const existing of reached) {
    const clash = added.find((subnet) =>
      overlap(parseCidr(subnet.cidr)!, parseCidr(existing.cidr)!),
    );
    if (!clash) continue;
    throw badResource(
      'router',
      `Cidr ${clash.cidr} of subnet ${clash.id} overlaps with cidr ${existing.cidr} of subnet ` +
        existing.id,
    );
  }
}

/** Deletes a router. @throws 409 if it has interfaces, or if floating IPs need it */
export async function deleteRouter(context: Context, router: Router): Promise<void> {
  const ports = await portsOfRouter(context, router.id);
  const inside = ports
    .filter(({ port }) => port.device_owner === deviceOwners.routerInterface)
    .map(({ port }) => port.id);
  if (inside.length)
    throw inConflict(
      'RouterInUse',
      `Router ${router.id} has ports still attached: ${inside.join(', ')}`,
    );
  const gateway = ports.find(({ port }) => port.id === router.gw_port_id)?.port;
  const cleared = gateway ? await clearGateway(context, router, gateway) : router;
  await conntrackHelperTable.remove(context.db, { router_id: router.id });
  await setTags(context.db, router.id, []);
  await unbind(context.db, router.id);
  await routerTable.delete(context.db, cleared);
}
