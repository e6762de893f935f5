// Creates requests in their first stage: see IncomingRequest.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { anonymous } from '../context.ts';
import { badRequest, type ApiError } from '../errors.ts';
import { newRequestId } from '../ids.ts';
import type { Cloud, IncomingRequest, LocatedRequest } from '../model.ts';
import { Query } from '../query.ts';

type Given = Pick<
  IncomingRequest,
  | 'method'
  | 'headers'
  | 'remoteAddress'
  | 'origin'
  | 'localOrigin'
  | 'region'
  | 'service'
  | 'received'
>;

/** A request for a URL, such as `/placement/traits?name=in:A`. */
export function newRequest(cloud: Cloud, url: string, given: Given): IncomingRequest {
  const questionMark = url.indexOf('?');
  return {
    cloud,
    requestId: newRequestId(),
    actor: anonymous,
    prefix: '',
    path: questionMark < 0 ? url : url.slice(0, questionMark),
    query: new Query(questionMark < 0 ? '' : url.slice(questionMark + 1)),
    params: {},
    ...given,
  };
}

/** Whether the service of the request is known. */
export const isLocated = (request: IncomingRequest): request is LocatedRequest =>
  request.service !== undefined;

/**
 * A Host header without user, path or query: it becomes part of the links in replies. A host name
 * beyond ASCII arrives in Punycode.
 */
const validHost = /^(?:[\w.-]+|\[[\da-f:.]+\])?(?::\d{1,5})?$/i;

/** The refusal of a request with a bad Host header. HTTP/1.1 requires one in every request. */
export function refusedHost({
  httpVersion,
  headers: { host },
}: IncomingMessage): ApiError | undefined {
  if (host === undefined)
    return httpVersion === '1.1' ? badRequest('The request has no Host header.') : undefined;
  return validHost.test(host) ? undefined : badRequest('The Host header is not a host name.');
}

/** The address of the server as the client knows it. A proxy may add TLS. */
export function originOf(headers: IncomingHttpHeaders, socket: Socket): string {
  const { host, 'x-forwarded-proto': protocol } = headers;
  if (!host || !validHost.test(host)) return localOriginOf(socket);
  const isSecure =
    'encrypted' in socket ||
    (protocol !== undefined && /^\s*https\s*(?:,|$)/i.test(String(protocol)));
  return `${isSecure ? 'https' : 'http'}://${host}`;
}

/** The address of the server's end of a connection, which no client can choose. */
export function localOriginOf(socket: Socket): string {
  const { localAddress = '', localPort } = socket;
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
