// External events: what other services report of servers. They are accepted for servers that are on a host, and have no effect.
import { reply } from '../../../kernel/http/reply.ts';
import { normalUuid } from '../../../kernel/ids.ts';
import type { ComputeCall } from '../call.ts';
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
  const hosts = await hostsOfServers(call.db, events.map((event) => normalUuid(event.server_uuid))); // prettier-ignore
  const results = events.map((event) => {
    const code = codeOf(event, hosts);
    return { ...event, status: code === 200 ? 'completed' : 'failed', code };
  });
  return reply(results.every(({ code }) => code === 200) ? 200 : 207, { events: results });
}

function codeOf({ name, server_uuid: uuid, tag }: Event, hosts: ReadonlyMap<string, string | null>): number {
  const host = hosts.get(normalUuid(uuid));
  if (host === undefined) return 404;
  if (tagged.includes(name) && tag === undefined) return 400;
  return host === null ? 422 : 200;
}
