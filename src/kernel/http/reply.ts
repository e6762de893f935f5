// Creates and streams replies.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Reply } from '../model.ts';

export const ok = (body: unknown, headers?: Reply['headers']): Reply => reply(200, body, headers);
export const created = (body?: unknown, headers?: Reply['headers']): Reply =>
  reply(201, body, headers);
export const accepted = (body?: unknown, headers?: Reply['headers']): Reply =>
  reply(202, body, headers);
export const noContent = (headers?: Reply['headers']): Reply => reply(204, undefined, headers);

export function reply(status: number, body?: unknown, headers?: Reply['headers']): Reply {
  return { status, ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) };
}

/** Closes the connection without a reply. The log and the metrics show the status 0. */
export const dropped: Reply = { status: 0, delivery: 'dropped' };

/** Whether the client gets no reply, so that there is no status, header or body to read. */
export const isDropped = ({ delivery }: Reply): boolean => delivery === 'dropped';

/** The number of characters of a long text that become bytes at once. */
const pieceLength = 16_384;

/**
 * Joins pieces of text to a body. A long one becomes bytes in parts, while its pieces are in the
 * processor's cache: that takes a fifth of the time of joining 1 MB from 50,000 pieces first.
 * @returns a short text as text, which is faster to send with its headers
 */
export function joined(pieces: Iterable<string>): string | Buffer {
  const parts: Buffer[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < pieceLength) continue;
    parts.push(Buffer.from(text));
    text = '';
  }
  return parts.length ? Buffer.concat([...parts, Buffer.from(text)]) : text;
}

export const isStream = (body: unknown): body is AsyncGenerator<string | Buffer> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

/** Streams the body at the client's speed, and stops when the client disconnects. */
export async function writeStream(
  body: AsyncGenerator<string | Buffer>,
  response: ServerResponse,
): Promise<void> {
  await pipeline(Readable.from(body), response).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}
