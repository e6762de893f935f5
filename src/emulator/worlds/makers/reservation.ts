// Makes leases.
import { parseTime } from '../../../kernel/clock.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { Json, RegionClient } from '../client.ts';
import type { LeaseEntry } from '../model.ts';
import { each, given, type At } from './model.ts';

const minute = 60_000;
const units: Readonly<Record<string, number>> = {
  m: minute,
  h: 60 * minute,
  d: 1440 * minute,
  w: 7 * 1440 * minute,
};

/** The milliseconds of a duration such as `90m` or `7d`. */
const durationOf = (text: string): number => Number(text.slice(0, -1)) * units[text.at(-1)!]!;

/** A time as Blazar reads it: in UTC, to the minute. */
const blazarTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');

export const makeLeases = (
  region: RegionClient,
  entries: readonly LeaseEntry[],
  at: At,
): Promise<number> =>
  each(entries, at, async (lease) => {
    const { name, project, start = 'now', for: length = '24h' } = lease;
    const clock = await region.client.ask('GET', '/_emulator/clock');
    const now = Date.parse(String(clock['now']));
    const begin = startOf(start, now);
    await region.ask('POST', '/reservation/v1/leases', {
      project,
      body: {
        name,
        start_date: start === 'now' ? 'now' : blazarTime(begin),
        end_date: blazarTime(begin + durationOf(length)),
        reservations: reservationsOf(lease),
        events: [],
      },
    });
  });

function startOf(start: string, now: number): number {
  if (start === 'now') return now;
  if (start.startsWith('+')) return now + durationOf(start.slice(1));
  const time = parseTime(start);
  if (time === undefined) throw badRequest(`'${start}' is not a time.`);
  return time / 1000;
}

function reservationsOf({ hosts, instances }: LeaseEntry): readonly Json[] {
  const {
    min,
    max,
    properties = '',
  } = typeof hosts === 'number' ? { min: hosts, max: hosts } : (hosts ?? { min: 0, max: 0 });
  const ofHosts = {
    resource_type: 'physical:host',
    min,
    max,
    hypervisor_properties: '',
    resource_properties: properties,
  };
  return [
    ...(hosts === undefined ? [] : [ofHosts]),
    ...(instances
      ? [
          given({
            resource_type: 'virtual:instance',
            disk_gb: 0,
            affinity: null,
            resource_properties: '',
            ...instances,
          }),
        ]
      : []),
  ];
}
