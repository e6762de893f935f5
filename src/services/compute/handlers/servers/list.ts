// Lists of servers, with and without details: filters, sorting and pagination. Upstream:
// api/openstack/compute/servers.py _get_servers.
import type { SortColumn } from '../../../../kernel/db/keyset.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import { badRequest, forbidden } from '../../../../kernel/errors.ts';
import { authorize, may } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import { serversWithAddress } from '../../clients/network.ts';
import { statesOf } from '../../domain/servers/states.ts';
import { isTrue, boolFromString } from '../../../../kernel/oslo/booleans.ts';
import { parseIsoTime } from '../../../../kernel/oslo/isotime.ts';
import { ownTarget } from '../../steps.ts';
import { findMarker, listServers, type ServerFilter } from '../../store/servers/list.ts';
import { nextPageLinks } from '../../views/links.ts';
import { briefView, serverView } from '../../views/servers/servers.ts';
import { pageOf } from '../paging.ts';
import { predicateOf, searchFor, textFilters, type ServerPredicate } from './filters.ts';
import { extrasOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';
import type { ComputeVersion } from '../../versions.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  const page = await selectPage(call, 'index');
  return ok({
    servers: page.servers.map((server) => briefView(call, server)),
    ...linksOf(call, page, 'servers'),
  });
}

export async function detail(call: ComputeCall): Promise<Reply> {
  const page = await selectPage(call, 'detail');
  const extras = await extrasOf(call, page.servers, { groups: false });
  const servers = page.servers.map((server) => serverView(call, server, extras.get(server.uuid)!));
  return ok({ servers, ...linksOf(call, page, 'servers/detail') });
}

interface ServerPage {
  readonly servers: readonly Server[];
  readonly limit: number;
}

function linksOf(call: ComputeCall, { servers, limit }: ServerPage, path: string): object {
  const links = limit ? nextPageLinks(call, path, servers, limit, servers.at(-1)?.uuid ?? '') : [];
  return links.length ? { servers_links: links } : {};
}

const tagFilters: readonly string[] = ['tags', 'tags-any', 'not-tags', 'not-tags-any'];

/** The filters that all users may use, by the version that introduced them. */
const openFilters: readonly (readonly [since: ComputeVersion, names: readonly string[]])[] = [
  [
    '2.1',
    ['reservation_id', 'name', 'status', 'image', 'flavor', 'ip', 'changes-since', 'all_tenants'],
  ],
  ['2.5', ['ip6']],
  ['2.26', tagFilters],
  ['2.66', ['changes-before']],
  ['2.73', ['locked']],
  [
    '2.83',
    [
      'availability_zone',
      'config_drive',
      'key_name',
      'created_at',
      'launched_at',
      'terminated_at',
      'power_state',
      'task_state',
      'vm_state',
      'progress',
      'user_id',
    ],
  ],
  ['2.90', ['hostname']],
];

const pagingParameters: readonly string[] = ['sort_key', 'sort_dir', 'limit', 'marker'];
/** Relations of a server in Nova's database, which are not valid as filters. */
const relations: readonly string[] = [
  'block_device_mapping',
  'services',
  'metadata',
  'system_metadata',
  'info_cache',
  'security_groups',
  'pci_devices',
];

/** The query's filters that the caller may use: the last value of each, by name. */
function filtersOf(call: ComputeCall): Map<string, string> {
  const { query, version } = call;
  const all = may(call, 'os_compute_api:servers:allow_all_filters', ownTarget(call));
  const open = openFilters.flatMap(([since, names]) => (version.has(since) ? names : []));
  const names = query
    .names()
    .filter((name) => !pagingParameters.includes(name) && (all || open.includes(name)));
  return new Map(names.map((name) => [name, query.last(name)!]));
}

