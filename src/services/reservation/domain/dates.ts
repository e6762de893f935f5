// The dates of Reservation: minutes on the way in, microseconds or seconds on the way out, always
// UTC.
import { isoMicros, isoSeconds, parseTime, SECOND, type Micros } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/errors.ts';

export const minute: Micros = 60 * SECOND;

/** The minute that a moment is in. */
export const minuteOf = (time: Micros): Micros => time - (time % minute);

/** The last moment that the clock goes to. */
const lastTime = parseTime('2200-01-01')!;

/**
 * Reads `2050-12-26 12:00`, or `now` for the current minute.
 * @throws 400 for anything else; Upstream: blazar/manager/service.py _date_from_string
 */
export function dateFrom(value: unknown, now: Micros): Micros {
  if (value === 'now') return minuteOf(now);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const invalid = badRequest(
    `${text.slice(0, 200)} is an invalid date. Required format: %Y-%m-%d %H:%M`,
  );
  const match =
    typeof value === 'string'
      ? /^(\d{4})-(\d{1,2})-(\d{1,2}) (\d{1,2}):(\d{1,2})$/.exec(value)
      : null;
  if (!match) throw invalid;
  const [, year, ...rest] = match;
  const [month, day, hour, minutes] = rest.map((part) => part.padStart(2, '0'));
  const time = parseTime(`${year}-${month}-${day}T${hour}:${minutes}`);
  if (time === undefined || hour === '24' || time < 0 || time > lastTime) throw invalid;
  return time;
}

/** `2050-12-26T12:00:00.000000`, of dates that leases and events have. */
export const dateText = (time: Micros): string => isoMicros(time).slice(0, -1);

/** `2026-01-01 10:00:00`, of when something was written. */
export const writtenText = (time: Micros | null): string | null =>
  time === null ? null : isoSeconds(time).slice(0, -1).replace('T', ' ');
