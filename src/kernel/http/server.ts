// The HTTP server: Express on a server that creates Express's own request and response objects.
import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Socket } from 'node:net';
import cors from 'cors';
import express, { type Express } from 'express';
import { newRequestId } from '../ids.ts';
import { badRequest } from '../fault.ts';
import { serve, tellFault, type Port } from './app.ts';
import type { Call } from '../model.ts';

/** The Express application that serves a port. */
export function appFor(port: Port): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  const origins = port.cloud.config.corsOrigin;
  if (origins.length) app.use(crossOrigin(origins));
  app.use((request, response) => serve(port, request, response));
  return app;
}

/** oslo.middleware's CORS: a preflight is answered before anything else, also to origins that are not allowed. */
function crossOrigin(origins: readonly string[]): express.RequestHandler {
  const headers = 'X-Auth-Token,X-Openstack-Request-Id,X-Subject-Token,X-Service-Token,OpenStack-API-Version';
  const allow = cors({
    origin: origins.includes('*') ? true : [...origins],
    credentials: true,
    methods: 'GET,PUT,POST,DELETE,PATCH',
    exposedHeaders: headers,
    maxAge: 3600,
    optionsSuccessStatus: 200,
  });
  return (request, response, next) => {
    const asks = request.headers.origin !== undefined && request.headers['access-control-request-method'] !== undefined;
    if (request.method === 'OPTIONS' && !asks) next();
    else allow(request, response, next);
  };
}

/**
 * An HTTP server for the port. Express sets the prototypes of each request and response, which makes it four times slower on Node 20
 * and 22. Here the server creates them with these prototypes, and Express's own setting changes nothing.
 */
export function serverFor(port: Port): Server {
  const app = appFor(port);
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as unknown as typeof app.request;
  app.response = Response.prototype as unknown as typeof app.response;
  const server = createServer({ IncomingMessage: Request, ServerResponse: Response, keepAliveTimeout: 65_000 }, app);
  server.on('clientError', (error: ParseError, socket: Socket) => refuse(port, error, socket));
  return server;
}

interface ParseError extends Error {
  code?: string;
  rawPacket?: Buffer;
}

/** Answers malformed HTTP, for which Node makes no request, in the error format of the service that the first line names. */
function refuse(port: Port, error: ParseError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const line = error.rawPacket?.toString('latin1').split('\r\n', 1)[0] ?? '';
  const [method = 'GET', url = '/'] = line.split(' ');
  const message =
    error.code === 'HPE_INVALID_CONTENT_LENGTH'
      ? 'content-length header must be an integer'
      : `The request is not valid HTTP: ${error.message}`;
  const { cloud, only } = port;
  const service = only ?? cloud.services.find(({ card }) => url.startsWith(card.prefix));
  const call = {
    requestId: newRequestId(),
    cloud,
    method,
    path: url,
    headers: {},
    ...(service ? { service } : {}),
  } as unknown as Call;
  if (service) call.at = service.card.versions.min;
  const { status, body, headers } = tellFault(call, badRequest(message));
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const lines = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-openstack-request-id': call.requestId,
    connection: 'close',
    ...headers,
  };
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\n${Object.entries(lines)
      .map(([name, value]) => `${name}: ${String(value)}\r\n`)
      .join('')}\r\n${text}`,
  );
}
