// Protects a cloud that has no passwords of its own from other machines, and from web pages, which
// reach a port of this machine under a Host name of their own (DNS rebinding) or by CORS.
import { changeOf } from '../auth/default-password.ts';
import { forbidden } from '../errors.ts';
import type { LocatedRequest } from '../model.ts';
import { isLoopback, isLoopbackHost, isLoopbackOrigin } from './loopback.ts';

/**
 * Refuses foreign requests while users have the default password, or if no password is needed. The
 * emulator's own service has a stricter check.
 * @throws 403
 */
export function refuseForeign(request: LocatedRequest): Promise<void> | void {
  if (request.service.definition.database === 'none') return;
  const reason = foreignSignOf(request);
  if (reason !== undefined) return refuseWithoutOwnPasswords(request, reason);
}

/** Why a request may not come from a program on this machine; undefined if it does. */
function foreignSignOf(request: LocatedRequest): string | undefined {
  const { headers, remoteAddress } = request;
  const { host, origin } = headers;
  // The address of a connection that has been closed is empty: nobody gets the reply.
  if (remoteAddress !== '' && !isLoopback(remoteAddress))
    return `The request comes from ${remoteAddress}, which is not this machine.`;
  if (host && !isLoopbackHost(host))
    return `The Host header names ${host}, which is not this machine.`;
  if (origin !== undefined && isForeignPage(origin, request) && !isUnreadable(request))
    return `The request comes from a page of ${origin}.`;
  return undefined;
}

/**
 * Whether a page of an origin is from elsewhere. Without CORS it cannot read the reply, but its
 * request is processed: it could change a known password, which needs no token.
 */
function isForeignPage(origin: string, { cloud, origin: ownOrigin }: LocatedRequest): boolean {
  const { corsOrigin } = cloud.config;
  if (corsOrigin.includes('*')) return true;
  return origin !== ownOrigin && !corsOrigin.includes(origin) && !isLoopbackOrigin(origin);
}

/**
 * Whether the request changes nothing, and the browser withholds its reply from pages of origins
 * that are not named. Upstream answers such requests, too.
 */
const isUnreadable = ({ method, cloud }: LocatedRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !cloud.config.corsOrigin.includes('*');

async function refuseWithoutOwnPasswords({ cloud }: LocatedRequest, reason: string): Promise<void> {
  if (cloud.config.auth === 'noauth2')
    throw forbidden(`${reason} A cloud without authentication refuses this.`);
  const users = await cloud.defaultPassword.current(cloud);
  if (users.length)
    throw forbidden(
      `${reason} A cloud in which ${users.join(' and ')} ${users.length > 1 ? 'have' : 'has'} the ` +
        `default password refuses this. To allow it, ${changeOf(users)}, or create the cloud with ` +
        '--admin-password PASSWORD.',
    );
}
