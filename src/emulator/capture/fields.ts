// Reads the fields of captured resources.
import { parseTime, type Micros } from '../../kernel/clock.ts';
import type { Json } from './model.ts';

/** The fields that describe an image. Its properties are fields beside them. */
export const imageFields = new Set([
  'checksum',
  'container_format',
  'created_at',
  'disk_format',
  'id',
  'min_disk',
  'min_ram',
  'name',
  'os_hash_algo',
  'os_hash_value',
  'os_hidden',
  'owner',
  'protected',
  'size',
  'status',
  'tags',
  'updated_at',
  'virtual_size',
  'visibility',
]);

/** The attributes that the API defines for the resources of Identity. */
export const identityFields = new Set([
  'id',
  'name',
  'domain_id',
  'parent_id',
  'is_domain',
  'enabled',
  'description',
  'default_project_id',
  'password_expires_at',
  'tags',
  'options',
  'links',
]);

/** A time; null if the field has none. */
export const timeOf = (value: unknown): Micros | null =>
  typeof value === 'string' ? (parseTime(value) ?? null) : null;

/** A time that is in UTC if it names no zone; null if the field has none. */
export const utcTimeOf = (value: unknown): Micros | null =>
  typeof value === 'string' && !/Z$|[+-]\d\d:?\d\d$/.test(value)
    ? timeOf(`${value.replace(' ', 'T')}Z`)
    : timeOf(value);

/** A text; null if the field is empty or absent. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** The entries of an object whose values are texts. */
export const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Json).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** The entries of a list in a reply; none if the caller may not read it. */
export const entriesOf = (reply: Json, key: string): readonly Json[] =>
  (reply[key] ?? []) as readonly Json[];

/**
 * Returns the entries of all projects or users. If the cloud does not let the caller list those,
 * they are empty, and the caller's own entries are returned.
 */
export async function allOrOwn(
  all: readonly Json[],
  own: () => Promise<readonly Json[]>,
): Promise<readonly Json[]> {
  return all.length ? all : own();
}
