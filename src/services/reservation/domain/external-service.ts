// Calls the external service that approves leases.
import { NoReply, sendRequest } from '../../../kernel/http-client.ts';

export interface ExternalReply {
  /** 0 if no reply arrived. */
  readonly status: number;
  /** The `message` of the JSON body, if there is one. */
  readonly message?: string;
}

/** The timeout in milliseconds. It is short, because a transaction waits for the reply. */
const timeout = 5000;

/** The maximum length of a message that is passed on to the client. */
const maxMessageLength = 1000;

/** The maximum size of a body that is parsed, in bytes. */
const maxBodySize = 100_000;

/** Posts JSON. Returns the status 0 instead of throwing, so that no reply means no approval. */
export async function postJson(url: string, body: object, token?: string): Promise<ExternalReply> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { 'x-auth-token': token }),
  };
  try {
    const reply = await sendRequest(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      timeout,
    });
    const message = readMessage(reply.body);
    return { status: reply.status, ...(message === undefined ? {} : { message }) };
  } catch (error) {
    if (error instanceof NoReply) return { status: 0 };
    throw error;
  }
}

function readMessage(body: Buffer): string | undefined {
  if (body.length > maxBodySize) return undefined;
  try {
    const { message } = JSON.parse(body.toString()) as { message?: unknown };
    return typeof message === 'string' ? message.slice(0, maxMessageLength) : undefined;
  } catch {
    return undefined;
  }
}
