// Requests of the page to the emulator and to the services of the cloud, each marked as the page's.
import { Store } from './store.ts';

/** A refusal, or no answer at all. */
export class RequestError extends Error {
  /** 0 if there was no answer. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The control token that the user has entered. It is kept in memory only. */
export const controlToken = new Store<string | undefined>(undefined);

/** Whether the emulator asks for a control token that the page lacks. */
export const asksForToken = new Store(false);

/** Whether the emulator answers. */
export const isConnected = new Store(true);

/** What a request has besides its path. */
export interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether it counts as a request of a client, which the journal has and faults hit. */
  readonly isOfClient?: boolean;
}

/** Sends a request, and returns the response if it is not an error. @throws RequestError */
export async function send(path: string, sent: Sent = {}): Promise<Response> {
  const response = await sendAny(path, sent);
  if (response.ok) return response;
  const message = messageIn(await response.text()) ?? response.statusText;
  if (response.status === 403 && message.includes('X-Control-Token')) asksForToken.set(true);
  throw new RequestError(response.status, message);
}

/** Sends a request, and returns the response with any status. @throws RequestError without one */
export async function sendAny(path: string, sent: Sent = {}): Promise<Response> {
  const { method, body, headers, signal, isOfClient = false } = sent;
  const token = controlToken.get();
  const response = await fetch(path, {
    method: method ?? 'GET',
    headers: {
      ...(isOfClient ? {} : { 'x-cumulet-page': '1' }),
      accept: 'application/json',
      ...(token === undefined ? {} : { 'x-control-token': token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    redirect: 'follow',
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    isConnected.set(false);
    throw new RequestError(0, 'The emulator does not answer.');
  });
  isConnected.set(true);
  return response;
}

/** The first message in the body of an error, whichever service has written it. */
function messageIn(text: string): string | undefined {
  try {
    return firstMessage(JSON.parse(text));
  } catch {
    return (
      text
        .replaceAll(/<[^>]*>/g, ' ')
        .trim()
        .slice(0, 300) || undefined
    );
  }
}

/** The first message in the body of an error; undefined if the body has none. */
export function firstMessage(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const isText = typeof inner === 'string' && /^(?:message|detail|error_message)$/.test(name);
    const found = isText ? inner : firstMessage(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sends a request and reads JSON; undefined if the reply has no body. @throws RequestError */
export async function json<T>(path: string, sent: Sent = {}): Promise<T> {
  const text = await (await send(path, sent)).text();
  return (text ? JSON.parse(text) : undefined) as T;
}

/** A request to the emulator's own API. */
export const emulator = <T>(path: string, sent: Sent = {}): Promise<T> =>
  json<T>(`/_emulator${path}`, sent);
