// The version document. Upstream also lists v2, which is deprecated and unused by clients.
import { reply } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';

/** The link includes the service's prefix. Upstream omits it, which makes the link unusable. */
export function list({ origin, prefix }: ReservationCall): Reply {
  const links = [{ href: `${origin}${prefix}/v1`, rel: 'self' }];
  return reply(300, {
    versions: [{ id: 'v1.0', status: 'CURRENT', links, min_version: '1.0', max_version: '1.0' }],
  });
}
