// How values stand in columns: JSON as text, booleans as 0 and 1, times as numbers.

export const fromJson = <T>(text: string | null): T | null =>
  text === null ? null : (JSON.parse(text) as T);
export const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);
export const numberOrNull = (value: number | string | null): number | null =>
  value === null ? null : Number(value);
