// The attributes of a resource under the names of the API, as a body gives them and as Keystone's
// managers take them (their `ref`).
import { badRequest } from '../../../kernel/errors.ts';
import type { Options } from '../model.ts';

/** Attributes by name. The contract has checked their types. */
export type Fields = Readonly<Record<string, unknown>>;

/** A text that the contract has checked. */
export const textOf = (fields: Fields, name: string): string => fields[name] as string;

/** The attributes that the API does not define: Keystone keeps them as they are. */
export function extraOf(fields: Fields, known: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !known.includes(name)));
}

/**
 * The attributes of a new resource: `a-b` and `a:b` become `a_b` in names. Upstream:
 * server/flask/common.py, _normalize_dict.
 */
export function normalized(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replace(/[:-]/g, '_'), value]),
  );
}

/** A boolean; the contract also allows it as a text such as `off`. */
export const booleanOf = (value: unknown): boolean =>
  typeof value === 'string' ? !/^(false|0|n|no|off|)$/i.test(value) : Boolean(value);

/** The resource options after a change; null removes an option. */
export function mergedOptions(before: Options, given: unknown): Options {
  return Object.fromEntries(
    Object.entries({ ...before, ...(given as Fields | undefined) }).filter(
      ([, value]) => value !== null,
    ),
  );
}

/** Refuses a change of the id, or of the domain where the resource belongs to one. @throws 400 */
export function refuseIdChange(
  fields: Fields,
  { id, domainId }: { readonly id: string; readonly domainId?: string | null },
): void {
  if ('id' in fields && fields['id'] !== id) throw badRequest('Cannot change ID');
  if (domainId !== undefined && 'domain_id' in fields && fields['domain_id'] !== domainId) {
    throw badRequest('Cannot change Domain ID');
  }
}
