// The format of times.
import { isoSeconds, type Micros } from '../../../kernel/clock.ts';

/** Formats a time as pecan does: `2026-11-20 12:00:00`. */
export const timeView = (time: Micros): string => isoSeconds(time).slice(0, 19).replace('T', ' ');

export const timeViewOrNull = (time: Micros | null): string | null =>
  time === null ? null : timeView(time);
