// Reads the bodies of requests for leases. Checks them in the same order as upstream:
// blazar/manager/service.py create_lease and update_lease.
import type { Micros } from '../../../../kernel/clock.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { readDate, minuteOf } from '../dates.ts';
import type { Span } from '../../model.ts';
import { countCharacters, malformed, missing, readObject, type Values } from '../values.ts';

export interface LeaseRequest extends Span {
  readonly name: string;
  readonly reservations: readonly RequestedReservation[];
  readonly beforeEnd: unknown;
  /** The types of the events that the client has added. */
  readonly events: readonly string[];
}

export interface RequestedReservation {
  readonly resourceType: string;
  /** The requested resources. */
  readonly values: Values;
}

/** The maximum number of reservations, and of events, of a lease. */
const maxListLength = 1000;

/** @throws 400 */
export function readLease(body: unknown, now: Micros): LeaseRequest {
  const values = readObject(body);
  const absent = ['name', 'start_date', 'end_date'].filter(
    (key) => values[key] === undefined || values[key] === null,
  );
  if (absent.length) throw missing(...absent);
  const name = readName(values['name']);
  const reservations = listOf(values, 'reservations').map((item) => {
    const { resource_type: resourceType, ...own } = readObject(item, 'reservations');
    if (typeof resourceType !== 'string' || resourceType === '') throw missing('resource_type');
    return { resourceType, values: own };
  });
  const startAt = readDate(values['start_date'], now);
  const endAt = readDate(values['end_date'], now);
  if (startAt < minuteOf(now)) throw badRequest('Start date must be later than current date');
  if (endAt <= startAt) throw badRequest('End date must be later than start date.');
  const events = listOf(values, 'events').map((item) => {
    const { event_type: type = '' } = readObject(item, 'events');
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
  if (typeof value !== 'string' || countCharacters(value) > 80) throw malformed('name');
  return value;
}

function listOf(values: Values, key: string): readonly unknown[] {
  const list = values[key] ?? [];
  if (!Array.isArray(list) || list.length > maxListLength) throw malformed(key);
  return list as unknown[];
}

/** The changes of a lease. Absent fields stay unchanged; unknown keys are ignored. */
export interface LeaseChange {
  readonly name: string | undefined;
  /** Whether the request changes the name only. */
  readonly isRename: boolean;
  readonly startDate: unknown;
  readonly endDate: unknown;
  readonly beforeEnd: unknown;
  /** The changes of reservations, each with the `id` of the reservation. */
  readonly reservations: readonly Values[];
}

/** @throws 400 */
export function readChange(body: unknown): LeaseChange {
  const values = readObject(body);
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
    reservations: listOf(values, 'reservations').map((item) => readObject(item, 'reservations')),
  };
}
