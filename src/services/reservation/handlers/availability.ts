// An addition to Blazar's API: calendars of resources, the next free span, and explanations.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import { listCalendars, explainRequest, findNextSpan, readSpan } from '../domain/availability.ts';
import { calendarView, explanationView, spanView } from '../views/availability.ts';

export async function list(call: ReservationCall): Promise<Reply> {
  const { query, now } = call;
  const span = readSpan(query.last('start_date'), query.last('end_date'), now);
  const calendars = await listCalendars(call, span, query.last('resource_type'));
  return ok({ availability: calendars.map(calendarView) });
}

export async function findNext(call: ReservationCall): Promise<Reply> {
  const span = await findNextSpan(call, call.body);
  return ok({ next: span ? spanView(span) : null });
}

export async function explain(call: ReservationCall): Promise<Reply> {
  return ok({
    explanation: explanationView(await explainRequest(call, call.body), call.actor.isAdmin),
  });
}
