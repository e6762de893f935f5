// Reads the query of a list: filters, sort order, page and fields. Upstream:
// neutron/api/api_common.py.
import { parseTime } from '../../../kernel/clock.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';
import { pythonRepr } from '../../../kernel/contract/jsonschema-messages.ts';
import { toInteger } from '../domain/attributes/convert.ts';
import type { AttributeMap } from '../domain/attributes/definitions.ts';
import { bad, badInput, invalidInput } from '../domain/refusals.ts';
import { networkSettings } from '../domain/settings.ts';
import type { ObjectType, Standard } from '../model.ts';
import { withAddress, type AddressFilter } from '../store/addresses.ts';
import { atSecond, changedSince, onExternalNetworks } from '../store/conditions.ts';
import { withHost } from '../store/port-bindings.ts';
import { inGroups } from '../store/security-groups.ts';
import { whereShared } from '../store/sharing.ts';
import { withSegment } from '../store/segments.ts';
import { tagged } from '../store/tags.ts';
import type { View } from '../views/view.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import type { ResourceTable } from '../store/resource-table.ts';
import type { Condition, Sort } from '../../../kernel/db/listing.ts';

/** The parameters that are not filters. */
const reserved = ['fields', 'sort_key', 'sort_dir', 'limit', 'marker', 'page_reverse'];

