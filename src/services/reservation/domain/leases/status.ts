// The status of a lease, as its events have it. Upstream: blazar/status.py.
import { conflict, type ApiError } from '../../../../kernel/errors.ts';
import { endEvent, startEvent, type LeaseEvent, type LeaseStatus } from '../../model.ts';

/** The stable status that follows from how far the events are. */
export function derivedStatus(events: readonly LeaseEvent[]): LeaseStatus {
  const [start, end] = [startEvent, endEvent].map(
    (type) => events.find(({ eventType }) => eventType === type)?.status,
  );
  if (start === 'UNDONE' && end === 'UNDONE') return 'PENDING';
  if (start === 'DONE' && end === 'UNDONE') return 'ACTIVE';
  return start === 'DONE' && end === 'DONE' ? 'TERMINATED' : 'ERROR';
}

/** The event of a type that happens by itself. */
export const eventOf = (events: readonly LeaseEvent[], type: string): LeaseEvent | undefined =>
  events.find(({ eventType, status }) => eventType === type && status !== null);

/** Whether something is being done with the lease. */
export const isBusy = (events: readonly LeaseEvent[]): boolean =>
  [startEvent, endEvent].some((type) => eventOf(events, type)?.status === 'IN_PROGRESS');

/** Upstream answers with a 500. */
export const invalidStatus = (): ApiError => conflict('Invalid lease status.');
