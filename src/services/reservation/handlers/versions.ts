// Which versions there are. Upstream also names v2, which is deprecated, and which no client uses.
import { reply } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';

/** Upstream leaves the prefix of the mount out of the link, so that nobody can follow it. */
export function list({ origin, prefix }: ReservationCall): Reply {
  const links = [{ href: `${origin}${prefix}/v1`, rel: 'self' }];
  return reply(300, {
    versions: [{ id: 'v1.0', status: 'CURRENT', links, min_version: '1.0', max_version: '1.0' }],
  });
}
