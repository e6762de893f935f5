// The 401 of keystonemiddleware, which replies instead of the service behind it.
import type { LocatedRequest, Reply } from '../model.ts';
import { reply } from './reply.ts';

/** `WWW-Authenticate` with the URL of Keystone. */
export const wwwAuthenticate = (request: LocatedRequest): Record<string, string> => ({
  'www-authenticate': `Keystone uri="${request.origin}/identity"`,
});

/** Upstream: keystonemiddleware/auth_token/__init__.py. */
export function renderUnauthorized(request: LocatedRequest): Reply {
  const error = {
    code: 401,
    title: 'Unauthorized',
    message: 'The request you have made requires authentication.',
  };
  return reply(401, { error }, wwwAuthenticate(request));
}
