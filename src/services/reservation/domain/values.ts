// Values of requests as Python reads them, and how they are refused.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';

/** What a request says of something, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** @throws 400 where it is no object */
export function valuesOf(value: unknown, what = 'body'): Values {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(what);
  return value as Values;
}

export const missing = (...names: readonly string[]): ApiError =>
  badRequest(`Missing parameter ${names.join(', ')}`);
export const malformed = (name: string): ApiError => badRequest(`Malformed parameter ${name}`);

/** The largest number that the tables take. */
export const largest = 2_147_483_647;

/** Reads an integer, or text that Python's int() reads as one; undefined for all else. */
export function integerOf(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && /^\s*[+-]?\d{1,10}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= largest
    ? number
    : undefined;
}

/** Reads an affinity: a boolean, a word for one, or none. @throws 400 for what is none of them */
export function affinityOf(value: unknown): boolean | null {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? null;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (/^none$/i.test(text)) return null;
  const read = boolFromString(text);
  if (read === undefined) throw malformed('affinity (must be a bool value or None)');
  return read;
}

/** Text, or JSON written as text; of nothing, nothing. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** JSON as Python writes it: a space after each comma and colon, and ASCII alone. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, one]) => `${pythonJson(key)}: ${pythonJson(one)}`)
      .join(', ')}}`;
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** How many characters a text has, as Python and the database count them. */
export const lengthOf = (text: string): number => Array.from(text).length;
