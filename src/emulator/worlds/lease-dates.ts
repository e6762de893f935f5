// The dates of a lease in worlds, traces and questions: a start such as `+2d`, and a duration such as
// `24h`.
import { parseTime } from '../../kernel/clock.ts';
import { badRequest } from '../../kernel/errors.ts';

const minute = 60_000;
const units: Readonly<Record<string, number>> = {
  m: minute,
  h: 60 * minute,
  d: 1440 * minute,
  w: 7 * 1440 * minute,
};

/** When a lease starts, and how long it lasts. */
export interface LeaseSpan {
  /** `now` (the default), `+2d`, or a time such as `2026-11-20T12:00:00Z`. */
  readonly start?: string | undefined;
  /** A duration such as `90m` or `7d`; a day by default. */
  readonly for?: string | undefined;
}

/**
 * The dates of a lease as Blazar reads them: in UTC, to the minute.
 * @param now the time of the cloud in milliseconds
 * @throws 400 if the start is not a time
 */
export function leaseDates(
  { start = 'now', for: length = '24h' }: LeaseSpan,
  now: number,
): { readonly start_date: string; readonly end_date: string } {
  const begin = startOf(start, now);
  return {
    start_date: start === 'now' ? 'now' : blazarTime(begin),
    end_date: blazarTime(begin + durationOf(length)),
  };
}

function startOf(start: string, now: number): number {
  if (start === 'now') return now;
  if (start.startsWith('+')) return now + durationOf(start.slice(1));
  const time = parseTime(start);
  if (time === undefined) throw badRequest(`'${start}' is not a time.`);
  return time / 1000;
}

const durationOf = (text: string): number => Number(text.slice(0, -1)) * units[text.at(-1)!]!;

const blazarTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');
