// How numbers, ids and times are written.

/** `1,234`, or `12.5k` from ten thousand on. */
export const compact = (value: number): string =>
  Math.abs(value) >= 10_000
    ? `${(value / 1000).toFixed(Math.abs(value) >= 100_000 ? 0 : 1)}k`
    : Number.isInteger(value)
      ? value.toLocaleString('en')
      : value.toFixed(1);

/** `3 hosts`, `1 host`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;

/** The first part of a UUID, which is enough to tell a few apart. */
export const shortId = (id: string): string =>
  /^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id.length > 16 ? `${id.slice(0, 12)}…` : id;

/** `12:34:56`, in UTC as in every API. */
export const clockTime = (iso: string): string => iso.slice(11, 19);

/** `2026-11-20 12:34`. */
export const dayTime = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

/** `20 Nov 2026`. */
export const longDay = (iso: string): string =>
  new Date(iso).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });

/** `in 3 days`, `2 hours ago`. */
export function relative(iso: string, now: number): string {
  const seconds = (Date.parse(iso.endsWith('Z') ? iso : `${iso}Z`) - now) / 1000;
  const [size, unit] = (
    [
      [86_400, 'day'],
      [3_600, 'hour'],
      [60, 'minute'],
      [1, 'second'],
    ] as const
  ).find(([size]) => Math.abs(seconds) >= size) ?? [1, 'second'];
  return new Intl.RelativeTimeFormat('en').format(Math.trunc(seconds / size), unit);
}
