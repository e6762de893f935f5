// Takes the steps of stories: fills in what is known, sends the requests, and checks the replies.
import type { Step, StoryRequest } from './model.ts';

/** What fills the names in braces of texts, paths and bodies, such as `{flavor}`. */
export type Values = ReadonlyMap<string, string>;

/** A request whose names are filled in. */
export interface FilledRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** The microversion, such as `compute 2.90`. */
  readonly version: string | undefined;
}

/** Sends the requests of a story as an administrator. */
export interface Sender {
  readonly send: (
    request: FilledRequest,
  ) => Promise<{ readonly status: number; readonly body: unknown }>;
  /** Waits a moment before a request is repeated. */
  readonly wait: () => Promise<void>;
}

const day = 86_400_000;

/** The values that a story begins with: the origin of the cloud, and a day in a week from now. */
export function firstValues(origin: string, now: string): Values {
  const inDays = (days: number): string =>
    new Date(Date.parse(now) + days * day).toISOString().slice(0, 16).replace('T', ' ');
  return new Map([
    ['url', origin],
    ['start', inDays(7)],
    ['end', inDays(8)],
  ]);
}

/** A text with the values of the names in it. */
export const filled = (text: string, values: Values): string =>
  text.replaceAll(/\{(\w+)\}/g, (all, name: string) => values.get(name) ?? all);

/** Takes a step. @throws Error if a reply is not the one of the story */
export async function takeStep(
  { requests = [] }: Step,
  first: Values,
  sender: Sender,
): Promise<void> {
  const values = new Map(first);
  for (const request of requests) await sendRequest(request, values, sender);
}

async function sendRequest(
  request: StoryRequest,
  values: Map<string, string>,
  sender: Sender,
): Promise<void> {
  const { method, version, save = {}, until, status: expected } = request;
  const path = filled(request.path, values);
  const body: unknown = request.body && JSON.parse(filled(JSON.stringify(request.body), values));
  let reply = await sender.send({ method, path, body, version });
  while (until && reply.status < 400 && String(at(reply.body, until[0])) !== until[1]) {
    await sender.wait();
    reply = await sender.send({ method, path, body, version });
  }
  if (reply.status < 400 ? expected !== undefined : reply.status !== expected)
    throw new Error(
      `${method} ${path} answers ${reply.status}: ${JSON.stringify(reply.body).slice(0, 300)}`,
    );
  for (const [name, place] of Object.entries(save)) values.set(name, String(at(reply.body, place)));
}

/** The value at a place such as `flavors.0.id` or `flavors.name=huge.id`. */
const at = (value: unknown, place: string): unknown =>
  place.split('.').reduce<unknown>((one, key) => {
    const [field = '', wanted] = key.split('=');
    if (wanted === undefined) return (one as Fields | undefined)?.[field];
    return (one as readonly Fields[] | undefined)?.find((entry) => entry[field] === wanted);
  }, value);

type Fields = Readonly<Record<string, unknown>>;