/** Returns the names of the filters in the query. @throws 400 for an unknown filter */
export function filterNames({ query }: Call, isFilter: (name: string) => boolean): string[] {
  const names = query.names().filter((name) => !reserved.includes(name));
  const unknown = names.filter((name) => !isFilter(name));
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for filtering`);
  return names;
}

/** Returns the conditions that the query's filters mean. @throws 400 */
export function filtersOf<T extends Standard>(
  call: Call,
  { attributes }: AttributeMap,
  table: ResourceTable<T>,
): Condition[] {
  const names = filterNames(
    call,
    (name) => Object.hasOwn(attributes, name) && attributes[name]!.filter === true,
  );
  const [project, tenant] = [call.query.all('project_id'), call.query.all('tenant_id')];
  if (project.length && tenant.length && project.join() !== tenant.join()) {
    throw bad(
      'TenantIdProjectIdFilterConflict',
      'Both tenant_id and project_id passed as filters.',
    );
  }
  return names.map((name) => {
    const values = call.query.all(name);
    const { convert } = attributes[name]!;
    return (
      specialFilter(call, table.name, name, values) ??
      table.withValue(
        name === 'tenant_id' ? 'project_id' : name,
        convert ? values.map(convert) : values,
      )
    );
  });
}

function timeOf(name: string, value: string): number {
  const time = parseTime(value);
  if (time === undefined) throw invalidInput(`Invalid input for ${name}: '${value}' is not a time`);
  return time;
}

/** Returns the condition of a filter that is not a comparison of a column. */
function specialFilter(
  call: Call,
  table: string,
  name: string,
  values: readonly string[],
): Condition | undefined {
  const { db } = call;
  const tags = values.flatMap((value) => value.split(','));
  switch (name) {
    case 'tags':
      return tagged(db, table, tags, {});
    case 'tags-any':
      return tagged(db, table, tags, { any: true });
    case 'not-tags':
      return tagged(db, table, tags, { not: true });
    case 'not-tags-any':
      return tagged(db, table, tags, { any: true, not: true });
    case 'changed_since':
      return changedSince(Math.min(...values.map((value) => timeOf(name, value))));
    case 'created_at':
    case 'updated_at':
      return atSecond(
        table,
        name,
        values.map((value) => timeOf(name, value)),
      );
    case 'fixed_ips':
      return withAddress(db, addressParts(values));
    case 'security_groups':
      return inGroups(db, values);
    case 'binding:host_id':
      return withHost(db, values);
    case 'shared':
      return table in sharedObjects ? sharedFilter(call, table, values) : undefined;
    case 'is_default':
      return table === 'network_qos_policies' ? defaultFilter(values) : undefined;
    case 'provider:network_type':
    case 'provider:physical_network':
      return withSegment(db, name.replace('provider:', ''), values);
    case 'provider:segmentation_id':
      return withSegment(db, 'segmentation_id', values.map(toInteger));
    case 'router:external':
      return table === 'network_subnets' ? externalFilter(db, table, values) : undefined;
    default:
      return undefined;
  }
}

const everything: Condition = () => undefined;

/** The only value of a filter; undefined if it has both, so that it matches everything. */
function onlyFlag(values: readonly string[]): boolean | undefined {
  const flags = new Set(values.map(flagOf));
  return flags.size > 1 ? undefined : flags.has(true);
}

/** By table: the type of the objects that are shared, and the column with their ids. */
const sharedObjects: Readonly<Record<string, readonly [type: ObjectType, column: string]>> = {
  network_networks: ['network', 'id'],
  network_subnets: ['network', 'network_id'],
  network_subnetpools: ['subnetpool', 'id'],
  network_address_scopes: ['address_scope', 'id'],
  network_security_groups: ['security_group', 'id'],
  network_qos_policies: ['qos_policy', 'id'],
};

/** Whether a resource is shared with the caller's project. */
function sharedFilter({ db, actor }: Call, table: string, values: readonly string[]): Condition {
  const isShared = onlyFlag(values);
  const [type, column] = sharedObjects[table]!;
  if (isShared === undefined) return everything;
  return whereShared(db, type, `${table}.${column}`, actor.projectId ?? '', isShared);
}

/** Whether a QoS policy is the default one of its project. */
function defaultFilter(values: readonly string[]): Condition {
  const isDefault = onlyFlag(values);
  if (isDefault === undefined) return everything;
  return (query) =>
    void (isDefault ? query.whereNotNull('default_of') : query.whereNull('default_of'));
}

/** Whether the network of a subnet is external. */
function externalFilter(db: Call['db'], table: string, values: readonly string[]): Condition {
  const isExternal = onlyFlag(values);
  return isExternal === undefined ? everything : onExternalNetworks(db, table, isExternal);
}

function flagOf(value: string): boolean {
  const flag = boolFromString(value);
  if (flag === undefined) throw invalidInput(`'${value}' cannot be converted to boolean`);
  return flag;
}

/** Reads the filter `fixed_ips`, whose values have the form `ip_address=10.0.0.2`. @throws 400 */
function addressParts(values: readonly string[]): AddressFilter {
  const found: Record<string, string[]> = { ip_address: [], subnet_id: [], ip_address_substr: [] };
  for (const value of values) {
    const left = value.slice(0, Math.max(0, value.indexOf('=')));
    const key = left.trim() || left.slice(-1);
    if (!key) throw invalidInput(`'${value}' is not of the form <key>=[value]`);
    if (!Object.hasOwn(found, key))
      throw badInput(`'${key}' is invalid attribute for filtering fixed_ips`);
    found[key]!.push(value.slice(left.length + 1).trim());
  }
  return {
    ips: found['ip_address']!,
    subnets: found['subnet_id']!,
    substrings: found['ip_address_substr']!,
  };
}

/** Reads the sort order. @throws 400 */
export const sortsOf = <T extends Standard>(
  call: Call,
  map: AttributeMap,
  table: ResourceTable<T>,
): Sort<T>[] =>
  sortKeysOf(call, map).map(({ key, descending }) => ({
    field: table.fieldFor(key === 'tenant_id' ? 'project_id' : key),
    descending,
  }));

interface SortKey {
  readonly key: string;
  readonly descending: boolean;
}

/** Reads the attributes that a list is sorted by. @throws 400 */
export function sortKeysOf({ query }: Call, { attributes }: AttributeMap): SortKey[] {
  const keys = query.all('sort_key').filter(Boolean);
  const directions = query.all('sort_dir').filter(Boolean);
  if (keys.length !== directions.length)
    throw badInput('The number of sort_keys and sort_dirs must be same');
  const unknown = keys.filter((key) => !Object.hasOwn(attributes, key) || !attributes[key]!.sort);
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for sort_keys`);
  const problem = directions.filter((direction) => direction !== 'asc' && direction !== 'desc');
  if (problem.length)
    throw badInput(
      `${pythonRepr(problem)} is invalid value for sort_dirs, valid value is 'asc' and 'desc'`,
    );
  return keys.map((key, index) => ({ key, descending: directions[index] === 'desc' }));
}

