// Reads request bodies, which the contract has validated.
import { badRequest } from '../../../../kernel/errors.ts';
import { pythonTuple } from '../../../../kernel/oslo/python-repr.ts';
import type { VolumeCall } from '../../call.ts';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the object in the body under a noun, such as `volume`, or an empty object. `T` is its
 * type, which the contract has checked.
 */
export const bodyOf = <T = Fields>(call: VolumeCall, noun: string): T =>
  ((call.body as Fields)[noun] ?? {}) as T;

/**
 * Returns the first of these fields that the body has, without surrounding blanks. It is null for a
 * value that is not text, and undefined if the body has none of the fields.
 */
export function trimmed(fields: Fields, ...names: readonly string[]): string | null | undefined {
  const name = names.find((one) => Object.hasOwn(fields, one));
  if (name === undefined) return undefined;
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : null;
}

/** Returns the name and the description of a volume or a snapshot, if the body changes them. */
export function changedTexts(fields: Fields): {
  name?: string | null;
  description?: string | null;
} {
  const name = trimmed(fields, 'name', 'display_name');
  const description = trimmed(fields, 'description', 'display_description');
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  };
}

/** Returns a name without surrounding blanks. @throws 400 if it is empty or too long */
export function requiredName(value: string): string {
  const name = value.trim();
  const invalid = (why: string): Error =>
    badRequest(`An invalid 'name' value was provided. The 'name' can not be ${why}.`);
  if (!value) throw invalid('None');
  if (!name) throw invalid('empty');
  if (name.length > 255) throw invalid('greater than 255 characters');
  return name;
}

/** Extra specs in a body. */
export type SpecsBody = Readonly<Record<string, string | null>>;

/** Returns extra specs in the form that is stored, with empty text for null. */
export const readSpecs = (specs: SpecsBody): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(specs).map(([name, value]) => [name, value ?? '']));

/** @throws 400 if a name begins or ends with a blank, or consists of blanks */
export function checkPrintable(name: string): void {
  if (name !== name.trim() || !name)
    throw badRequest(
      "An invalid 'name' value was provided. The name must be: printable characters. Can not " +
        'start or end with whitespace.',
    );
}

/**
 * Reads a status in any case.
 * @param messages the prefix of both messages, that of an unknown status, and the statuses it lists
 * @throws 400
 */
export function statusIn<S extends string>(
  statuses: readonly S[],
  value: string,
  messages: {
    readonly prefix: string;
    readonly invalid: string;
    readonly listed: readonly string[];
  },
): S {
  const { prefix, invalid, listed } = messages;
  if (!value.trim()) throw badRequest(`${prefix}The 'status' can not be empty.`);
  const status = statuses.find((one) => one === value.toLowerCase());
  if (status) return status;
  throw badRequest(`${prefix}${invalid}${pythonTuple(listed)}.`);
}
