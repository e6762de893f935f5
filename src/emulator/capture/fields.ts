// Reads the fields of captured resources.
import { parseTime, type Micros } from '../../kernel/clock.ts';
import type { Json } from './model.ts';

/** A time; null if the field has none. */
export const timeOf = (value: unknown): Micros | null =>
  typeof value === 'string' ? (parseTime(value) ?? null) : null;

/** A text; null if the field is empty or absent. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** The entries of an object whose values are texts. */
export const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Json).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
