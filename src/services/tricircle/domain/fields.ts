// Reading the fields of bodies: what is missing, of the wrong type or too long.

export type Fields = Readonly<Record<string, unknown>>;

/** The object under a key of the body; undefined where there is none. */
export function objectUnder(body: Fields, key: string): Fields | undefined {
  const value = Object.hasOwn(body, key) ? body[key] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
}

/** Characters as the database counts them. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && Array.from(text).length > most;

/** A text without what surrounds it; undefined where it is none, or blank. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * A whole number as Python's `int()` reads a text; undefined where it is none. Larger ones are cut
 * off at what a number holds exactly.
 */
export function pythonInt(text: string): number | undefined {
  const digits = text.trim();
  if (!/^[+-]?\d+(_\d+)*$/.test(digits)) return undefined;
  const value = Number(digits.replaceAll('_', ''));
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}
