// How values stand in columns: JSON as text, booleans as 0 and 1, times as numbers.

export const fromJson = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));
export const toJson = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));
export const numberOrNull = (value: number | string | null): number | null => (value === null ? null : Number(value));

/** How many values one query may name: MySQL and SQLite have limits of their own. */
const most = 200;

/** The values in parts, for `where in`. */
export function inParts<T>(values: readonly T[]): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < values.length; at += most) parts.push(values.slice(at, at + most));
  return parts;
}
