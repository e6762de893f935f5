// What the token of a console gives: its address for proxies, and the page for people. Upstream:
// api/openstack/compute/console_auth_tokens.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { pageReply } from '../../../../kernel/user/html.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import { authorize } from '../../../../kernel/http/steps.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { ComputeCall } from '../../call.ts';
import { validToken } from '../../domain/lifecycle/consoles.ts';
import { ownTarget } from '../../steps.ts';
import { findServer } from '../../store/servers/servers.ts';
import { consolePage, refusalPage } from '../../views/servers/console-page.ts';
import type { Reply } from '../../../../kernel/model.ts';

/** Before 2.31 the operation was for RDP only, which upstream has removed. */
export async function show(call: ComputeCall): Promise<Reply> {
  if (!call.version.has('2.31'))
    throw badRequest(
      'The server could not comply with the request since it is either malformed or otherwise ' +
        'incorrect.',
    );
  authorize(call, 'os_compute_api:os-console-auth-tokens', ownTarget(call));
  const token = await validToken(call, call.params['id']!);
  if (!token) throw notFound('Token not found');
  const { serverUuid, host, port, tlsPort, consoleType } = token;
  return ok({
    console: {
      instance_uuid: serverUuid,
      host,
      port,
      internal_access_path: null,
      ...(call.version.has('2.99') && consoleType === 'spice-direct' ? { tls_port: tlsPort } : {}),
    },
  });
}

/** GET /console/{type}: the console as a page, for whoever has a token of this type. */
export async function page(call: ComputeCall): Promise<Reply> {
  const token = await validToken(call, tokenOf(call.query));
  if (!token || token.consoleType !== call.params['type']) return pageReply(403, refusalPage());
  // The end of a server deletes its tokens.
  const server = await findServer(call.db, token.serverUuid);
  return server ? pageReply(200, consolePage(server, token)) : pageReply(403, refusalPage());
}

/** The token in the query of a URL; that of noVNC is within the parameter `path`. */
function tokenOf(query: Query): string {
  const path = query.last('path') ?? '';
  const inPath = new URLSearchParams(path.slice(path.indexOf('?') + 1)).get('token');
  return query.last('token') ?? inPath ?? '';
}
