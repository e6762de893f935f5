// Times as Tricircle writes them.
import { isoSeconds, type Micros } from '../../../kernel/clock.ts';

/** `2026-11-20 12:00:00`, as pecan writes Python's datetimes. */
export const timeView = (time: Micros): string => isoSeconds(time).slice(0, 19).replace('T', ' ');

export const timeViewOrNull = (time: Micros | null): string | null =>
  time === null ? null : timeView(time);
