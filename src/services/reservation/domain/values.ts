// Reads values of requests as Blazar's Python code does, and creates the errors for invalid ones.
import { badRequest, type ApiError } from '../../../kernel/errors.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';

/** The values of a JSON object, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Reads a JSON object. @throws 400 if it is another type */
export function readObject(value: unknown, name = 'body'): Values {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(name);
  return value as Values;
}

export const missing = (...names: readonly string[]): ApiError =>
  badRequest(`Missing parameter ${names.join(', ')}`);
export const malformed = (name: string): ApiError => badRequest(`Malformed parameter ${name}`);

/** The largest integer that fits the columns. */
export const maxInteger = 2_147_483_647;

/** Reads an integer, or text that Python's int() accepts; undefined for anything else. */
export function readInteger(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && /^\s*[+-]?\d{1,10}\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= maxInteger
    ? number
    : undefined;
}

/** Reads an affinity: a boolean, text that oslo.utils reads as one, or null. @throws 400 */
export function readAffinity(value: unknown): boolean | null {
  if (value === undefined || value === null || typeof value === 'boolean') return value ?? null;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (/^none$/i.test(text)) return null;
  const affinity = boolFromString(text);
  if (affinity === undefined) throw malformed('affinity (must be a bool value or None)');
  return affinity;
}

/** Converts a value to text: JSON unless it is text already, and '' for null or undefined. */
export function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Formats JSON as Python does: with a space after each comma and colon, and in ASCII only. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, member]) => `${pythonJson(key)}: ${pythonJson(member)}`)
      .join(', ')}}`;
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Counts code points, as Python and the database do. */
export const countCharacters = (text: string): number => Array.from(text).length;
