// Reading a body that the contract has allowed.
import { badRequest } from '../../../../kernel/errors.ts';
import type { VolumeCall } from '../../call.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The object in the body under a noun, such as `volume`; empty where there is none. */
export const bodyOf = (call: VolumeCall, noun: string): Fields =>
  ((call.body as Fields)[noun] ?? {}) as Fields;

/**
 * The first of these fields that the body has, without blanks around it: null for what is not text,
 * undefined where it has none.
 */
export function trimmed(fields: Fields, ...names: readonly string[]): string | null | undefined {
  const name = names.find((one) => Object.hasOwn(fields, one));
  if (name === undefined) return undefined;
  const value = fields[name];
  return typeof value === 'string' ? value.trim() : null;
}

/** The name and the description of a volume or a snapshot, as far as the body changes them. */
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

/** A name that must not be empty, without blanks around it. @throws 400 */
export function requiredName(value: string): string {
  const name = value.trim();
  const refused = (why: string): Error =>
    badRequest(`An invalid 'name' value was provided. The 'name' can not be ${why}.`);
  if (!value) throw refused('None');
  if (!name) throw refused('empty');
  if (name.length > 255) throw refused('greater than 255 characters');
  return name;
}

/** Extra specs as a body gives them. */
export type GivenSpecs = Readonly<Record<string, string | null>>;

/** Extra specs as they are stored: null is empty text. */
export const specsOf = (specs: GivenSpecs): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(specs).map(([name, value]) => [name, value ?? '']));
