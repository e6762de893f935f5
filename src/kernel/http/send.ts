// Writes a reply to its connection.
import type { ServerResponse } from 'node:http';
import type { IncomingRequest, Reply } from '../model.ts';
import { isDropped, isStream, writeStream } from './reply.ts';
import { isLocated } from './request.ts';

/** Sends a reply with the headers that its service adds to every reply. */
export function send(
  request: IncomingRequest,
  reply: Reply,
  response: ServerResponse,
): Promise<void> | void {
  if (isDropped(reply)) return void response.destroy();
  const { status, body } = reply;
  const headers: Record<string, string | number | readonly string[] | undefined> = {
    'x-openstack-request-id': request.requestId,
    ...(isLocated(request) ? request.service.definition.headers?.(request) : {}),
    ...reply.headers,
    ...request.replyHeaders,
  };
  for (const [name, value] of Object.entries(headers))
    if (value === undefined) delete headers[name];
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  if (request.received?.isUnread) headers['connection'] = 'close';
  if (isStream(body)) {
    response.writeHead(status, headers as Record<string, string>);
    return writeStream(body, response).catch((error: unknown) => {
      request.cloud.log.error(
        { err: error, request: request.requestId },
        'a streamed reply was aborted',
      );
    });
  }
  const content = contentOf(body);
  headers['content-length'] = Buffer.byteLength(content);
  response.writeHead(status, headers as Record<string, string>);
  response.end(request.method === 'HEAD' ? undefined : content);
}

/**
 * The length from which a text is sent as bytes, which takes two thirds of the time at 1 MB: Node
 * would measure the text, join it with the headers, and encode it. A short text is faster as text.
 */
const longText = 65_536;

/** The bytes or the text of a body: see `Reply`. */
function contentOf(body: unknown): string | Buffer {
  if (body === undefined) return '';
  if (Buffer.isBuffer(body)) return body;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text.length < longText ? text : Buffer.from(text);
}
