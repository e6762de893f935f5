// Calendars and explanations as a client sees them: who has what is told to administrators alone,
// elsewhere.
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
  busy: busy.map(({ slots, ...one }) => ({
    resource_type: one.resourceType,
    amount: slots,
    ...spanView(one),
  })),
});

/** The names of hosts are for administrators. */
export const explanationView = ({ fits, verdicts }: Explanation, isAdmin: boolean): object => ({
  fits,
  resources: verdicts.map(({ host, slots, reason = null }) => ({
    resource_id: String(host.id),
    ...(isAdmin ? { hypervisor_hostname: host.hypervisorHostname } : {}),
    amount: Math.min(slots, 2_147_483_647),
    reason,
  })),
});
