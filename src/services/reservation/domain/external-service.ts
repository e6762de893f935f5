// Asking a service outside of the cloud: one request, which has not forever.

/** The answer; 0 where there was none. */
export interface Answer {
  readonly status: number;
  /** What it says, where it says anything. */
  readonly message?: string;
}

/** How long an answer may take, in milliseconds: a transaction waits for it. */
const patience = 5000;

/** The longest message that is handed on. */
const longest = 1000;

/** Posts JSON. It never throws: who does not answer has not agreed. */
export async function postJson(url: string, body: object, token?: string): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { 'x-auth-token': token }),
  };
  try {
    const init = {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(patience),
    };
    const reply = await fetch(url, init);
    const message = messageIn(await reply.text());
    return { status: reply.status, ...(message === undefined ? {} : { message }) };
  } catch {
    return { status: 0 };
  }
}

function messageIn(text: string): string | undefined {
  if (text.length > 100_000) return undefined;
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message.slice(0, longest) : undefined;
  } catch {
    return undefined;
  }
}
