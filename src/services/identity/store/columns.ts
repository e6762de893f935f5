// How values stand in columns: JSON as text, and a null that a unique key is to cover as an empty text.

export const toJson = (value: unknown): string => JSON.stringify(value);

export const fromJson = <T>(text: string): T => JSON.parse(text) as T;

/** Null where the column holds nothing. */
export const orNull = (text: string | null): string | null => text || null;
