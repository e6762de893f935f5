// Copies records without some of their fields.
import type { Json } from '../model.ts';

/** A copy of the fields without those named. */
export const without = (fields: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => !names.includes(key)));
