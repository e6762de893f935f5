// The periods of usage audits. Upstream: utils.py last_completed_audit_period.
import type { Micros } from '../../../kernel/clock.ts';

/** The first moments of a month and of the next one, in the format of Python's `str()`. */
export interface Period {
  readonly begin: string;
  readonly end: string;
}

const [date, time] = [
  String.raw`(\d{4})-(1[0-2]|0?[1-9])-(3[01]|[12]\d|0?[1-9]| [1-9])`,
  String.raw`(2[0-3]|[01]?\d):([0-5]?\d):([0-5]?\d)(?:\.(\d{1,6}))?`,
];
const pattern = new RegExp(String.raw`^${date}\s+${time}$`);

/**
 * Parses a time like Python's strptime with `%Y-%m-%d %H:%M:%S`, and an optional fraction of a
 * second; undefined for any other text.
 */
export function readMoment(text: string): Date | undefined {
  const parts = pattern.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute, second] = parts.slice(1, 7).map(Number);
  // Any fraction counts as one millisecond: it only matters that it is later than the full second.
  const date = new Date(
    Date.UTC(year, month - 1, day, hour, minute, second, Number(parts[7] ?? 0) ? 1 : 0),
  );
  return date.getUTCMonth() === month - 1 && year >= 100 ? date : undefined;
}

/** The last month that ended before a time. */
export function lastPeriod(moment: Date): Period {
  const start = Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), 1);
  const first = new Date(
    start < moment.getTime()
      ? start
      : Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() - 1, 1),
  );
  const before = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 1, 1));
  return { begin: format(before), end: format(first) };
}

const format = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');

/** The length of a period. */
export const auditUnits = ['hour', 'day', 'month', 'year'] as const;
export type AuditUnit = (typeof auditUnits)[number];

/** Whether all periods of a unit have the same length. */
export const isConstant = (unit: AuditUnit): boolean => unit === 'hour' || unit === 'day';

/** The start of the period that lies some periods after the one that contains a time. */
function startOf(unit: AuditUnit, time: Micros, shift: number): Micros {
  const date = new Date(Math.floor(time / 1000));
  const parts = [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
  ] as const;
  const [year, month, day, hour] = parts;
  const milliseconds = {
    hour: Date.UTC(year, month, day, hour + shift),
    day: Date.UTC(year, month, day + shift),
    month: Date.UTC(year, month + shift),
    year: Date.UTC(year + shift, 0),
  }[unit];
  return milliseconds * 1000;
}

/** The start of the period that contains a time. */
export const startOfPeriod = (unit: AuditUnit, time: Micros): Micros => startOf(unit, time, 0);

/** The start of the period after the one that contains a time. */
export const startOfNext = (unit: AuditUnit, time: Micros): Micros => startOf(unit, time, 1);

/** The start of the period before the one that contains a time. */
export const startOfPrevious = (unit: AuditUnit, time: Micros): Micros => startOf(unit, time, -1);
