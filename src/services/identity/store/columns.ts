// How values stand in columns: JSON as text, and a null that a unique key is to cover as an empty text.

export const toJson = (value: unknown): string => JSON.stringify(value);

/** What was written by `toJson`: an object of names and values, or a list of texts. */
export const objectFrom = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
export const listFrom = (text: string): string[] => JSON.parse(text) as string[];

/** Null where the column holds nothing. */
export const orNull = (text: string | null): string | null => text || null;
