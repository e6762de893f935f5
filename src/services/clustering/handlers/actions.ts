// Actions, events and the engines that do and tell them.
import { isoSeconds } from '../../../kernel/clock.ts';
import { uuidFor } from '../../../kernel/ids.ts';
import { forbidden } from '../../../kernel/errors.ts';
import { accepted, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import { updateAction } from '../domain/actions/actions.ts';
import { engineId } from '../domain/engine/engine.ts';
import { levels } from '../domain/actions/events.ts';
import { actionFor } from '../domain/requests/identities.ts';
import type { Action } from '../model.ts';
import { notFoundHere } from '../domain/refusals.ts';
import { actionList, eventList } from '../domain/requests/collections.ts';
import { boolParameter, readList } from '../domain/requests/lists.ts';
import * as store from '../store/index.ts';
import { actionView, eventView } from '../views/resources.ts';

async function views(
  { db, version }: ClusteringCall,
  actions: readonly Action[],
): Promise<object[]> {
  const ids = actions.map(({ id }) => id);
  const dependsOn = await store.dependenciesOf(db, 'dependent', ids);
  const dependedBy = await store.dependenciesOf(db, 'depended', ids);
  return actions.map((action) =>
    actionView(action, version, {
      dependsOn: dependsOn.get(action.id) ?? [],
      dependedBy: dependedBy.get(action.id) ?? [],
    }),
  );
}

/** GET /v1/actions */
export async function list(call: ClusteringCall): Promise<Reply> {
  const found = await store.actions.list(
    call.db,
    readList(actionList(call.version.has('1.14')), call.query, call.actor),
  );
  return ok({ actions: await views(call, found) });
}

/** POST /v1/actions: no rule of upstream's lets anybody. */
export function create(): Reply {
  throw forbidden('', { rule: 'actions:create' });
}

/** GET /v1/actions/{action_id} */
export async function show(call: ClusteringCall): Promise<Reply> {
  const action = await actionFor(call, call.params['action_id']!);
  return ok({ action: (await views(call, [action]))[0] });
}

/** PATCH /v1/actions/{action_id} */
export async function update(call: ClusteringCall): Promise<Reply> {
  const force = boolParameter(call.query, 'force', false);
  await updateAction(call, call.params['action_id']!, call.body, force, call.version);
  return accepted();
}

/** GET /v1/events */
export async function listEvents(call: ClusteringCall): Promise<Reply> {
  const listing = readList(eventList, call.query, call.actor);
  const names = call.query
    .all('level')
    .map((name) => levels[(name === 'WARN' ? 'WARNING' : name) as keyof typeof levels]);
  const filters = names.length ? { ...listing.filters, level: names } : listing.filters;
  const found = await store.events.list(call.db, { ...listing, filters });
  return ok({ events: found.map(eventView) });
}

/** GET /v1/events/{event_id} */
export async function showEvent(call: ClusteringCall): Promise<Reply> {
  const id = call.params['event_id']!;
  const project = call.actor.isAdmin ? {} : { project_id: call.actor.projectId ?? '' };
  const event = await store.events.find(call.db, { id, ...project });
  if (!event) throw notFoundHere('event', id);
  return ok({ event: eventView(event) });
}

/** GET /v1/services */
export function listServices(call: ClusteringCall): Reply {
  const updated_at = isoSeconds(call.now).slice(0, -1);
  const services = ['senlin-conductor', 'senlin-engine', 'senlin-health-manager'].map((binary) => ({
    id:
      binary === 'senlin-engine'
        ? engineId(call)
        : uuidFor(`clustering.${binary}.${call.region.name}`),
    host: 'controller',
    binary,
    topic: binary,
    disabled_reason: null,
    status: 'enabled',
    state: 'up',
    updated_at,
  }));
  return ok({ services });
}
