// Availability: of zones, and of addresses.
import { ok } from '../../../kernel/http/reply.ts';
import { may } from '../../../kernel/http/steps.ts';
import { seen, getNetwork, scopes } from '../domain/visibility.ts';
import type { Network } from '../domain/records.ts';
import { toInteger } from '../domain/attributes/convert.ts';
import { badInput } from '../domain/refusals.ts';
import { takenBySubnet } from '../store/addresses.ts';
import { inParts, list as listRows } from '../store/table.ts';
import { networkTable, subnetTable } from '../store/tables.ts';
import { availabilityView, type View } from '../views/things.ts';
import { pythonRepr } from '../../../kernel/python/wording.ts';
import { fieldsOf } from './listings.ts';
import { enforce, workOf } from './requests.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

const zones: readonly View[] = ['network', 'router'].map((resource) => ({ name: 'nova', resource, state: 'available' }));

/** GET /v2.0/availability_zones */
export function listZones(call: Call): Reply {
  checkNames(call, ['name', 'resource', 'state']);
  const wanted = zones.filter((zone) =>
    ['name', 'resource', 'state'].every((name) => {
      const values = call.query.all(name);
      return !values.length || values.includes(String(zone[name]));
    }),
  );
  const allowed = may(call, 'get_availability_zone', {}) ? wanted : [];
  return ok({ availability_zones: allowed.map((zone) => cut(call, zone)) });
}

function cut(call: Call, view: View): View {
  const fields = fieldsOf(call);
  return fields ? Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name))) : view;
}

/** @throws 400 for filters that there are not */
function checkNames(call: Call, known: readonly string[]): void {
  const unknown = call.query.names().filter((name) => name !== 'fields' && !known.includes(name));
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for filtering`);
}

async function availabilityOf(call: Call, networks: readonly Network[], versions: readonly number[]): Promise<View[]> {
  const ids = networks.map((network) => network.id);
  const where = versions.length ? { ip_version: versions } : {};
  const subnets = await inParts(ids, (part) => listRows(call.db, subnetTable, { where: { network_id: part, ...where } }));
  const taken = await takenBySubnet(call.db, subnets.map((subnet) => subnet.id)); // prettier-ignore
  return networks.map((network) => availabilityView(network, subnets.filter((subnet) => subnet.network_id === network.id), taken)); // prettier-ignore
}

const filters = ['network_id', 'network_name', 'tenant_id', 'project_id', 'ip_version'] as const;

/** GET /v2.0/network-ip-availabilities */
export async function listAddresses(call: Call): Promise<Reply> {
  checkNames(call, filters);
  const columns = { network_id: 'id', network_name: 'name', tenant_id: 'project_id', project_id: 'project_id', ip_version: '' };
  const where: Record<string, readonly string[]> = {};
  for (const name of filters.filter((one) => one !== 'ip_version' && call.query.has(one)))
    where[columns[name]] = call.query.all(name);
  const { actor } = workOf(call);
  const networks = await listRows(call.db, networkTable, { where, narrow: seen(call.db, actor, scopes.network) });
  const allowed = networks.filter((network) => may(call, 'get_network_ip_availability', { project_id: network.project_id }));
  const views = await availabilityOf(call, allowed, call.query.all('ip_version').map(toInteger));
  return ok({ network_ip_availabilities: views.map((view) => cut(call, view)) });
}

/** GET /v2.0/network-ip-availabilities/{network_id} */
export async function showAddresses(call: Call): Promise<Reply> {
  const network = await getNetwork(workOf(call), call.params['network_id']!);
  const rule = 'get_network_ip_availability';
  enforce(call, [rule], { project_id: network.project_id }, rule);
  const [view] = await availabilityOf(call, [network], []);
  return ok({ network_ip_availability: cut(call, view!) });
}
