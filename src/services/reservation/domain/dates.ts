// The formats of dates: minutes in requests, microseconds or seconds in replies, always in UTC.
import { isoMicros, isoSeconds, parseTime, SECOND, type Micros } from '../../../kernel/clock.ts';
import { badRequest, type ApiError } from '../../../kernel/errors.ts';

export const minute: Micros = 60 * SECOND;

/** The start of the minute that contains a time. */
export const minuteOf = (time: Micros): Micros => time - (time % minute);

/** The latest time of the emulator's clock. */
const lastTime = parseTime('2200-01-01')!;

/**
 * Reads `2050-12-26 12:00`, or `now` for the current minute.
 * @throws 400 for anything else; Upstream: blazar/manager/service.py _date_from_string
 */
export function readDate(value: unknown, now: Micros): Micros {
  if (value === 'now') return minuteOf(now);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const invalid = (): ApiError =>
    badRequest(`${text.slice(0, 200)} is an invalid date. Required format: %Y-%m-%d %H:%M`);
  const match =
    typeof value === 'string'
      ? /^(\d{4})-(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{1,2})$/.exec(value)
      : null;
  if (!match) throw invalid();
  const [, year, ...rest] = match;
  const [month, day, hour, minutes] = rest.map((part) => part.padStart(2, '0'));
  const time = parseTime(`${year}-${month}-${day}T${hour}:${minutes}`);
  if (time === undefined || hour === '24' || time < 0 || time > lastTime) throw invalid();
  return time;
}

/** Formats the date of a lease or event: `2050-12-26T12:00:00.000000`. */
export const dateText = (time: Micros): string => isoMicros(time).slice(0, -1);

/** Formats `created_at` and `updated_at`: `2026-01-01 10:00:00`. */
export const timestampText = (time: Micros | null): string | null =>
  time === null ? null : isoSeconds(time).slice(0, -1).replace('T', ' ');
