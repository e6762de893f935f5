// Availability zones, service providers, and the number of available addresses of networks.
import { ok } from '../../../kernel/http/reply.ts';
import { exactJson } from '../../../kernel/json.ts';
import { may } from '../../../kernel/http/steps.ts';
import { getNetwork, visibility, visibleTo } from '../domain/visibility.ts';
import type { Network } from '../model.ts';
import { toBoolean, toInteger } from '../domain/attributes/convert.ts';
import { badInput } from '../domain/refusals.ts';
import { usedBySubnet } from '../store/addresses.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { networkTable, subnetTable } from '../store/tables.ts';
import { availabilityView } from '../views/availability.ts';
import type { View } from '../views/view.ts';
import { pythonRepr } from '../../../kernel/contract/jsonschema-messages.ts';
import { withFields } from './listings.ts';
import { enforce } from './requests.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

const zones: readonly View[] = ['network', 'router'].map((resource) => ({
  name: 'nova',
  resource,
  state: 'available',
}));

/** GET /v2.0/availability_zones */
export function listZones(call: Call): Reply {
  checkNames(call, ['name', 'resource', 'state']);
  const found = zones.filter((zone) =>
    ['name', 'resource', 'state'].every((name) => {
      const values = call.query.all(name);
      return !values.length || values.includes(String(zone[name]));
    }),
  );
  const allowed = may(call, 'get_availability_zone', {}) ? found : [];
  return ok({ availability_zones: allowed.map((zone) => withFields(call, zone)) });
}

/**
 * The implementation of routers. Upstream:
 * neutron/services/l3_router/service_providers/driver_controller.py.
 */
const providers: readonly View[] = ['dvrha', 'dvr', 'ha', 'single_node'].map((name) => ({
  service_type: 'L3_ROUTER_NAT',
  name,
  default: false,
}));

/** GET /v2.0/service-providers */
export function listProviders(call: Call): Reply {
  checkNames(call, ['service_type', 'name', 'default']);
  const isDefault = call.query.all('default').map(toBoolean);
  const found = providers.filter(
    (provider) =>
      (!isDefault.length || isDefault.includes(provider['default'] as boolean)) &&
      ['service_type', 'name'].every(
        (name) => !call.query.has(name) || call.query.all(name).includes(String(provider[name])),
      ),
  );
  const allowed = may(call, 'get_service_provider', {}) ? found : [];
  return ok({ service_providers: allowed.map((provider) => withFields(call, provider)) });
}

/** @throws 400 for an unknown filter */
function checkNames(call: Call, known: readonly string[]): void {
  const unknown = call.query.names().filter((name) => name !== 'fields' && !known.includes(name));
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for filtering`);
}

async function availabilityOf(
  call: Call,
  networks: readonly Network[],
  versions: readonly number[],
): Promise<View[]> {
  const subnets = await subnetTable.among(
    call.db,
    'network_id',
    networks.map((network) => network.id),
    { ip_version: versions.length ? versions : undefined },
  );
  const used = await usedBySubnet(
    call.db,
    subnets.map((subnet) => subnet.id),
  );
  const byNetwork = grouped(subnets, (subnet) => subnet.network_id);
  return networks.map((network) =>
    availabilityView(network, byNetwork.get(network.id) ?? [], used),
  );
}

/** The attribute of networks that each filter applies to. */
const attributes: Readonly<Record<string, string>> = {
  network_id: 'id',
  network_name: 'name',
  tenant_id: 'project_id',
  project_id: 'project_id',
};

/** GET /v2.0/network-ip-availabilities */
export async function listAddresses(call: Call): Promise<Reply> {
  checkNames(call, [...Object.keys(attributes), 'ip_version']);
  const filters = Object.entries(attributes)
    .filter(([name]) => call.query.has(name))
    .map(([name, attribute]) => networkTable.withValue(attribute, call.query.all(name)));
  const networks = await networkTable.list(call.db, {
    conditions: [...filters, ...visibleTo(call, visibility.network)],
  });
  const allowed = networks.filter((network) =>
    may(call, 'get_network_ip_availability', { project_id: network.project_id }),
  );
  const views = await availabilityOf(call, allowed, call.query.all('ip_version').map(toInteger));
  return ok(exactJson({ network_ip_availabilities: views.map((view) => withFields(call, view)) }));
}

/** GET /v2.0/network-ip-availabilities/{network_id} */
export async function showAddresses(call: Call): Promise<Reply> {
  const network = await getNetwork(call, call.params['network_id']!);
  const rule = 'get_network_ip_availability';
  enforce(call, [rule], { project_id: network.project_id }, rule);
  const [view] = await availabilityOf(call, [network], []);
  return ok(exactJson({ network_ip_availability: withFields(call, view!) }));
}
