// Renders the list of versions, which is also the reply to paths outside the API.
import { reply } from '../../../kernel/http/reply.ts';
import { listedVersions } from '../versions.ts';
import type { LocatedRequest, Reply } from '../../../kernel/model.ts';

export function versionList(call: LocatedRequest, status: number): Reply {
  const links = [{ rel: 'self', href: `${call.origin}${call.prefix}/v2/` }];
  const versions = listedVersions.map((number, index) => ({
    id: `v${number}`,
    status: index ? 'SUPPORTED' : 'CURRENT',
    links,
  }));
  return reply(status, { versions });
}