export interface Page {
  readonly limit: number | undefined;
  readonly marker: string | undefined;
  readonly reverse: boolean;
}

/** Reads the page. Without a limit, it is the whole list, or the largest page. @throws 400 */
export async function pageOf({ db, query }: Call): Promise<Page> {
  const text = query.last('limit') ?? '0';
  if (!/^\s*\+?\d{1,15}\s*$/.test(text)) {
    throw bad(
      'BadRequest',
      `Bad limit request: Limit must be an integer 0 or greater and not '${text}'.`,
    );
  }
  const { paginationMaxLimit: max } = await networkSettings.load(db);
  const requested = Number(text) || undefined;
  const limit = max > 0 ? Math.min(requested ?? max, max) : requested;
  const marker = limit === undefined ? undefined : query.last('marker') || undefined;
  return { limit, marker, reverse: (query.last('page_reverse') ?? '').toLowerCase() === 'true' };
}

/**
 * Replies with a page of views that are all in memory. They are in the order of the field that is
 * the marker.
 */
export function pagedReply(
  call: Call,
  collection: string,
  views: readonly View[],
  { field, page }: { readonly field: string; readonly page: Page },
): Reply {
  const shown = pageFrom(views, field, page);
  const links = linksOf(
    call,
    page,
    shown.map((view) => ({ id: view[field] as string })),
  );
  return ok({
    [collection]: shown.map((view) => withFields(call, view)),
    ...(links.length ? { [`${collection}_links`]: links } : {}),
  });
}

function pageFrom(
  views: readonly View[],
  field: string,
  { limit, marker, reverse }: Page,
): readonly View[] {
  const after = views.filter((view) => {
    const value = view[field] as string;
    return marker === undefined || (reverse ? value < marker : value > marker);
  });
  if (limit === undefined) return after;
  return reverse ? after.slice(-limit) : after.slice(0, limit);
}

/** Returns the links to the next and the previous page. Upstream: get_pagination_links. */
export function linksOf(
  call: Call,
  page: Page,
  replied: readonly { readonly id: string }[],
): object[] {
  const { limit, reverse } = page;
  if (limit === undefined) return [];
  const full = replied.length >= limit;
  const link = (rel: string, id: string | undefined, back: boolean): object => {
    const pairs = call.query
      .entries()
      .filter(([name]) => name !== 'marker' && name !== 'page_reverse');
    const all: [string, string][] = pairs.map(([name, value]) => [name, value]);
    if (id !== undefined) all.push(['marker', id]);
    if (back) all.push(['page_reverse', 'True']);
    const query = new URLSearchParams(all).toString();
    return { rel, href: `${call.origin}${call.prefix}${call.path}?${query}` };
  };
  return [
    ...(full || reverse ? [link('next', replied.at(-1)?.id, false)] : []),
    ...(full || !reverse ? [link('previous', replied[0]?.id, true)] : []),
  ];
}

/** Returns the requested fields, or undefined for all of them. */
export function requestedFields({ query }: Call): readonly string[] | undefined {
  const fields = query.all('fields').filter(Boolean);
  return fields.length ? fields : undefined;
}

/** Reduces a view to the requested fields. */
export function withFields(call: Call, view: View): View {
  const fields = requestedFields(call);
  return fields
    ? Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name)))
    : view;
}
