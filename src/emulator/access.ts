// Decides which clients may use /_emulator, and which requests are those of the page there.
import type { IncomingHttpHeaders } from 'node:http';
import { sameSecret } from '../kernel/auth/same-secret.ts';
import { forbidden } from '../kernel/errors.ts';
import { isLoopback, isLoopbackHost } from '../kernel/http/loopback.ts';
import type { IncomingRequest } from '../kernel/model.ts';

/**
 * Headers by which proxies show themselves: they name the client's address, say that they forward,
 * or keep what they have rewritten. The client behind a proxy may be on any machine.
 */
const proxyHeaders: readonly RegExp[] = [
  /forward|proxy|^via$|^cdn-|^x-original-|^x-(?:url-)?scheme$/,
  /(?:^|-|client|socket)ip$|-addr(?:ess)?$/,
];

/**
 * Accepts requests with the control token, if there is one, from anywhere, and no others. Without a
 * control token, accepts requests from this machine, except those of web pages from unknown
 * origins, those under another host name, by which a page reaches loopback (DNS rebinding), and
 * those that a proxy on this machine forwards, because the client behind it may be remote. A page
 * that embeds a reply, as a script or an image, sends no Origin: its browser sends Sec-Fetch-Site.
 * @throws 403
 */
export function requireControl({
  cloud,
  headers,
  remoteAddress,
  origin: ownOrigin,
}: IncomingRequest): void {
  const { controlToken, corsOrigin } = cloud.config;
  if (controlToken) return requireControlToken(headers['x-control-token'], controlToken);
  const { origin, host = '' } = headers;
  const isForwarded = Object.keys(headers).some((name) =>
    proxyHeaders.some((pattern) => pattern.test(name)),
  );
  if (isForwarded || !isLoopback(remoteAddress) || !isLoopbackHost(host))
    throw forbidden(
      '/_emulator only accepts requests from this machine. To allow others, start with ' +
        '--control-token TOKEN and send the token in X-Control-Token.',
    );
  if (origin && origin !== ownOrigin && !corsOrigin.includes(origin))
    throw forbidden(
      `Pages from ${origin} may not control the emulator. To allow them, start with ` +
        `--cors-origin ${origin}.`,
    );
  if (!origin && isEmbedded(headers))
    throw forbidden('Pages from elsewhere may not embed what the emulator replies.');
}

/** Whether a page of another origin loads the reply, other than by a link that its user follows. */
const isEmbedded = (headers: IncomingHttpHeaders): boolean =>
  /^(?:cross|same)-site$/.test(String(headers['sec-fetch-site'])) &&
  headers['sec-fetch-dest'] !== 'document';

/** @throws 403 unless the token is the configured one */
function requireControlToken(sent: string | string[] | undefined, token: string): void {
  if (typeof sent === 'string' && sameSecret(sent, token)) return;
  throw forbidden(
    'This emulator has a control token, and /_emulator needs it. Send it in X-Control-Token; ' +
      'commands take it from --control-token or CUMULET_CONTROL_TOKEN.',
  );
}

/** Whether a request may use /_emulator. */
export function mayControl(request: IncomingRequest): boolean {
  try {
    requireControl(request);
    return true;
  } catch {
    return false;
  }
}

/** The header by which the page marks its requests. */
const pageHeader = 'x-cumulet-page';

/**
 * Whether a request is one of the page: it watches the cloud, and is no part of what it shows. Only
 * clients that may use /_emulator count, so that no other one can hide its requests.
 */
export const isOfPage = (request: IncomingRequest): boolean =>
  request.headers[pageHeader] !== undefined && mayControl(request);