/** The servers of the requested page. @throws 400, 403 */
async function selectPage(call: ComputeCall, verb: 'index' | 'detail'): Promise<ServerPage> {
  authorize(call, `os_compute_api:servers:${verb}`, ownTarget(call));
  const { version, db, query } = call;
  const filters = filtersOf(call);
  const invalid = [...filters.keys()].find(
    (name) => relations.includes(name) || name.startsWith('_'),
  );
  if (invalid !== undefined) throw badRequest(`Invalid filter field: ${invalid}.`);
  const states = query.has('status') ? statesOf(query.all('status')) : undefined;
  if (states && !states.vmStates.length) {
    if (version.has('2.38')) throw badRequest('Invalid status value');
    return { servers: [], limit: 0 };
  }
  const filter = columnFilterOf(call, filters, states, verb);
  const { limit, marker } = await pageOf(call);
  const order = orderOf(call);
  const after = marker === undefined ? undefined : await findMarker(db, marker, filter);
  if (marker !== undefined && !after) throw badRequest(`marker [${marker}] not found`);
  const keep = await predicateFor(call, filters);
  return {
    servers: limit ? await listServers(db, filter, order, { after, limit, keep }) : [],
    limit,
  };
}

/** The filter that SQL evaluates. @throws 400, 403 */
function columnFilterOf(
  call: ComputeCall,
  filters: ReadonlyMap<string, string>,
  states: ReturnType<typeof statesOf> | undefined,
  verb: string,
): ServerFilter {
  const since = timeOf(filters, 'changes-since');
  const before = timeOf(filters, 'changes-before');
  if (since !== undefined && before !== undefined && since > before)
    throw badRequest('The value of changes-since must be less than or equal to changes-before.');
  const onlyDeleted = filters.get('deleted');
  const anyState = since !== undefined || before !== undefined;
  let deleted = onlyDeleted === undefined ? (anyState ? undefined : false) : isTrue(onlyDeleted);
  if (states?.vmStates.length === 1 && states.vmStates[0] === 'deleted') {
    if (!call.actor.isAdmin) throw forbidden('Only administrators may list deleted instances');
    deleted = true;
  }
  const equal: Record<string, string | readonly (string | null)[]> = {};
  const columnsOfFilters: Readonly<Record<string, string>> = {
    user_id: 'user_id',
    image: 'image_id',
    image_ref: 'image_id',
    uuid: 'uuid',
    host: 'host',
    node: 'node',
    flavor: 'flavor_id',
    vm_state: 'vm_state',
    task_state: 'task_state',
    reservation_id: 'reservation_id',
  };
  for (const [name, column] of Object.entries(columnsOfFilters))
    if (filters.has(name)) equal[column] = call.query.all(name);
  if (states) equal['vm_state'] = states.vmStates;
  if (states?.taskStates) equal['task_state'] = states.taskStates;
  const locked = filters.get('locked');
  return {
    deleted,
    // Nova takes any text but the empty one as true.
    withSoftDeleted: Boolean(filters.get('soft_deleted')),
    equal: { ...equal, ...projectFilter(call, filters, verb) },
    locked: locked === undefined || !call.version.has('2.73') ? undefined : strictBool(locked),
    changedSince: since,
    changedBefore: before,
  };
}

function timeOf(filters: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = filters.get(name);
  if (text === undefined) return undefined;
  const time = parseIsoTime(text);
  if (time === undefined) throw badRequest(`Invalid filter field: ${name}.`);
  return time;
}

/** The filter by project: the caller's own, or any project with `all_tenants`. @throws 400, 403 */
function projectFilter(
  call: ComputeCall,
  filters: ReadonlyMap<string, string>,
  verb: string,
): Record<string, string> {
  const allTenants = filters.get('all_tenants');
  const all = allTenants !== undefined && (allTenants === '' || strictBool(allTenants));
  if (!all) return { project_id: call.caller.projectId ?? '' };
  authorize(call, `os_compute_api:servers:${verb}:get_all_tenants`, ownTarget(call));
  const project = filters.get('tenant_id') ?? filters.get('project_id');
  return project === undefined ? {} : { project_id: project };
}

