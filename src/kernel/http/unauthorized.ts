// The 401 of keystonemiddleware, which answers in the place of the service behind it.
import type { Call, Reply } from '../model.ts';
import { reply } from './reply.ts';

/** `WWW-Authenticate`, which says where Keystone is. */
export const wwwAuthenticate = (call: Call): Record<string, string> => ({
  'www-authenticate': `Keystone uri="${call.origin}/identity"`,
});

/** Upstream: keystonemiddleware/auth_token/__init__.py. */
export function renderUnauthorized(call: Call): Reply {
  const error = {
    code: 401,
    title: 'Unauthorized',
    message: 'The request you have made requires authentication.',
  };
  return reply(401, { error }, wwwAuthenticate(call));
}
