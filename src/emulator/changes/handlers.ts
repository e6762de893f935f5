// Handler of /_emulator/changes.
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { followChanges } from './follow.ts';

/** GET /_emulator/changes: what changes from now on, as server-sent events. @throws 400 */
export function stream({ cloud, query }: Call): Reply {
  const seconds = query.last('seconds');
  return ok(followChanges(cloud, seconds === undefined ? Infinity : Number(seconds) * 1000), {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
  });
}
