// Time: the only file that reads the machine's clock; and the time formats of OpenStack.

/** Microseconds since 1970, UTC. Fits a double exactly until the year 2255. */
export type Micros = number;

export const SECOND: Micros = 1_000_000;

/**
 * How the emulator's clock differs from the machine's. A frozen clock always shows `frozenAt`; a
 * running one is `offset` ahead of the machine's clock.
 */
export interface ClockSetting {
  readonly frozenAt: Micros | null;
  readonly offset: Micros;
}

export const realClock: ClockSetting = { frozenAt: null, offset: 0 };

/**
 * The machine's time, with the microseconds of the performance counter. The counter may be
 * milliseconds off: from the start if the machine was busy, and later if its clock is set. In that
 * case the result has no microseconds, but it still never goes backwards.
 */
export function machineNow(): Micros {
  const wall = Date.now() * 1000;
  const counted = Math.floor((performance.timeOrigin + performance.now()) * 1000);
  return Math.min(Math.max(counted, wall), wall + 999);
}

/**
 * Whether a machine's time is less than `span` from now, in the past or in the future: machines'
 * clocks differ a little. A time that is later comes from a clock that was wrong.
 */
export const isWithin = (span: Micros, time: Micros): boolean =>
  Math.abs(machineNow() - time) < span;

/**
 * A monotonic counter in milliseconds, for durations and cache ages. Clients never see it.
 */
export function ticks(): number {
  return performance.now();
}

/** The emulator's time with this setting. */
export function emulatedNow(setting: ClockSetting): Micros {
  return setting.frozenAt ?? machineNow() + setting.offset;
}

/** Resolves after some real time. Only back-off and waits between processes use it. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Resolves after some real time, without keeping the process alive. */
export function pauseUnref(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}

/** Runs a function after some real time. @returns a function that cancels it */
export function runAfter(milliseconds: number, run: () => Promise<void>): () => void {
  const timer = setTimeout(() => void run(), milliseconds);
  return () => clearTimeout(timer);
}

/** A promise that resolves to a value after some real time, unless it is cancelled before. */
export function deadline<T>(
  milliseconds: number,
  value: T,
): { readonly passed: Promise<T>; readonly cancel: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(value), milliseconds);
  });
  return { passed, cancel: () => clearTimeout(timer) };
}

/**
 * Lets the event loop handle other events. Long computations call it now and then, so that they do
 * not block other requests.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** `2026-11-20T05:12:54.000000Z`, as Keystone writes times. */
export function isoMicros(time: Micros): string {
  const micros = String(time % SECOND).padStart(6, '0');
  return `${isoSeconds(time).slice(0, -1)}.${micros}Z`;
}

/** `2026-11-20T05:12:54.000000`, as Python writes a time without a zone. */
export const naiveIso = (time: Micros): string => isoMicros(time).slice(0, -1);

/** The same, or null for null. */
export const naiveIsoOrNull = (time: Micros | null): string | null =>
  time === null ? null : naiveIso(time);

/** `2026-11-20T05:12:54Z`. */
export function isoSeconds(time: Micros): string {
  return `${new Date(Math.floor(time / SECOND) * 1000).toISOString().slice(0, 19)}Z`;
}

/** `06:12:54`, the time of day in the zone of this machine, from a time in ISO 8601. */
export const localTime = (iso: string): string => new Date(iso).toTimeString().slice(0, 8);

/** `Fri, 20 Nov 2026 05:12:54 GMT`, as in Last-Modified. */
export function httpDate(time: Micros): string {
  return new Date(Math.floor(time / SECOND) * 1000).toUTCString();
}

/**
 * Parses a time in ISO 8601, with or without fraction and zone (none means UTC).
 * @returns undefined if the text is not a time
 */
export function parseTime(text: string): Micros | undefined {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i.exec(
      text.trim(),
    );
  if (!match) return undefined;
  const [, day, clock = '00:00', fraction = '', zone = 'Z'] = match;
  const whole = Date.parse(`${day}T${clock}${zone.toUpperCase()}`);
  // Date parses 30 February as 2 March.
  const exists = new Date(`${day}T00:00Z`).toJSON()?.startsWith(day!);
  return !exists || Number.isNaN(whole)
    ? undefined
    : whole * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