/** Parses a boolean. @throws 400 */
function strictBool(text: string): boolean {
  const value = boolFromString(text);
  if (value !== undefined) return value;
  const words = "'0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'";
  throw badRequest(
    `Invalid input received: Unrecognized value '${text}', acceptable values are: ${words}`,
  );
}

/** The predicate for the filters that SQL does not evaluate. */
async function predicateFor(
  call: ComputeCall,
  filters: ReadonlyMap<string, string>,
): Promise<ServerPredicate | undefined> {
  const predicates: ServerPredicate[] = [];
  const names = [...textFilters.keys(), ...(call.version.has('2.26') ? tagFilters : [])];
  for (const name of names) {
    const text = filters.get(name);
    if (text !== undefined) predicates.push(predicateOf(name, text));
  }
  for (const name of ['ip', 'ip6']) {
    const text = filters.get(name);
    if (text !== undefined) predicates.push(await byAddress(call, text, name === 'ip6'));
  }
  return predicates.length ? (server) => predicates.every((matches) => matches(server)) : undefined;
}

/** The predicate for servers with an address that matches a regular expression. */
async function byAddress(call: ComputeCall, text: string, v6: boolean): Promise<ServerPredicate> {
  const matches = searchFor(text);
  const uuids = await serversWithAddress(call, (ip) => ip.includes(':') === v6 && matches(ip));
  return ({ uuid }) => uuids.has(uuid);
}

/** The columns of the sort keys. A key that has the same value for all servers has no column. */
const sortColumns: Readonly<Record<string, string>> = {
  access_ip_v4: 'access_ip_v4',
  access_ip_v6: 'access_ip_v6',
  auto_disk_config: 'disk_config',
  availability_zone: 'zone',
  config_drive: 'config_drive',
  created_at: 'created_at',
  display_description: 'description',
  display_name: 'name',
  host: 'host',
  hostname: 'hostname',
  image_ref: 'image_id',
  instance_type_id: 'flavor_id',
  key_name: 'key_name',
  launch_index: 'launch_index',
  launched_at: 'launched_at',
  locked_by: 'locked_by',
  locked: 'locked_by',
  node: 'node',
  power_state: 'power_state',
  progress: 'progress',
  project_id: 'project_id',
  root_device_name: 'root_device_name',
  task_state: 'task_state',
  terminated_at: 'terminated_at',
  updated_at: 'updated_at',
  user_id: 'user_id',
  uuid: 'uuid',
  vm_state: 'vm_state',
};

/** The order of the list. @throws 400, 403 */
function orderOf(call: ComputeCall): SortColumn[] {
  const { query, version } = call;
  const requestedKeys = query.all('sort_key').map((key) => key.trim());
  const dirs = query.all('sort_dir').map((dir) => dir.trim());
  if (dirs.some((dir) => dir !== 'asc' && dir !== 'desc'))
    throw badRequest('Unknown sort direction, must be one of: asc, desc');
  const keys = requestedKeys.length ? requestedKeys : ['created_at'];
  const adminKey = keys.find((key) => ['host', 'node'].includes(key));
  if (adminKey !== undefined && !call.actor.isAdmin)
    throw forbidden(`Only administrators can sort servers by ${adminKey}`);
  if (dirs.length > keys.length)
    throw badRequest('Sort direction array size exceeds sort key array size.');
  const firstDir = dirs[0] ?? 'desc';
  const order: SortColumn[] = [];
  const add = (column: string | undefined, dir: string): void => {
    if (column !== undefined && !order.some((key) => key.column === column))
      order.push({ column, descending: dir === 'desc' });
  };
  keys.forEach((key, index) =>
    add(
      key === 'locked' && !version.has('2.73') ? undefined : sortColumns[key],
      dirs[index] ?? firstDir,
    ),
  );
  add('created_at', firstDir);
  add('id', firstDir);
  return order;
}
