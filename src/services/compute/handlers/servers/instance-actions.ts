// The recorded actions of a server, and their events.
import { naiveIsoOrNull } from '../../../../kernel/clock.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { visibleServer } from '../../domain/servers/visible.ts';
import { authorize, may } from '../../../../kernel/http/steps.ts';
import { parseIsoTime } from '../../../../kernel/oslo/isotime.ts';
import type { ComputeCall } from '../../call.ts';
import { findAction, listActions, listEvents } from '../../store/servers/actions.ts';
import { nextPageLinks } from '../../views/links.ts';
import { hostIdOf } from '../../views/servers/servers.ts';
import { pageOf } from '../paging.ts';
import { targetOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { ServerAction, ServerEvent, Server } from '../../model.ts';

/** The server in the path, which may be deleted from 2.21 on. @throws 404, 403 */
async function serverOfPath(call: ComputeCall, verb: 'list' | 'show'): Promise<Server> {
  const server = await visibleServer(call, call.params['server_id']!, {
    deleted: call.version.has('2.21'),
  });
  authorize(call, `os_compute_api:os-instance-actions:${verb}`, targetOf(server));
  return server;
}

const actionView = ({ version }: ComputeCall, action: ServerAction): object => ({
  action: action.action,
  instance_uuid: action.serverUuid,
  request_id: action.requestId,
  user_id: action.userId,
  project_id: action.projectId,
  start_time: naiveIsoOrNull(action.startedAt),
  message: action.message,
  ...version.since('2.58', { updated_at: naiveIsoOrNull(action.updatedAt) }),
});

export async function list(call: ComputeCall): Promise<Reply> {
  const server = await serverOfPath(call, 'list');
  const { db, version } = call;
  if (!version.has('2.58'))
    return ok({
      instanceActions: (await listActions(db, server.uuid)).map((action) =>
        actionView(call, action),
      ),
    });
  const { limit, marker } = await pageOf(call);
  const after = marker === undefined ? undefined : await findAction(db, server.uuid, marker);
  if (marker !== undefined && !after) throw badRequest(`Marker ${marker} could not be found.`);
  const actions = limit
    ? await listActions(db, server.uuid, { ...changePeriodOf(call), after, limit })
    : [];
  const links = limit
    ? nextPageLinks(
        call,
        `servers/${server.uuid}/os-instance-actions`,
        actions,
        limit,
        actions.at(-1)?.requestId ?? '',
      )
    : [];
  return ok({
    instanceActions: actions.map((action) => actionView(call, action)),
    ...(links.length ? { links } : {}),
  });
}

/** The filters `changes-since` and `changes-before`. @throws 400 */
export function changePeriodOf({ query, version }: ComputeCall): {
  changedSince: number | undefined;
  changedBefore: number | undefined;
} {
  const readTime = (name: string): number | undefined => {
    const text = query.last(name);
    return text === undefined ? undefined : parseIsoTime(text);
  };
  const changedSince = readTime('changes-since');
  const changedBefore = version.has('2.66') ? readTime('changes-before') : undefined;
  if (changedSince !== undefined && changedBefore !== undefined && changedSince > changedBefore)
    throw badRequest('The value of changes-since must be less than or equal to changes-before.');
  return { changedSince, changedBefore };
}

export async function show(call: ComputeCall): Promise<Reply> {
  const server = await serverOfPath(call, 'show');
  const { db, version, params } = call;
  const action = await findAction(db, server.uuid, params['id']!);
  if (!action) throw notFound(`Action ${params['id']} not found`);
  const mayShow = (verb: string): boolean =>
    may(call, `os_compute_api:os-instance-actions:${verb}`, targetOf(server));
  const tracebacks = mayShow('events');
  const details = version.has('2.84') && mayShow('events:details');
  const events = tracebacks || version.has('2.51') ? await listEvents(db, action.id) : undefined;
  const view = events && {
    events: events.map((event) => eventView(call, server, event, { tracebacks, details })),
  };
  return ok({ instanceAction: { ...actionView(call, action), ...view } });
}

function eventView(
  { version }: ComputeCall,
  server: Server,
  event: ServerEvent,
  { tracebacks, details }: { tracebacks: boolean; details: boolean },
): object {
  return {
    event: event.event,
    start_time: naiveIsoOrNull(event.startedAt),
    finish_time: naiveIsoOrNull(event.finishedAt),
    result: event.result,
    ...(tracebacks ? { traceback: event.details } : {}),
    ...version.since('2.62', {
      hostId: hostIdOf(server.projectId, event.host),
      ...(tracebacks ? { host: event.host ?? '' } : {}),
    }),
    ...(details ? { details: event.details } : {}),
  };
}
