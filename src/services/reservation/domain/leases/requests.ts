// What a request says of a lease, read in the order in which upstream refuses it. Upstream:
// blazar/manager/service.py create_lease and update_lease.
import type { Micros } from '../../../../kernel/clock.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { dateFrom, minuteOf } from '../dates.ts';
import type { Span } from '../../model.ts';
import { lengthOf, malformed, missing, valuesOf, type Values } from '../values.ts';

export interface LeaseRequest extends Span {
  readonly name: string;
  /** What is asked for, each with its type. */
  readonly reservations: readonly AskedReservation[];
  readonly beforeEnd: unknown;
  /** The types of the events that the client has put down. */
  readonly events: readonly string[];
}

export interface AskedReservation {
  readonly resourceType: string;
  readonly values: Values;
}

/** The most reservations and events of a lease. */
const mostParts = 1000;

/** @throws 400 */
export function readLease(body: unknown, now: Micros): LeaseRequest {
  const values = valuesOf(body);
  const absent = ['name', 'start_date', 'end_date'].filter(
    (key) => values[key] === undefined || values[key] === null,
  );
  if (absent.length) throw missing(...absent);
  const name = readName(values['name']);
  const reservations = listOf(values, 'reservations').map((item) => {
    const { resource_type: resourceType, ...own } = valuesOf(item, 'reservations');
    if (typeof resourceType !== 'string' || resourceType === '') throw missing('resource_type');
    return { resourceType, values: own };
  });
  const startAt = dateFrom(values['start_date'], now);
  const endAt = dateFrom(values['end_date'], now);
  if (startAt < minuteOf(now)) throw badRequest('Start date must be later than current date');
  if (endAt <= startAt) throw badRequest('End date must be later than start date.');
  const events = listOf(values, 'events').map((item) => {
    const { event_type: type = '' } = valuesOf(item, 'events');
    if (typeof type !== 'string' || type.length > 66) throw malformed('event_type');
    return type;
  });
  return {
    name,
    startAt,
    endAt,
    reservations,
    beforeEnd: values['before_end_date'] ?? undefined,
    events,
  };
}

export function readName(value: unknown): string {
  if (typeof value !== 'string' || lengthOf(value) > 80) throw malformed('name');
  return value;
}

function listOf(values: Values, key: string): readonly unknown[] {
  const list = values[key] ?? [];
  if (!Array.isArray(list) || list.length > mostParts) throw malformed(key);
  return list as unknown[];
}

/** What a request changes of a lease. What it does not name stays; other keys are passed over. */
export interface LeaseChange {
  readonly name: string | undefined;
  /** Whether there is anything but the name. */
  readonly isRename: boolean;
  readonly startDate: unknown;
  readonly endDate: unknown;
  readonly beforeEnd: unknown;
  /** By the ids of the reservations. */
  readonly reservations: readonly Values[];
}

/** @throws 400 */
export function readChange(body: unknown): LeaseChange {
  const values = valuesOf(body);
  const others = ['start_date', 'end_date', 'before_end_date', 'reservations'].filter(
    (key) => (values[key] ?? null) !== null,
  );
  return {
    name:
      values['name'] === undefined || values['name'] === null
        ? undefined
        : readName(values['name']),
    isRename: !others.length,
    startDate: values['start_date'] ?? undefined,
    endDate: values['end_date'] ?? undefined,
    beforeEnd: values['before_end_date'] ?? undefined,
    reservations: listOf(values, 'reservations').map((item) => valuesOf(item, 'reservations')),
  };
}
