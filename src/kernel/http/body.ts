// Bodies of requests: they are read when the service decides to, up to its limit, and all bodies
// together use a limited amount of memory.
import type { IncomingMessage } from 'node:http';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import rawBody from 'raw-body';
import { deadline, ticks } from '../clock.ts';
import { ApiError, badRequest, tooLarge, unsupportedMedia } from '../errors.ts';

/**
 * The memory for all bodies that are being received or used, in bytes. It is more than the limit of
 * any service.
 */
const totalMemory = 256 * 1024 * 1024;

/** Bodies up to this size never wait for memory: bytes. */
const smallBody = 128 * 1024;

/**
 * How long a body may take while others wait for its memory, in milliseconds, and how many bytes
 * must have arrived for each second more.
 */
const patienceWithBodies = 10_000;
const leastRate = 1024 * 1024;

/**
 * A semaphore for the memory of bodies. A request waits until all memory for its body is free, in
 * order of arrival, so that two half-received bodies never wait for each other. A body that arrives
 * too slowly gives its memory to those that wait.
 */
export class BodyMemory {
  private free: number;
  private readonly waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  /** How long a body may take while others wait, in milliseconds: see `isTooSlow`. */
  readonly patience: number;

  constructor(bytes = totalMemory, patience = patienceWithBodies) {
    this.free = bytes;
    this.patience = patience;
  }

  /** Whether a body of which so much has arrived after some milliseconds lets others wait. */
  isTooSlow(received: number, milliseconds: number): boolean {
    const allowed = this.patience + (received / leastRate) * 1000;
    return this.waiting.length > 0 && milliseconds > allowed;
  }

  /** Waits for the memory of a body. */
  async acquire(bytes: number): Promise<void> {
    if (bytes <= smallBody) return;
    if (this.waiting.length || this.free < bytes)
      await new Promise<void>((go) => this.waiting.push({ bytes, go }));
    else this.free -= bytes;
  }

  release(bytes: number): void {
    if (bytes <= smallBody) return;
    this.free += bytes;
    while (this.waiting.length && this.waiting[0]!.bytes <= this.free) {
      const { bytes: next, go } = this.waiting.shift()!;
      this.free -= next;
      go();
    }
  }
}

/** The body of a request. It can be read once. */
export class RequestBody {
  private readonly request: IncomingMessage;
  private readonly memory: BodyMemory;
  private acquired = 0;
  private isRead = false;

  constructor(request: IncomingMessage, memory: BodyMemory) {
    this.request = request;
    this.memory = memory;
  }

  /** The length from the headers; undefined for a chunked body. */
  private get length(): number | undefined {
    const { 'content-length': length, 'transfer-encoding': encoding } = this.request.headers;
    return encoding === undefined ? Number(length ?? 0) : undefined;
  }

  /** Whether the Content-Length exceeds the limit. */
  exceeds(limit: number): boolean {
    return (this.length ?? 0) > limit;
  }

  /**
   * Streams the bytes. If the consumer stops early, the rest is received and discarded, because a
   * client that is still sending may not read the reply.
   * @throws 415 for an unknown content-encoding; 400, later, for invalid data
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
      throw badRequest(explain(this.request, error as Error));
    } finally {
      if (!isWhole && !plain.destroyed) await finished(plain.resume()).catch(() => undefined);
    }
  }

  /**
   * The bytes; undefined if there is no body.
   * @throws 413 for a body above the limit, 415 for an unknown content-encoding, 408 for a body
   *   that arrives slowly while others wait
   */
  async read(limit: number): Promise<Buffer | undefined> {
    if (this.length === 0 || this.isRead) return undefined;
    const encoding = encodingOf(this.request);
    const size = encoding === 'identity' ? (this.length ?? limit) : limit;
    await this.memory.acquire(size);
    this.acquired = size;
    this.isRead = true;
    const body = parse(this.request, encoding, this.length, limit);
    return size > smallBody ? this.unlessTooSlow(body) : body;
  }

  /** @throws 408 if the body arrives too slowly for those that wait */
  private async unlessTooSlow(body: Promise<Buffer>): Promise<Buffer> {
    const { socket } = this.request;
    const [started, before] = [ticks(), socket.bytesRead];
    body.catch(() => undefined); // it may fail after the refusal
    for (;;) {
      const next = deadline(this.memory.patience / 10, undefined);
      const whole = await Promise.race([body, next.passed]).finally(next.cancel);
      if (whole) return whole;
      if (this.memory.isTooSlow(socket.bytesRead - before, ticks() - started))
        throw new ApiError(
          408,
          'The body arrives too slowly, and others wait for its memory. Send it again, faster or ' +
            'in smaller parts.',
        );
    }
  }

  /** Releases the memory of the body, after the reply. */
  end(): void {
    this.memory.release(this.acquired);
    this.acquired = 0;
  }

  /** Whether so much is unread that it is better to close the connection than to receive it. */
  get isUnread(): boolean {
    return !this.request.complete && (this.length ?? Infinity) > smallBody;
  }
}

/** Why a body cannot be read. Only the log shows it if the client is gone. */
const explain = ({ errored }: IncomingMessage, { message }: Error): string =>
  (errored as NodeJS.ErrnoException | null)?.code === 'ECONNRESET'
    ? 'The connection was closed before the body ended.'
    : message;

/** Decoders of content encodings. */
const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const encodingOf = ({ headers }: IncomingMessage): string =>
  (headers['content-encoding'] ?? 'identity').toLowerCase();

/** The decoded body. @throws 415 */
function decoded(request: IncomingMessage, encoding: string): Readable {
  const decoder = decoders[encoding];
  if (!decoder && encoding !== 'identity')
    throw unsupportedMedia(`unsupported content encoding "${encoding}"`);
  return decoder ? pipeline(request, decoder(), () => undefined) : request;
}

/**
 * Reads up to the limit. Express's own parser would receive the whole of a body that is too long
 * before it refuses it.
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
    if ((error as { status?: number }).status === 413) throw tooLarge('Request is too large.');
    throw badRequest(explain(request, error as Error));
  }
}
