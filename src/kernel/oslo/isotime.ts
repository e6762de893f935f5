// Times in requests, as oslo.utils parses them. Upstream: parse_isotime in oslo_utils/timeutils.py,
// which is parse_date of the Python package iso8601.
import { SECOND, type Micros } from '../clock.ts';

/**
 * A year, a month or a day, with dashes or without; and after a day, hours, minutes, seconds, a
 * fraction and a zone. The lookahead at the end is Python's `$`, which ignores a last newline.
 */
const format = new RegExp(
  '^(?<year>[0-9]{4})' +
    '(?:(?:-(?<monthDash>[0-9]{1,2})|(?<month>[0-9]{2})(?!\\n?$))' +
    '(?:(?:-(?<dayDash>[0-9]{1,2})|(?<day>[0-9]{2}))' +
    '(?:[ T](?<hour>[0-9]{2})(?::?(?<minute>[0-9]{2}))?' +
    '(?::?(?<second>[0-9]{1,2})(?:[.,](?<fraction>[0-9]+))?)?' +
    '(?:Z|(?<sign>[-+])(?<zoneHour>[0-9]{2}):?(?<zoneMinute>[0-9]{2})?)?' +
    ')?)?)?(?=\\n?$)',
);

/**
 * Parses a time. Without a zone it is UTC, and digits after the microseconds are dropped.
 * @returns undefined if upstream refuses the text
 */
export function parseIsoTime(text: string): Micros | undefined {
  const parts = format.exec(text)?.groups;
  if (!parts) return undefined;
  const numberOf = (part: string | undefined, absent = 0): number =>
    part === undefined ? absent : Number(part);
  const [year, month, day] = [
    Number(parts['year']),
    numberOf(parts['month'] ?? parts['monthDash'], 1),
    numberOf(parts['day'] ?? parts['dayDash'], 1),
  ];
  const [hour, minute, second] = [parts['hour'], parts['minute'], parts['second']].map((part) =>
    numberOf(part),
  ) as [number, number, number];
  const [zoneHour, zoneMinute] = [numberOf(parts['zoneHour']), numberOf(parts['zoneMinute'])];
  if (!isDate(year, month, day) || hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = zoneHour * 60 + zoneMinute;
  if (offset >= 24 * 60) return undefined;
  const whole = new Date(0).setUTCFullYear(year, month - 1, day) / 1000;
  const east = parts['sign'] === '-' ? -offset : offset;
  const micros = Number((parts['fraction'] ?? '').slice(0, 6).padEnd(6, '0'));
  return (whole + (hour * 60 + minute - east) * 60 + second) * SECOND + micros;
}

/** Whether a date exists. Python's dates begin with the year 1. */
function isDate(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || day < 1) return false;
  const date = new Date(new Date(0).setUTCFullYear(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
