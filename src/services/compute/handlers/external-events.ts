// External events: what other services report of servers. They are heard for servers that are on a
// host.
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

const tagged = ['volume-extended', 'power-update', 'accelerator-request-bound'];

/** Answers 207 where any of the events is refused. */
export async function create(call: ComputeCall): Promise<Reply> {
  const { events } = call.body as { events: Event[] };
  const hosts = await hostsOfServers(
    call.db,
    events.map((event) => normalUuid(event.server_uuid)),
  );
  const results: object[] = [];
  let allHeard = true;
  for (const event of events) {
    const uuid = normalUuid(event.server_uuid);
    const host = hosts.get(uuid);
    const code = codeOf(event, host);
    if (code === 200) await handleExternalEvent(call, { uuid, host: host! }, event);
    else allHeard = false;
    results.push({ ...event, status: code === 200 ? 'completed' : 'failed', code });
  }
  return reply(allHeard ? 200 : 207, { events: results });
}

/** @param host of the server; null where it is on none, undefined where there is no such server */
function codeOf({ name, tag }: Event, host: string | null | undefined): number {
  if (host === undefined) return 404;
  if (tagged.includes(name) && tag === undefined) return 400;
  return host === null ? 422 : 200;
}
