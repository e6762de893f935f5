// How values are stored in columns: JSON as text, and null as an empty text where a unique key
// includes the column.

/** A value as JSON. */
export const toJson = (value: unknown): string => JSON.stringify(value);

/** An object that `toJson` has written. */
export const objectFrom = (text: string): Record<string, unknown> =>
  JSON.parse(text) as Record<string, unknown>;
/** A list of texts that `toJson` has written. */
export const listFrom = (text: string): string[] => JSON.parse(text) as string[];

/**
 * What a name is looked up by, and unique by: its case does not matter, as in the collations that
 * upstream's tables have on MySQL.
 */
export const nameKey = (name: string): string => name.toLowerCase();

/** Null where the column is empty. */
export const orNull = (text: string | null): string | null => text || null;
