// What other services tell of servers: it is taken down for those that are on a host.
import { reply } from '../../../kernel/http/reply.ts';
import { normalUuid } from '../../../kernel/ids.ts';
import type { ComputeCall } from '../call.ts';
import { placesOf } from '../store/servers/places.ts';
import type { Reply } from '../../../kernel/model.ts';

interface Event {
  readonly name: string;
  readonly server_uuid: string;
  readonly status?: string;
  readonly tag?: string;
}

const tagged = ['volume-extended', 'power-update', 'accelerator-request-bound'];

/** Answers 207 where any of the events could not be taken. */
export async function create(call: ComputeCall): Promise<Reply> {
  const { events } = call.body as { events: Event[] };
  const places = await placesOf(call.db, events.map((event) => normalUuid(event.server_uuid))); // prettier-ignore
  const told = events.map((event) => {
    const code = codeOf(event, places);
    return { ...event, status: code === 200 ? 'completed' : 'failed', code };
  });
  return reply(told.every(({ code }) => code === 200) ? 200 : 207, { events: told });
}

function codeOf({ name, server_uuid: uuid, tag }: Event, places: ReadonlyMap<string, string | null>): number {
  const host = places.get(normalUuid(uuid));
  if (host === undefined) return 404;
  if (tagged.includes(name) && tag === undefined) return 400;
  return host === null ? 422 : 200;
}
