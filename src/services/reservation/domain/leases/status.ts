// Derives the status of a lease from its events. Upstream: blazar/status.py.
import { conflict, type ApiError } from '../../../../kernel/errors.ts';
import { endEvent, startEvent, type LeaseEvent, type LeaseStatus } from '../../model.ts';

/** The stable status of a lease with these events. */
export function derivedStatus(events: readonly LeaseEvent[]): LeaseStatus {
  const [start, end] = [startEvent, endEvent].map(
    (type) => events.find(({ eventType }) => eventType === type)?.status,
  );
  if (start === 'UNDONE' && end === 'UNDONE') return 'PENDING';
  if (start === 'DONE' && end === 'UNDONE') return 'ACTIVE';
  return start === 'DONE' && end === 'DONE' ? 'TERMINATED' : 'ERROR';
}

/** The event of a type, except those that a client has added, which have no status. */
export const eventOf = (events: readonly LeaseEvent[], type: string): LeaseEvent | undefined =>
  events.find(({ eventType, status }) => eventType === type && status !== null);

/** Whether the lease is starting or ending. */
export const isInTransition = (events: readonly LeaseEvent[]): boolean =>
  [startEvent, endEvent].some((type) => eventOf(events, type)?.status === 'IN_PROGRESS');

/** The error for an operation that the status does not allow. Upstream returns a 500. */
export const invalidStatus = (): ApiError => conflict('Invalid lease status.');
