// A record without one of its fields.
import type { Json } from '../model.ts';

/** The same fields but for one. */
export const without = (fields: Json, name: string): Json =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));
