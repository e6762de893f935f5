// Compute's part of the emulator's own API: counts how many more servers fit.
import { replyWithCapacity } from '../../../emulator/capacity/handler.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { countServers } from '../internal.ts';
import type { GroupPolicy } from '../model.ts';

/** GET /_emulator/capacity/servers: counts how many more servers of a flavor fit. @throws 400 */
export function servers(call: Call): Promise<Reply> {
  const { query } = call;
  const most = query.last('max_server_per_host');
  const question = {
    flavor: query.last('flavor')!,
    image: query.last('image'),
    zone: query.last('zone'),
    group: query.last('group'),
    groupPolicy: query.last('group_policy') as GroupPolicy | undefined,
    maxServerPerHost: most === undefined ? undefined : Number(most),
    project: query.last('project'),
  };
  return replyWithCapacity(call, (context) => countServers(context, question));
}
