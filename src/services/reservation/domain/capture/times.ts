// Reads the times in replies of Blazar, which have no zone: they are in UTC.
import { timeOf } from '../../../../emulator/capture/fields.ts';

/** A time; null if the field has none. */
export const timestampIn = (value: unknown): number | null =>
  typeof value === 'string' ? timeOf(`${value.replace(' ', 'T')}Z`) : null;
