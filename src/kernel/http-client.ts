// The HTTP client for requests to other processes: another cloud, a webhook, a health check.

export interface OutgoingRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
  /** How long the whole exchange may take, including the body of the reply: milliseconds. */
  readonly timeout: number;
  /** Whether to return a redirect (3xx) instead of following it. */
  readonly returnRedirects?: boolean;
  /** The number of bytes of the body to receive. The rest is discarded. No limit by default. */
  readonly maxBody?: number;
}

/** A reply of any status, with its body. */
export interface IncomingReply {
  readonly status: number;
  readonly isOk: boolean;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** No reply arrived: the server is unreachable, closed the connection, or took too long. */
export class NoReply extends Error {
  /** Whether the server may have received the request and acted on it. */
  readonly wasSent: boolean;

  constructor(url: string, cause: unknown) {
    super(`No reply from ${url}.`, { cause });
    const { code = '' } = ((cause as Error).cause ?? {}) as { code?: string };
    this.wasSent = !connectErrors.has(code);
  }
}

/** Errors before the connection is open, by the codes of Node and undici. */
const connectErrors: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Sends a request and reads the reply. @throws NoReply */
export async function sendRequest(url: string, request: OutgoingRequest): Promise<IncomingReply> {
  const { method = 'GET', headers = {}, body, timeout, returnRedirects = false } = request;
  const { maxBody = Infinity } = request;
  try {
    const response = await fetch(url, {
      method,
      headers: headers as Record<string, string> | [string, string][],
      redirect: returnRedirects ? 'manual' : 'follow',
      signal: AbortSignal.timeout(timeout),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : bytesOf(body) }),
    });
    return {
      status: response.status,
      isOk: response.ok,
      headers: response.headers,
      body: await receive(response, maxBody),
    };
  } catch (error) {
    throw new NoReply(url, error);
  }
}

/** Receives the body up to the limit, and closes the connection if there is more. */
async function receive({ body }: Response, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

/** A copy that fetch accepts, because its buffer is not shared. */
const bytesOf = (body: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(body);
