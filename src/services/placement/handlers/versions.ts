// Shows the version document at the root, which requires no token.
import { ok } from '../../../kernel/http/reply.ts';
import { cacheHeaders } from '../views/cache.ts';
import { placementVersions } from '../versions.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { PlacementCall } from '../call.ts';

export function show(call: PlacementCall): Reply {
  const { min, max } = placementVersions;
  // Upstream's href is empty, too. Clients resolve it against the URL of the request.
  const version = {
    id: 'v1.0',
    max_version: max.name,
    min_version: min.name,
    status: 'CURRENT',
    links: [{ rel: 'self', href: '' }],
  };
  return ok({ versions: [version] }, cacheHeaders(call.version, call.now));
}
