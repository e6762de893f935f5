// Handlers of /_emulator/clock: show, set, freeze and advance the clock.
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

/** GET /_emulator/clock */
export async function show(call: Call): Promise<Reply> {
  return ok(view((await call.cloud.sharedState.refresh()).clock));
}

/**
 * PUT /_emulator/clock: sets the time, and freezes or unfreezes the clock. Omitted fields keep
 * their values.
 * @throws 400
 */
export function update(call: Call): Promise<Reply> {
  const body = call.body as { now?: string; frozen?: boolean };
  const now = body.now === undefined ? undefined : timeOf('now', body.now);
  return move(call, (clock) =>
    settingAt(now ?? emulatedNow(clock), body.frozen ?? clock.frozenAt !== null),
  );
}

/**
 * The latest time that clients can set. A double holds exact microseconds up to the year 2255; the
 * margin is for jobs that become due after the clock's time.
 */
const latestTime = parseTime('2200-01-01')!;

/** @throws 400 for a time out of range */
function settingAt(now: Micros, frozen: boolean): ClockSetting {
  if (now < 0 || now > latestTime)
    throw badRequest('The clock cannot leave the range from 1970-01-01 to 2200-01-01.');
  return frozen ? { frozenAt: now, offset: 0 } : { frozenAt: null, offset: now - machineNow() };
}

async function move(call: Call, next: (clock: ClockSetting) => ClockSetting): Promise<Reply> {
  const { setting, run, skipped, setAside } = await moveClock(call.cloud, next);
  return ok({
    ...view(setting),
    jobs_run: run,
    rounds_skipped: skipped,
    jobs_set_aside: setAside,
  });
}

const units = { weeks: 604_800, days: 86_400, hours: 3_600, minutes: 60, seconds: 1 } as const;

/**
 * POST /_emulator/clock/advance: moves the clock forward by a duration or to a time, and runs all
 * jobs that become due before it replies.
 * @throws 400
 */
export function advance(call: Call): Promise<Reply> {
  const body = call.body as Partial<Record<keyof typeof units, number>> & { to?: string };
  const to = body.to === undefined ? undefined : timeOf('to', body.to);
  const by = Object.entries(units).reduce(
    (sum, [unit, length]) => sum + (body[unit as keyof typeof units] ?? 0) * length,
    0,
  );
  return move(call, (clock) => {
    const before = emulatedNow(clock);
    const now = (to ?? before) + Math.round(by * SECOND);
    if (now < before)
      throw badRequest(
        `The clock is at ${isoMicros(before)}, and advance cannot move it back. Use PUT ` +
          '/_emulator/clock to set it to an earlier time.',
      );
    return settingAt(now, clock.frozenAt !== null);
  });
}

function timeOf(name: string, text: string): Micros {
  const time = parseTime(text);
  if (time === undefined)
    throw badRequest(
      `'${text}' in ${name} is not a time. Use ISO 8601, such as 2026-11-20T12:00:00Z.`,
    );
  return time;
}
