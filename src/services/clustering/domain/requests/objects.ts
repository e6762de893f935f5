// Reads request bodies: first the wrapper key, then the fields, then the schema.
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { ClusteringVersion } from '../../versions.ts';
import type { Json } from '../../model.ts';
import { invalid } from '../refusals.ts';
import { isMap, type Field } from './fields.ts';

export type Fields = Readonly<Record<string, Field>>;

export const required = (field: Field): Field => ({ ...field, required: true });
export const since = (version: ClusteringVersion, field: Field): Field => ({
  ...field,
  since: version,
});

/** The value under the wrapper key of a body. @throws 400 */
export function unwrap(body: unknown, key: string, isUpdate = false): unknown {
  if (isMap(body) && Object.hasOwn(body, key)) return body[key];
  throw invalid(
    isUpdate
      ? `Malformed request data, missing '${key}' key in request body.`
      : `Request body missing '${key}' key.`,
  );
}

/**
 * Reads the fields of an object. Fields that are newer than the version are dropped; null counts as
 * absent. Upstream: parse_request in senlin/api/common/util.py.
 * @throws 400
 */
export function readFields(
  fields: Fields,
  given: unknown,
  version: Version<ClusteringVersion>,
): Json {
  if (!isMap(given)) throw invalid(`${pythonRepr(given)} is not of type 'object'`);
  const found: Json = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(given, name)) continue;
    const value = given[name];
    if (value === null && field.required) throw invalid(`Field \`${name}' cannot be None`);
    if (value !== null) found[name] = field.read(value, name);
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length) throw invalid(unexpectedProperties(unknown));
  const missing = Object.entries(fields).find(
    ([name, field]) => field.required && !Object.hasOwn(given, name),
  );
  if (missing) throw invalid(`'${missing[0]}' is a required property`);
  return Object.fromEntries(
    Object.entries(found).filter(
      ([name]) => fields[name]!.since === undefined || version.has(fields[name]!.since),
    ),
  );
}

function unexpectedProperties(names: readonly string[]): string {
  const listed = names.map((name) => pythonRepr(name)).join(', ');
  return (
    `Additional properties are not allowed (${listed} ${names.length > 1 ? 'were' : 'was'} ` +
    'unexpected)'
  );
}

/**
 * Reads a body whose only key names an action. @returns the key and its value
 * @throws 400 with the messages given
 */
export function onlyKey(
  body: unknown,
  messages: { readonly none: string; readonly several: string },
): readonly [name: string, value: unknown] {
  const entries = isMap(body) ? Object.entries(body) : [];
  if (!entries.length) throw invalid(messages.none);
  if (entries.length > 1) throw invalid(messages.several);
  return entries[0]!;
}
