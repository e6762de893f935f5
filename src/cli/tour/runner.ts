// Runs a story: shows each step, sends its requests unless the reader has taken it, and shows the
// result.
import { pause } from '../../kernel/clock.ts';
import { defaultPassword } from '../../kernel/settings.ts';
import type { Step, Story, StoryRequest } from './stories.ts';

/** How a story talks to its reader. */
export interface Reader {
  readonly write: (text: string) => void;
  /** Waits until the reader wants the tour to take a step. @returns false if the reader took it */
  readonly wantsStep: () => Promise<boolean>;
  /** Runs a command of cumulet, whose output the reader sees. */
  readonly run: (words: readonly string[]) => Promise<void>;
}

/** Runs all steps of a story on a cloud. @throws Error if a reply is not the one of the story */
export async function runStory(story: Story, origin: string, reader: Reader): Promise<void> {
  const day = 86_400_000;
  const clock = (await (await fetch(`${origin}/_emulator/clock`)).json()) as { now: string };
  const inDays = (days: number): string =>
    new Date(Date.parse(clock.now) + days * day).toISOString().slice(0, 16).replace('T', ' ');
  const values = new Map([
    ['url', origin],
    ['start', inDays(7)],
    ['end', inDays(8)],
  ]);
  const token = await signIn(origin);
  for (const [index, step] of story.steps.entries()) {
    reader.write(`\n${index + 1}. ${step.text}\n\n   ${filled(step.command, values)}\n\n`);
    if (await reader.wantsStep()) await take(step, { origin, token, values, reader });
  }
}

interface Stage {
  readonly origin: string;
  readonly token: string;
  readonly values: Map<string, string>;
  readonly reader: Reader;
}

async function take({ requests = [], show }: Step, stage: Stage): Promise<void> {
  for (const request of requests) await send(request, stage);
  if (show) await stage.reader.run(show);
}

async function send(request: StoryRequest, stage: Stage): Promise<void> {
  const { origin, token, values, reader } = stage;
  const { method, version, save = {}, until, status: expected } = request;
  const path = filled(request.path, values);
  const body = request.body && filled(JSON.stringify(request.body), values);
  const response = await fetch(origin + path, {
    method,
    headers: {
      'x-auth-token': token,
      'content-type': 'application/json',
      ...(version === undefined ? {} : { 'openstack-api-version': version }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const reply: unknown = text ? JSON.parse(text) : undefined;
  if (until && String(at(reply, until[0])) !== until[1]) {
    await pause(100);
    return send(request, stage);
  }
  if (response.ok ? expected !== undefined : response.status !== expected)
    throw new Error(`${method} ${path} answers ${response.status}: ${text.slice(0, 300)}`);
  if (method !== 'GET' || expected !== undefined)
    reader.write(`   ${method} ${path}: ${response.status}\n`);
  for (const [name, place] of Object.entries(save)) values.set(name, String(at(reply, place)));
}

/** The value at a place such as `flavors.0.id`. */
const at = (value: unknown, place: string): unknown =>
  place
    .split('.')
    .reduce<unknown>((one, name) => (one as Record<string, unknown> | undefined)?.[name], value);

const filled = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(/\{(\w+)\}/g, (all, name: string) => values.get(name) ?? all);

/** The token of the administrator. */
async function signIn(origin: string): Promise<string> {
  const domain = { id: 'default' };
  const user = { name: 'admin', password: defaultPassword, domain };
  const response = await fetch(`${origin}/identity/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: {
        identity: { methods: ['password'], password: { user } },
        scope: { project: { name: 'admin', domain } },
      },
    }),
  });
  return response.headers.get('x-subject-token') ?? '';
}
