// Reads the attributes of a resource from a body, under the names of the API; Keystone's managers
// call them `ref`.
import { badRequest } from '../../../kernel/errors.ts';
import type { Options } from '../model.ts';

/** Attributes by name. The contract check has validated their types. */
export type Fields = Readonly<Record<string, unknown>>;

/** A string attribute, whose type the contract check has validated. */
export const textOf = (fields: Fields, name: string): string => fields[name] as string;

/** A string attribute that the body may lack. */
export const optionalText = (fields: Fields, name: string): string | undefined =>
  fields[name] as string | undefined;

/** A string attribute that the body may lack or set to null. */
export const nullableText = (fields: Fields, name: string): string | null | undefined =>
  fields[name] as string | null | undefined;

/** The value of a nullable string after an update, which keeps the old one if the body lacks it. */
export function updatedText(fields: Fields, name: string, before: string | null): string | null {
  const value = nullableText(fields, name);
  return value === undefined ? before : value;
}

/** A boolean attribute that the body may lack. */
export const optionalBoolean = (fields: Fields, name: string): boolean | undefined =>
  fields[name] as boolean | undefined;

/** The attributes that the API does not define, which Keystone stores unchanged. */
export function extraOf(fields: Fields, apiAttributes: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !apiAttributes.includes(name)),
  );
}

/**
 * The attributes of a new resource, with `a-b` and `a:b` renamed to `a_b`. Upstream:
 * server/flask/common.py, _normalize_dict.
 */
export function normalized(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replace(/[:-]/g, '_'), value]),
  );
}

/** A boolean attribute; the contract also accepts strings such as `off`. */
export const booleanOf = (value: unknown): boolean =>
  typeof value === 'string' ? !/^(false|0|n|no|off|)$/i.test(value) : Boolean(value);

/** The resource options after a change, in which null removes an option. */
export function mergedOptions(before: Options, given: unknown): Options {
  return Object.fromEntries(
    Object.entries({ ...before, ...(given as Fields | undefined) }).filter(
      ([, value]) => value !== null,
    ),
  );
}

/** Rejects a change of the id, or of the domain if the resource has one. @throws 400 */
export function refuseIdChange(
  fields: Fields,
  { id, domainId }: { readonly id: string; readonly domainId?: string | null },
): void {
  if ('id' in fields && fields['id'] !== id) throw badRequest('Cannot change ID');
  if (domainId !== undefined && 'domain_id' in fields && fields['domain_id'] !== domainId) {
    throw badRequest('Cannot change Domain ID');
  }
}
