// Reads the fields of bodies: types, lengths and numbers.

export type Fields = Readonly<Record<string, unknown>>;

/** The object under a key of the body; undefined if it is absent or another type. */
export function objectUnder(body: Fields, key: string): Fields | undefined {
  const value = Object.hasOwn(body, key) ? body[key] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

/** Whether a text has more code points, which the database counts, than allowed. */
export const isLonger = (text: string, max: number): boolean =>
  text.length > max && Array.from(text).length > max;

/** Reads a text, and trims it; undefined if it is blank or another type. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * Parses an integer as Python's `int()` does; undefined if the text is invalid. Limited to the safe
 * integers.
 */
export function pythonInt(text: string): number | undefined {
  const digits = text.trim();
  if (!/^[+-]?\d+(_\d+)*$/.test(digits)) return undefined;
  const value = Number(digits.replaceAll('_', ''));
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}
