// What a list is asked for: filters, order, page and fields. Upstream: neutron/api/api_common.py.
import { parseTime } from '../../../kernel/clock.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';
import { pythonRepr } from '../../../kernel/contract/jsonschema-messages.ts';
import type { AttributeMap } from '../domain/attributes/definitions.ts';
import { bad, badInput, invalidInput } from '../domain/refusals.ts';
import type { Standard } from '../model.ts';
import { withAddress, type AddressFilter } from '../store/addresses.ts';
import { atSecond, changedSince, onNetworks } from '../store/conditions.ts';
import { inGroups } from '../store/security-groups.ts';
import { tagged } from '../store/tags.ts';
import type { View } from '../views/view.ts';
import type { Call } from '../../../kernel/model.ts';
import type { ResourceTable } from '../store/resource-table.ts';
import type { Condition, Sort } from '../../../kernel/db/listing.ts';

/** The parameters that are no filters. */
const reserved = ['fields', 'sort_key', 'sort_dir', 'limit', 'marker', 'page_reverse'];

/** The names of the filters of a request. @throws 400 for one that is not known */
export function filterNames({ query }: Call, isFilter: (name: string) => boolean): string[] {
  const names = query.names().filter((name) => !reserved.includes(name));
  const unknown = names.filter((name) => !isFilter(name));
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for filtering`);
  return names;
}

/** The filters of a list. @throws 400 */
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

/** A filter that is more than the value of a column. */
function specialFilter(
  { db }: Call,
  table: string,
  name: string,
  values: readonly string[],
): Condition | undefined {
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
    case 'shared':
    case 'router:external':
      return inheritedFlag(db, table, name, values);
    default:
      return undefined;
  }
}

/**
 * A flag that a subnet has of its network, or that no security group has; undefined where it is the
 * resource's own.
 */
function inheritedFlag(
  db: Call['db'],
  table: string,
  name: 'shared' | 'router:external',
  values: readonly string[],
): Condition | undefined {
  const flags = new Set(values.map(flagOf));
  if (table === 'network_subnets') {
    const all: Condition = () => undefined;
    return flags.size > 1
      ? all
      : onNetworks(db, table, name === 'shared' ? 'shared' : 'router_external', flags.has(true));
  }
  if (table !== 'network_security_groups') return undefined;
  return flags.has(false) ? () => undefined : (query) => void query.whereRaw('1 = 0');
}

function flagOf(value: string): boolean {
  const flag = boolFromString(value);
  if (flag === undefined) throw invalidInput(`'${value}' cannot be converted to boolean`);
  return flag;
}

/**
 * The values of the filter `fixed_ips`, such as `ip_address=10.0.0.2`, by their keys.
 * @throws 400
 */
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

/** The order that the query asks for. @throws 400 */
export function sortsOf<T extends Standard>(
  { query }: Call,
  { attributes }: AttributeMap,
  table: ResourceTable<T>,
): Sort<T>[] {
  const keys = query.all('sort_key').filter(Boolean);
  const directions = query.all('sort_dir').filter(Boolean);
  if (keys.length !== directions.length)
    throw badInput('The number of sort_keys and sort_dirs must be same');
  const unknown = keys.filter((key) => !Object.hasOwn(attributes, key) || !attributes[key]!.sort);
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for sort_keys`);
  const wrong = directions.filter((direction) => direction !== 'asc' && direction !== 'desc');
  if (wrong.length)
    throw badInput(
      `${pythonRepr(wrong)} is invalid value for sort_dirs, valid value is 'asc' and 'desc'`,
    );
  return keys.map((key, index) => ({
    field: table.fieldFor(key === 'tenant_id' ? 'project_id' : key),
    descending: directions[index] === 'desc',
  }));
}

export interface Page {
  readonly limit: number | undefined;
  readonly marker: string | undefined;
  readonly reverse: boolean;
}

/** The page that is asked for; without a limit, all of the list. @throws 400 */
export function pageOf({ query }: Call): Page {
  const text = query.last('limit') ?? '0';
  if (!/^\s*\+?\d{1,15}\s*$/.test(text)) {
    throw bad(
      'BadRequest',
      `Bad limit request: Limit must be an integer 0 or greater and not '${text}'.`,
    );
  }
  const limit = Number(text) || undefined;
  const marker = limit === undefined ? undefined : query.last('marker') || undefined;
  return { limit, marker, reverse: (query.last('page_reverse') ?? '').toLowerCase() === 'true' };
}

/**
 * The links to the pages before and after the one that is replied. Upstream: get_pagination_links.
 */
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
    const all = [
      ...pairs,
      ...(id === undefined ? [] : [['marker', id]]),
      ...(back ? [['page_reverse', 'True']] : []),
    ];
    return {
      rel,
      href: `${call.origin}${call.prefix}${call.path}?${new URLSearchParams(all as [string, string][]).toString()}`,
    };
  };
  return [
    ...(full || reverse ? [link('next', replied.at(-1)?.id, false)] : []),
    ...(full || !reverse ? [link('previous', replied[0]?.id, true)] : []),
  ];
}

/** The fields that `fields` asks for; undefined for all. */
export function wantedFields({ query }: Call): readonly string[] | undefined {
  const fields = query.all('fields').filter(Boolean);
  return fields.length ? fields : undefined;
}

/** A view with the fields that are asked for. */
export function withFields(call: Call, view: View): View {
  const fields = wantedFields(call);
  return fields
    ? Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name)))
    : view;
}
