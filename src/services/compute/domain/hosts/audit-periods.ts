// The periods of usage audits: calendar months. Upstream: utils.py last_completed_audit_period.

/** From the first moment of a month to that of the next, as Python prints them. */
export interface Period {
  readonly begin: string;
  readonly end: string;
}

const format =
  /^(\d{4})-(1[0-2]|0?[1-9])-(3[01]|[12]\d|0?[1-9]| [1-9])\s+(2[0-3]|[01]?\d):([0-5]?\d):([0-5]?\d)(?:\.(\d{1,6}))?$/;

/**
 * Reads what Python's strptime reads by `%Y-%m-%d %H:%M:%S`, with or without a fraction; undefined
 * for all else.
 */
export function readMoment(text: string): Date | undefined {
  const parts = format.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour, minute, second] = parts.slice(1, 7).map(Number);
  // A fraction only makes the moment later than its second.
  const date = new Date(
    Date.UTC(year, month - 1, day, hour, minute, second, Number(parts[7] ?? 0) ? 1 : 0),
  );
  return date.getUTCMonth() === month - 1 && year >= 100 ? date : undefined;
}

/** The last month that was completed before a time. */
export function lastPeriod(moment: Date): Period {
  const start = Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), 1);
  const first = new Date(
    start < moment.getTime()
      ? start
      : Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() - 1, 1),
  );
  const before = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 1, 1));
  return { begin: printed(before), end: printed(first) };
}

const printed = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');
