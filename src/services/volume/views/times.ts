// Times in the format of Cinder, with microseconds and without a time zone.
import { isoMicros, type Micros } from '../../../kernel/clock.ts';

export const timeView = (time: Micros): string => isoMicros(time).slice(0, -1);

export const timeOrNull = (time: Micros | null): string | null =>
  time === null ? null : timeView(time);
