// Capacity over time: how much fits after each start and end of a lease, in a copy of the cloud
// whose clock is moved.
import { isoMicros, parseTime, SECOND, type Micros } from '../../kernel/clock.ts';
import { badRequest } from '../../kernel/errors.ts';
import { tableLines } from '../../kernel/user/table.ts';
import type { Json, RegionClient } from '../worlds/client.ts';
import type { Answer, Question } from './model.ts';
import { answer } from './questions.ts';

/** How many times are looked at, at most. */
const maxTimes = 500;

/** What fits from a time on. */
export interface Period extends Answer {
  readonly from: string;
}

/**
 * Answers a question now and after each start and end of a lease, up to a time. Successive equal
 * answers are one period.
 * @throws 400 if the time is not after the cloud's
 */
export async function periodsUntil(
  region: RegionClient,
  question: Question,
  until: Micros,
): Promise<Period[]> {
  const clock = await region.client.ask('GET', '/_emulator/clock');
  const now = parseTime(String(clock['now']))!;
  if (until <= now) throw badRequest(`until must be after the cloud's time, ${isoMicros(now)}.`);
  const periods: Period[] = [{ from: isoMicros(now), ...(await answer(region, question)) }];
  for (const time of await changesOf(region, now, until)) {
    // Jobs that are due at this time have run a second later.
    const to = isoMicros(time + SECOND);
    await region.client.ask('POST', '/_emulator/clock/advance', { body: { to } });
    const next = await answer(region, question);
    const last = periods.at(-1)!;
    if (next.count !== last.count || next.text !== last.text)
      periods.push({ from: isoMicros(time), ...next });
  }
  return periods;
}

/** The times at which leases start and end, in order. */
async function changesOf(region: RegionClient, now: Micros, until: Micros): Promise<Micros[]> {
  const { leases } = await region.ask('GET', '/reservation/v1/leases');
  const times = (leases as readonly Json[])
    .flatMap((lease) => [lease['start_date'], lease['end_date']])
    .map((date) => parseTime(`${String(date)}Z`)!)
    .filter((time) => time > now && time <= until);
  const distinct = [...new Set(times)].toSorted((one, other) => one - other);
  if (distinct.length > maxTimes)
    throw badRequest(
      `Leases start or end at ${distinct.length} times until then, and at most ${maxTimes} are ` +
        'looked at: give an earlier time.',
    );
  return distinct;
}

/** Renders the periods as a table. */
export const periodLines = (periods: readonly Period[]): string[] =>
  tableLines(
    ['FROM', 'FIT', 'THEN'],
    periods.map(({ from, count, text }) => [
      from.slice(0, 16).replace('T', ' '),
      count === null ? '-' : String(count),
      text,
    ]),
  );
