// A minimal HTTP client that sends path, query and body unchanged, over keep-alive connections.
import { Agent, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Asked } from './cloud.ts';

export interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text parsed as JSON; undefined if it is not valid JSON. */
  readonly body: unknown;
}

/**
 * Sends a request with these headers. A body adds a Content-Length, unless the headers have a
 * Transfer-Encoding.
 */
export type Send = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
) => Promise<Raw>;

export interface Client {
  readonly send: Send;
  /** Works like `World.ask`, but faster. */
  ask(service: string, method: string, path: string, options?: Asked): Promise<Raw>;
  close(): void;
}

/** A client of a listening server. It reads only the headers of event streams. */
export function rawClient(server: Server): Client {
  const agent = new Agent({ keepAlive: true });
  const { port } = server.address() as AddressInfo;
  const send: Send = (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const length =
        body === undefined || headers['transfer-encoding']
          ? {}
          : { 'content-length': String(Buffer.byteLength(body)) };
      const sent = request(
        { agent, port, host: '127.0.0.1', method, path, headers: { ...length, ...headers } },
        (response) => {
          const { statusCode, headers: received } = response;
          if (received['content-type']?.startsWith('text/event-stream')) {
            // Such a stream may never end.
            response.destroy();
            resolve({ status: statusCode!, headers: received, text: '', body: undefined });
            return;
          }
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: statusCode!, headers: received, text, body: parsed(text) });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  const ask: Client['ask'] = (
    service,
    method,
    path,
    { version, token = 'admin', headers = {}, body } = {},
  ) => {
    const all = {
      ...(token === null ? {} : { 'x-auth-token': token }),
      ...(version ? { 'openstack-api-version': `${service} ${version}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    return send(
      method,
      path,
      all,
      body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    );
  };
  return { send, ask, close: () => agent.destroy() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
