// A lease of hosts that a user thinks of: what is asked, what Reservation says about it, and the
// action that creates it.
import { quoted, type Action } from '../../core/actions.ts';
import { service } from '../../core/session.ts';
import { counted, dayTime } from '../../parts/text.ts';

/** The hosts and the time that the user asks for. */
export interface Asked {
  readonly hosts: number;
  /** In the format of Reservation, such as `2026-11-20 12:00`. */
  readonly start: string;
  readonly end: string;
}

/** What Reservation says about a lease that does not exist. */
export interface Explanation {
  readonly fits: boolean;
  readonly resources: readonly {
    readonly resource_id: string;
    readonly hypervisor_hostname: string;
    readonly causes: readonly { readonly text: string }[];
  }[];
  readonly next: { readonly start_date: string; readonly end_date: string } | null;
  readonly largest: number;
  readonly changes: readonly { readonly text: string }[] | null;
  readonly enforcement: { readonly max_lease_duration: number } | null;
}

const unitSizes: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The milliseconds in a text such as `2d`; undefined for any other text. */
function durationIn(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * unitSizes[unit]!;
}

/** The time in a text such as `now`, `+2d` or `2026-11-20 12:00`; undefined for any other text. */
function timeIn(text: string, now: number): number | undefined {
  if (text === '' || text === 'now') return now;
  if (text.startsWith('+')) {
    const span = durationIn(text.slice(1));
    return span === undefined ? undefined : now + span;
  }
  const isDate = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d)?$/.test(text);
  const time = Date.parse(`${text.replace(' ', 'T')}${text.length > 10 ? '' : 'T00:00'}Z`);
  return isDate && !Number.isNaN(time) ? time : undefined;
}

const dateOf = (time: number): string => dayTime(new Date(time).toISOString());

/**
 * Reads what the user asks for.
 * @returns what is wrong with it; undefined without a number of hosts
 */
export function askedBy(
  { hosts = '', start = '', for: length = '1d' }: Readonly<Record<string, string>>,
  now: number,
): Asked | string | undefined {
  if (hosts === '') return undefined;
  if (!/^[1-9]\d{0,5}$/.test(hosts)) return 'Enter a number of hosts.';
  const from = timeIn(start, now);
  if (from === undefined) return 'Start at a time such as now, +2d or 2026-12-01 12:00.';
  const span = durationIn(length);
  if (!span) return 'Enter how long the lease lasts, such as 12h or 5d.';
  return { hosts: Number(hosts), start: dateOf(from), end: dateOf(from + span) };
}

const reservationOf = ({ hosts }: Asked): object => ({
  resource_type: 'physical:host',
  min: hosts,
  max: hosts,
  hypervisor_properties: '',
  resource_properties: '',
});

/** Asks Reservation about a lease, without creating it. */
export async function explainLease(
  prefix: string,
  asked: Asked,
  signal: AbortSignal,
): Promise<Explanation> {
  const { explanation } = await service<{ explanation: Explanation }>(
    `${prefix}/reservation/availability/explain`,
    {
      method: 'POST',
      signal,
      body: {
        reservation: reservationOf(asked),
        start_date: asked.start,
        end_date: asked.end,
      },
    },
  );
  return explanation;
}

/** Creates the lease. */
export const reserveAction = (asked: Asked, prefix: string, region: string | undefined): Action => {
  const { hosts, start, end } = asked;
  const name = `${counted(hosts, 'host')} from ${start}`;
  const path = `${prefix}/reservation/v1/leases`;
  let id = '';
  return {
    text: `The lease '${name}' exists.`,
    command: createCommand(asked, name, region),
    run: async () => {
      const { lease } = await service<{ lease: { id: string } }>(path, {
        method: 'POST',
        body: {
          name,
          start_date: start,
          end_date: end,
          reservations: [reservationOf(asked)],
          events: [],
        },
      });
      ({ id } = lease);
    },
    inverse: () => ({
      text: `The lease '${name}' is deleted.`,
      command: `openstack reservation lease delete ${id}`,
      run: () => service(`${path}/${id}`, { method: 'DELETE' }),
    }),
  };
};

const createCommand = ({ hosts, start, end }: Asked, name: string, region: string | undefined) =>
  [
    'openstack',
    ...(region === undefined ? [] : ['--os-region-name', quoted(region)]),
    'reservation lease create --reservation',
    `'resource_type=physical:host,min=${hosts},max=${hosts},hypervisor_properties=,` +
      "resource_properties='",
    `--start-date '${start}' --end-date '${end}' '${name}'`,
  ].join(' ');
