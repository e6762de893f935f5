// The HTTP server: Express, on a server that creates Express's request and response objects.
import {
  createServer,
  IncomingMessage,
  ServerResponse,
  STATUS_CODES,
  type Server,
} from 'node:http';
import type { Socket } from 'node:net';
import cors from 'cors';
import express, { type Express } from 'express';
import { badRequest, ApiError, methodNotAllowed, tooLarge } from '../errors.ts';
import { serve, type Listener } from './app.ts';
import { renderError } from './render-error.ts';
import { localOriginOf, newRequest } from './request.ts';
import { loadHttps } from '../lazy.ts';
import { handshakeByte, plainHttpRefusal, refusePlainHttp } from './plain-http.ts';

/** The Express application that serves a port. */
export function appFor(listener: Listener): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  const origins = listener.cloud.config.corsOrigin;
  if (origins.length) app.use(crossOrigin(origins));
  app.use((request, response) => serve(listener, request, response));
  return app;
}

/**
 * CORS like oslo.middleware's: a preflight request gets a reply before any other check, even if its
 * origin is not allowed.
 */
function crossOrigin(origins: readonly string[]): express.RequestHandler {
  const headers =
    'X-Auth-Token,X-Openstack-Request-Id,X-Subject-Token,X-Service-Token,OpenStack-API-Version';
  const allow = cors({
    origin: origins.includes('*') ? true : [...origins],
    credentials: true,
    methods: 'GET,PUT,POST,DELETE,PATCH',
    exposedHeaders: headers,
    maxAge: 3600,
    optionsSuccessStatus: 200,
  });
  return (request, response, next) => {
    const isPreflight =
      request.headers.origin !== undefined &&
      request.headers['access-control-request-method'] !== undefined;
    if (request.method === 'OPTIONS' && !isPreflight) next();
    else allow(request, response, next);
  };
}

/**
 * An HTTP server for a listener. Express changes the prototypes of each request and response, which
 * makes requests four times slower on Node 20 and 22. Here the server creates the objects with
 * these prototypes, so that Express has nothing to change; measure it with `npm run
 * bench:placement`.
 */
export function serverFor(listener: Listener): Server {
  const app = appFor(listener);
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as unknown as typeof app.request;
  app.response = Response.prototype as unknown as typeof app.response;
  const options = {
    IncomingMessage: Request,
    ServerResponse: Response,
    keepAliveTimeout: 65_000,
    requireHostHeader: false,
  };
  const { identity } = listener;
  const server = identity
    ? loadHttps().createServer({ ...options, ...identity }, app)
    : createServer(options, app);
  if (identity) refusePlainHttp(server, (socket, line) => refusePlain(listener, socket, line));
  // Node would reply to these itself, without a body and a request id.
  server.on('clientError', (error: ParseError, socket: Socket) =>
    refuseMalformed(listener, error, socket),
  );
  server.on('connect', (request: IncomingMessage, socket: Socket) =>
    refuseTunnel(listener, request, socket),
  );
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const message = `The expectation ${request.headers.expect} cannot be met: only 100-continue can.`;
    void serve(listener, request, response, new ApiError(417, message));
  });
  return server;
}

/** Tells a client that speaks plain HTTP to a port for HTTPS what it should use. */
function refusePlain(listener: Listener, socket: Socket, line: string): void {
  const [method = 'GET', url = '/'] = line.split(' ');
  const origin = localOriginOf(socket).replace('http:', 'https:');
  refuseOn(
    socket,
    listener,
    { method, url },
    badRequest(`${plainHttpRefusal}. Use ${origin}, or the option --tls of the command cumulet.`),
  );
}

interface ParseError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

/** The errors for malformed HTTP, by the code of Node's parser. The default is 400. */
const refusals: Readonly<Record<string, () => ApiError>> = {
  HPE_INVALID_CONTENT_LENGTH: () => badRequest('content-length header must be an integer'),
  HPE_HEADER_OVERFLOW: () => new ApiError(431, 'The headers of the request are too large.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () =>
    tooLarge('The chunk extensions of the request are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: () => new ApiError(408, 'The request was not completed in time.'),
};

/**
 * Replies to malformed HTTP, for which Node creates no request, in the error format of the service
 * in the first line.
 */
function refuseMalformed(listener: Listener, error: ParseError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const line = error.rawPacket?.toString('latin1').split('\r\n', 1)[0] ?? '';
  const [method = 'GET', url = '/'] = line.split(' ');
  const isHandshake = error.rawPacket?.[0] === handshakeByte;
  const apiError = isHandshake
    ? badRequest(
        'This port serves HTTP, and a client speaks TLS: use http://, or start with --tls.',
      )
    : (refusals[error.code ?? '']?.() ??
      badRequest(`The request is not valid HTTP: ${error.message}`));
  refuseOn(socket, listener, { method, url }, apiError);
}

/** Refuses CONNECT, which is for proxies. */
function refuseTunnel(
  listener: Listener,
  { method = 'CONNECT', url = '/' }: IncomingMessage,
  socket: Socket,
): void {
  socket.on('error', () => socket.destroy());
  refuseOn(
    socket,
    listener,
    { method, url },
    methodNotAllowed('The method CONNECT is not allowed.'),
  );
}

/** Writes an error to a socket without a response object, and closes it. */
function refuseOn(
  socket: Socket,
  { cloud, only }: Listener,
  { method, url }: { method: string; url: string },
  error: ApiError,
): void {
  const service =
    only ?? cloud.services.find(({ definition }) => url.startsWith(definition.prefix));
  const request = newRequest(cloud, url, {
    method,
    headers: {},
    remoteAddress: socket.remoteAddress ?? '',
    origin: localOriginOf(socket),
    localOrigin: localOriginOf(socket),
    region: cloud.firstRegion,
    ...(service ? { service } : {}),
  });
  if (service) request.version = service.definition.versions.min;
  const reply = renderError(request, error);
  const { status, body, headers } = reply;
  for (const observe of cloud.observers) observe(request, reply, 0, 'malformed');
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
  const lines = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-openstack-request-id': request.requestId,
    connection: 'close',
    ...headers,
  };
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n${Object.entries(lines)
      .map(([name, value]) => `${name}: ${String(value)}\r\n`)
      .join('')}\r\n${text}`,
  );
}
