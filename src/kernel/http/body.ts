// Bodies of requests: read when the service has decided to, up to its limit, and together no more
// than memory is meant to hold.
import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import rawBody from 'raw-body';
import { badRequest, tooLarge, unsupportedMedia } from '../errors.ts';

/**
 * What all bodies that are being received or used may take together, in bytes. It is more than any
 * service's limit.
 */
const room = 256 * 1024 * 1024;

/** Bodies up to this size find room at once, however many large ones wait: bytes. */
const small = 128 * 1024;

/**
 * Room for bodies. Who finds none waits for those before them, so that no two halves of bodies wait
 * for each other.
 */
export class BodyMemory {
  private free: number;
  private readonly waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(bytes = room) {
    this.free = bytes;
  }

  async take(bytes: number): Promise<void> {
    if (bytes <= small) return;
    if (this.waiting.length || this.free < bytes)
      await new Promise<void>((go) => this.waiting.push({ bytes, go }));
    else this.free -= bytes;
  }

  /** Gives back what was taken. */
  give(bytes: number): void {
    if (bytes <= small) return;
    this.free += bytes;
    while (this.waiting.length && this.waiting[0]!.bytes <= this.free) {
      const { bytes: next, go } = this.waiting.shift()!;
      this.free -= next;
      go();
    }
  }
}

/** The body of a request, which is read once it is asked for. */
export class RequestBody {
  private readonly request: IncomingMessage;
  private readonly room: BodyMemory;
  private taken = 0;
  private isRead = false;

  constructor(request: IncomingMessage, room: BodyMemory) {
    this.request = request;
    this.room = room;
  }

  /** The length that the request tells; undefined where it tells none, as in chunks. */
  private get length(): number | undefined {
    const { 'content-length': told, 'transfer-encoding': encoding } = this.request.headers;
    return encoding === undefined ? Number(told ?? 0) : undefined;
  }

  /** Whether the body is longer than the limit by its own word. */
  exceeds(limit: number): boolean {
    return (this.length ?? 0) > limit;
  }

  /**
   * The bytes as they come, of which nothing is kept. Who has heard enough lets the rest go by,
   * because a client that is still sending may not see an answer.
   * @throws 415 for an unknown content-encoding, and, as they come, 400 for a broken one
   */
  async *stream(): AsyncGenerator<Buffer> {
    if (this.length === 0 || this.isRead) return;
    this.isRead = true;
    const plain = decoded(this.request, encodingOf(this.request));
    let isWhole = false;
    try {
      for await (const chunk of plain.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
      isWhole = true;
    } catch (error) {
      throw badRequest((error as Error).message);
    } finally {
      if (!isWhole && !plain.destroyed) await finished(plain.resume()).catch(() => undefined);
    }
  }

  /**
   * The bytes; undefined where there is no body.
   * @throws 413 for a body above the limit, 415 for an unknown content-encoding
   */
  async read(limit: number): Promise<Buffer | undefined> {
    if (this.length === 0 || this.isRead) return undefined;
    const encoding = encodingOf(this.request);
    const most = encoding === 'identity' ? (this.length ?? limit) : limit;
    await this.room.take(most);
    this.taken = most;
    this.isRead = true;
    return parse(this.request, encoding, this.length, limit);
  }

  /** Forgets the body, when the request has been answered. */
  end(): void {
    this.room.give(this.taken);
    this.taken = 0;
  }

  /** Whether so much may still come that the connection is better closed than read to its end. */
  get isUnread(): boolean {
    return !this.request.complete && (this.length ?? Infinity) > small;
  }
}

/** What undoes the encodings that bodies come in. */
const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const encodingOf = ({ headers }: IncomingMessage): string =>
  (headers['content-encoding'] ?? 'identity').toLowerCase();

/** The body without its encoding. @throws 415 */
function decoded(request: IncomingMessage, encoding: string): Readable {
  const decoder = decoders[encoding];
  if (!decoder && encoding !== 'identity')
    throw unsupportedMedia(`unsupported content encoding "${encoding}"`);
  return decoder ? pipeline(request, decoder(), () => undefined) : request;
}

/**
 * Reads up to the limit, and no further: Express's own parser reads a body that is too long to its
 * end before it says so.
 */
async function parse(
  request: IncomingMessage,
  encoding: string,
  length: number | undefined,
  limit: number,
): Promise<Buffer> {
  const plain = decoded(request, encoding);
  try {
    return await rawBody(
      plain,
      plain !== request || length === undefined ? { limit } : { limit, length },
    );
  } catch (error) {
    const { status = 400, message } = error as { status?: number; message: string };
    throw status === 413 ? tooLarge('Request is too large.') : badRequest(message);
  }
}
