// Authentication without Keystone, like upstream's no-auth middleware: for tests, on loopback.
import type { IncomingHttpHeaders } from 'node:http';
import { callerOf, type Caller } from './caller.ts';

/**
 * Reads `X-Auth-Token: <user>[:<project>]`, with the roles of `X-Roles`. Without that header the
 * user admin has the role `admin` and those that it implies in Keystone. A non-empty
 * `OpenStack-System-Scope` makes the token system-scoped: it then has no project. `X-Project-Id`
 * overrides the token's project, because the middleware sets `X-Tenant-Id` from the token. Upstream:
 * placement/auth.py NoAuthMiddleware, oslo.context, and neutron_lib/context.py get_admin_context.
 */
export function noauthCaller(token: string, headers: IncomingHttpHeaders): Caller {
  const [user = '', project] = token.split(':');
  const sent = headers['x-roles'];
  const roles =
    typeof sent === 'string' && sent
      ? sent.split(',').map((role) => role.trim())
      : user === 'admin'
        ? ['admin', 'member', 'reader']
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
