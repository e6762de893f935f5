// Authentication without Keystone, like upstream's no-auth middleware: for tests, on loopback.
import type { IncomingHttpHeaders } from 'node:http';
import { callerOf, type Caller } from './caller.ts';

/**
 * Reads `X-Auth-Token: <user>[:<project>]`, with the roles of `X-Roles`, or `admin` for the user
 * admin. A non-empty `OpenStack-System-Scope` makes the token system-scoped: it then has no
 * project. `X-Project-Id` overrides the token's project, because the middleware sets `X-Tenant-Id`
 * from the token. Upstream: placement/auth.py NoAuthMiddleware, and oslo.context.
 */
export function noauthCaller(token: string, headers: IncomingHttpHeaders): Caller {
  const [user = '', project] = token.split(':');
  const sent = headers['x-roles'];
  const roles =
    typeof sent === 'string' && sent
      ? sent.split(',').map((role) => role.trim())
      : user === 'admin'
        ? ['admin']
        : [];
  const named = headers['x-project-id']?.toString();
  const system = Boolean(headers['openstack-system-scope']);
  return callerOf({
    token,
    userId: user,
    userName: user,
    userDomainId: 'default',
    ...(system
      ? { systemScope: 'all' as const }
      : { projectId: named || project || user, projectDomainId: 'default' }),
    roles,
    expiresAt: Infinity,
  });
}
