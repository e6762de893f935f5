// The views of calendars and explanations. They do not include the owners of reservations, which
// administrators see in other views.
import type { Calendar, Explanation } from '../domain/availability.ts';
import { dateText } from '../domain/dates.ts';
import { causeReason, causeView, changeView } from '../domain/explanation/describe.ts';
import { floatingIpType, type Span } from '../model.ts';

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

/** Includes the names of hosts and the leases in the way for administrators only. */
export const explanationView = (explanation: Explanation, isAdmin: boolean): object => {
  const { question, fits, resources, alternatives, tooLong, leases } = explanation;
  const { next, largest, changes } = alternatives;
  const isOfHosts = question.resourceType !== floatingIpType;
  return {
    fits,
    resources: resources.map(({ id, name, slots, causes }) => ({
      resource_id: id,
      ...(!isOfHosts ? { address: name } : isAdmin ? { hypervisor_hostname: name } : {}),
      amount: slots,
      reason: causes[0] ? causeReason(causes[0]) : null,
      causes: causes.map((cause) => causeView(cause, leases)),
    })),
    next: next ? spanView(next) : null,
    largest,
    changes: changes?.map((one) => changeView(one, leases, isAdmin)) ?? null,
    enforcement: tooLong
      ? { max_lease_duration: tooLong.longest, duration: tooLong.seconds }
      : null,
  };
};
