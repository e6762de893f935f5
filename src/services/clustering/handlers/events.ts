// Handlers of events.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import { levels } from '../domain/actions/events.ts';
import { notFoundHere } from '../domain/refusals.ts';
import { eventList } from '../domain/requests/collections.ts';
import { readList } from '../domain/requests/lists.ts';
import * as store from '../store/index.ts';
import { eventView } from '../views/resources.ts';

const levelOf = (name: string): number =>
  levels[(name === 'WARN' ? 'WARNING' : name) as keyof typeof levels];

/** GET /v1/events */
export async function list(call: ClusteringCall): Promise<Reply> {
  const { where, ...page } = readList(eventList, call.query, call.actor);
  const level = call.query.has('level') ? call.query.all('level').map(levelOf) : undefined;
  const events = await store.listPage(call.db, store.events, {
    ...page,
    where: { ...where, level },
  });
  return ok({ events: events.map(eventView) });
}

/** GET /v1/events/{event_id} */
export async function show(call: ClusteringCall): Promise<Reply> {
  const id = call.params['event_id']!;
  const project = call.actor.isAdmin ? {} : { projectId: call.actor.projectId ?? '' };
  const event = await store.events.find(call.db, { id, ...project });
  if (!event) throw notFoundHere('event', id);
  return ok({ event: eventView(event) });
}
