// The views of calendars and explanations. They do not include the owners of reservations, which
// administrators see in other views.
import type { Calendar, Explanation } from '../domain/availability.ts';
import { dateText } from '../domain/dates.ts';
import type { Span } from '../model.ts';

export const spanView = ({ startAt, endAt }: Span): object => ({
  start_date: dateText(startAt),
  end_date: dateText(endAt),
});

export const calendarView = ({ resourceType, resourceId, reservable, busy }: Calendar): object => ({
  resource_type: resourceType,
  resource_id: resourceId,
  reservable,
  busy: busy.map(({ slots, ...span }) => ({
    resource_type: span.resourceType,
    amount: slots,
    ...spanView(span),
  })),
});

/** Includes the names of hosts for administrators only. */
export const explanationView = ({ fits, evaluations }: Explanation, isAdmin: boolean): object => ({
  fits,
  resources: evaluations.map(({ host, slots, reason = null }) => ({
    resource_id: String(host.id),
    ...(isAdmin ? { hypervisor_hostname: host.hypervisorHostname } : {}),
    amount: slots,
    reason,
  })),
});
