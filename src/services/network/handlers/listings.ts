// What a list is asked for: filters, order, a page of it, and fields. Upstream: neutron/api/api_common.py.
import { parseTime } from '../../../kernel/clock.ts';
import { pythonRepr } from '../../../kernel/python/wording.ts';
import type { Attribute, Kind } from '../domain/attributes/definitions.ts';
import { bad, badInput, invalidInput } from '../domain/refusals.ts';
import type { Standard } from '../domain/records.ts';
import { atSecond, changedSince, inGroups, onNetworks } from '../store/links.ts';
import type { Narrow, Sort, Table } from '../store/table.ts';
import { tagged } from '../store/tags.ts';
import { withAddress } from '../store/addresses.ts';
import type { Call } from '../../../kernel/model.ts';

/** Parameters that are no filters. */
const reserved = ['fields', 'sort_key', 'sort_dir', 'limit', 'marker', 'page_reverse'];

export interface Filters {
  readonly where: Readonly<Record<string, readonly unknown[]>>;
  readonly narrow: readonly Narrow[];
}

/** What narrows the list. @throws 400 for what is no filter of the kind */
export function filtersOf<T extends Standard>(call: Call, kind: Kind, table: Table<T>): Filters {
  const where: Record<string, readonly unknown[]> = {};
  const narrow: Narrow[] = [];
  const names = call.query.names().filter((name) => !reserved.includes(name));
  const unknown = names.filter((name) => !Object.hasOwn(kind.attributes, name) || !kind.attributes[name]!.filter);
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for filtering`);
  const { project_id: project, tenant_id: tenant } = Object.fromEntries(['project_id', 'tenant_id'].map((name) => [name, call.query.all(name)])); // prettier-ignore
  if (project!.length && tenant!.length && project!.join() !== tenant!.join()) {
    throw bad('TenantIdProjectIdFilterConflict', 'Both tenant_id and project_id passed as filters.');
  }
  for (const name of names) {
    const values = call.query.all(name);
    const step = special(call, table.name, name, values);
    if (step) narrow.push(step);
    else {
      const column = name === 'tenant_id' ? 'project_id' : name;
      where[column] = values.map((value) => read(kind.attributes[name]!, value));
    }
  }
  return { where, narrow };
}

/** A value as the column has it. */
const read = ({ convert }: Attribute, value: string): unknown => (convert ? convert(value) : value);

function timeOf(name: string, value: string): number {
  const time = parseTime(value);
  if (time === undefined) throw invalidInput(`Invalid input for ${name}: '${value}' is not a time`);
  return time;
}

/** Filters that are more than a column's value. */
function special({ db }: Call, table: string, name: string, values: readonly string[]): Narrow | undefined {
  const owner = table;
  const tags = values.flatMap((value) => value.split(','));
  switch (name) {
    case 'tags':
      return tagged(db, owner, tags, {});
    case 'tags-any':
      return tagged(db, owner, tags, { any: true });
    case 'not-tags':
      return tagged(db, owner, tags, { not: true });
    case 'not-tags-any':
      return tagged(db, owner, tags, { any: true, not: true });
    case 'changed_since':
      return changedSince(Math.min(...values.map((value) => timeOf(name, value))));
    case 'created_at':
    case 'updated_at':
      return atSecond(owner, name, values.map((value) => timeOf(name, value))); // prettier-ignore
    case 'fixed_ips':
      return withAddress(db, addressParts(values));
    case 'security_groups':
      return inGroups(db, values);
    default:
      return flag(db, owner, name, values);
  }
}

/** What a subnet or a group is by where it belongs. */
function flag(db: Call['db'], owner: string, name: string, values: readonly string[]): Narrow | undefined {
  if (name !== 'shared' && name !== 'router:external') return undefined;
  const wanted = [...new Set(values.map((value) => truth(value)))];
  const all: Narrow = () => undefined;
  if (owner === 'network_subnets') {
    return wanted.length > 1 ? all : onNetworks(db, owner, name === 'shared' ? 'shared' : 'router_external', wanted[0]!);
  }
  if (owner !== 'network_security_groups') return undefined;
  return wanted.includes(false) ? all : (query) => void query.whereRaw('1 = 0');
}

function truth(value: string): boolean {
  if (/^(true|t|yes|y|on|1)$/i.test(value)) return true;
  if (/^(false|f|no|n|off|0)$/i.test(value)) return false;
  throw invalidInput(`'${value}' cannot be converted to boolean`);
}

/** `ip_address=10.0.0.2` and so on, by key. @throws 400 */
function addressParts(values: readonly string[]): { ips: string[]; subnets: string[]; parts: string[] } {
  const found: Record<string, string[]> = { ip_address: [], subnet_id: [], ip_address_substr: [] };
  for (const value of values) {
    const [, key = '', rest = ''] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/s.exec(value) ?? [];
    if (!key) throw invalidInput(`'${value}' is not of the form <key>=[value]`);
    if (!Object.hasOwn(found, key)) throw badInput(`'${key}' is invalid attribute for filtering fixed_ips`);
    found[key]!.push(rest);
  }
  return { ips: found['ip_address']!, subnets: found['subnet_id']!, parts: found['ip_address_substr']! };
}

/** @throws 400 */
export function sortsOf({ query }: Call, { attributes }: Kind): Sort[] {
  const keys = query.all('sort_key').filter(Boolean);
  const directions = query.all('sort_dir').filter(Boolean);
  if (keys.length !== directions.length) throw badInput('The number of sort_keys and sort_dirs must be same');
  const unknown = keys.filter((key) => !Object.hasOwn(attributes, key) || !attributes[key]!.sort);
  if (unknown.length) throw badInput(`${pythonRepr(unknown)} is invalid attribute for sort_keys`);
  const wrong = directions.filter((direction) => direction !== 'asc' && direction !== 'desc');
  if (wrong.length) throw badInput(`${pythonRepr(wrong)} is invalid value for sort_dirs, valid value is 'asc' and 'desc'`);
  return keys.map((key, index) => ({ key: key === 'tenant_id' ? 'project_id' : key, ascending: directions[index] === 'asc' }));
}

export interface Page {
  readonly limit: number | undefined;
  readonly marker: string | undefined;
  readonly reverse: boolean;
}

/** Which part of the list; none of it without a limit. @throws 400 */
export function pageOf({ query }: Call): Page {
  const text = query.last('limit') ?? '0';
  if (!/^\s*\+?\d{1,15}\s*$/.test(text)) {
    throw bad('BadRequest', `Bad limit request: Limit must be an integer 0 or greater and not '${text}'.`);
  }
  const limit = Number(text) || undefined;
  const marker = limit === undefined ? undefined : query.last('marker') || undefined;
  return { limit, marker, reverse: (query.last('page_reverse') ?? '').toLowerCase() === 'true' };
}

/** Where the neighbouring pages are. */
export function linksOf(call: Call, page: Page, shown: readonly { readonly id: string }[]): object[] {
  const { limit, reverse } = page;
  if (limit === undefined) return [];
  const full = shown.length >= limit;
  const link = (rel: string, id: string | undefined, back: boolean): object => {
    const pairs = call.query.entries().filter(([name]) => name !== 'marker' && name !== 'page_reverse');
    const all = [...pairs, ...(id === undefined ? [] : [['marker', id]]), ...(back ? [['page_reverse', 'True']] : [])];
    return { rel, href: `${call.origin}${call.prefix}${call.path}?${new URLSearchParams(all as [string, string][]).toString()}` };
  };
  return [
    ...(full || reverse ? [link('next', shown.at(-1)?.id, false)] : []),
    ...(full || !reverse ? [link('previous', shown[0]?.id, true)] : []),
  ];
}

/** The fields that are wanted; all where none are named. */
export function fieldsOf({ query }: Call): readonly string[] | undefined {
  const fields = query.all('fields').filter(Boolean);
  return fields.length ? fields : undefined;
}
