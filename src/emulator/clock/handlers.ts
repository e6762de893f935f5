// The clock: read, freeze, set, advance.
import { moveClock } from './clock.ts';
import {
  emulatedNow,
  isoMicros,
  machineNow,
  parseTime,
  SECOND,
  type ClockSetting,
  type Micros,
} from '../../kernel/clock.ts';
import { ok } from '../../kernel/http/reply.ts';
import { badRequest } from '../../kernel/errors.ts';
import type { Call, Reply } from '../../kernel/model.ts';

const view = (setting: ClockSetting): object => ({
  now: isoMicros(emulatedNow(setting)),
  frozen: setting.frozenAt !== null,
  ahead_seconds: (emulatedNow(setting) - machineNow()) / SECOND,
});

export async function show(call: Call): Promise<Reply> {
  return ok(view((await call.cloud.sharedState.refresh()).clock));
}

/**
 * PUT /_emulator/clock: sets the time, freezes the clock or lets it run. A field that is left out
 * stays as it is.
 * @throws 400
 */
export async function update(call: Call): Promise<Reply> {
  const body = call.body as { now?: string; frozen?: boolean };
  const { clock } = await call.cloud.sharedState.refresh();
  const now = body.now === undefined ? emulatedNow(clock) : timeOf('now', body.now);
  return set(call, now, body.frozen ?? clock.frozenAt !== null);
}

const settingAt = (now: Micros, frozen: boolean): ClockSetting =>
  frozen ? { frozenAt: now, offset: 0 } : { frozenAt: null, offset: now - machineNow() };

/**
 * The latest time. Beyond it a double no longer holds microseconds exactly; the years in between
 * are for jobs due later.
 */
const lastTime = parseTime('2200-01-01')!;

async function set(call: Call, now: Micros, frozen: boolean): Promise<Reply> {
  if (now < 0 || now > lastTime) throw badRequest('The clock goes from 1970-01-01 to 2200-01-01.');
  const setting = settingAt(now, frozen);
  await moveClock(call.cloud, setting);
  return ok(view(setting));
}

const units = { weeks: 604_800, days: 86_400, hours: 3_600, minutes: 60, seconds: 1 } as const;

/**
 * POST /_emulator/clock/advance: moves the clock forward by a duration or to a time. Every job that
 * becomes due is done before the reply.
 * @throws 400
 */
export async function advance(call: Call): Promise<Reply> {
  const body = call.body as Partial<Record<keyof typeof units, number>> & { to?: string };
  const { clock } = await call.cloud.sharedState.refresh();
  const before = emulatedNow(clock);
  const by = Object.entries(units).reduce(
    (sum, [unit, length]) => sum + (body[unit as keyof typeof units] ?? 0) * length,
    0,
  );
  const now = (body.to === undefined ? before : timeOf('to', body.to)) + Math.round(by * SECOND);
  if (now < before)
    throw badRequest(
      `The clock is at ${isoMicros(before)} and does not run backwards here. PUT /_emulator/clock sets it to any time.`,
    );
  return set(call, now, clock.frozenAt !== null);
}

function timeOf(name: string, text: string): Micros {
  const time = parseTime(text);
  if (time === undefined)
    throw badRequest(`'${text}' in ${name} is no time. Use one such as 2026-11-20T12:00:00Z.`);
  return time;
}
