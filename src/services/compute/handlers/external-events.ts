// External events, with which other services notify Compute of changes to servers. Compute handles
// them if the server is on a host.
import { reply } from '../../../kernel/http/reply.ts';
import { normalUuid } from '../../../kernel/ids.ts';
import type { ComputeCall } from '../call.ts';
import { handleExternalEvent } from '../domain/servers/external-events.ts';
import { hostsOfServers } from '../store/servers/servers.ts';
import type { Reply } from '../../../kernel/model.ts';

interface Event {
  readonly name: string;
  readonly server_uuid: string;
  readonly status?: string;
  readonly tag?: string;
}

const eventsWithTag = ['volume-extended', 'power-update', 'accelerator-request-bound'];

/** Handles events. The status is 207 if any of them is rejected. */
export async function create(call: ComputeCall): Promise<Reply> {
  const { events } = call.body as { events: Event[] };
  const hosts = await hostsOfServers(
    call.db,
    events.map((event) => normalUuid(event.server_uuid)),
  );
  const results: object[] = [];
  let allHandled = true;
  for (const event of events) {
    const uuid = normalUuid(event.server_uuid);
    const host = hosts.get(uuid);
    const code = codeOf(event, host);
    if (code === 200) await handleExternalEvent(call, { uuid, host: host! }, event);
    else allHandled = false;
    results.push({ ...event, status: code === 200 ? 'completed' : 'failed', code });
  }
  return reply(allHandled ? 200 : 207, { events: results });
}

/**
 * The status of an event.
 * @param host the server's host; null if it has none, undefined if the server is unknown
 */
function codeOf({ name, tag }: Event, host: string | null | undefined): number {
  if (host === undefined) return 404;
  if (eventsWithTag.includes(name) && tag === undefined) return 400;
  return host === null ? 422 : 200;
}
