// Tells a story in the terminal: shows each step, takes it unless the reader has, and shows the
// result.
import { pause } from '../../kernel/clock.ts';
import { defaultPassword } from '../../kernel/settings.ts';
import type { Story } from '../../stories/model.ts';
import { filled, firstValues, takeStep, type Sender } from '../../stories/play.ts';

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
  const clock = (await (await fetch(`${origin}/_emulator/clock`)).json()) as { now: string };
  const values = firstValues(origin, clock.now);
  const sender = senderTo(origin, await signIn(origin), reader);
  for (const [index, step] of story.steps.entries()) {
    reader.write(`\n${index + 1}. ${step.text}\n\n   ${filled(step.command, values)}\n\n`);
    if (!(await reader.wantsStep())) continue;
    await takeStep(step, values, sender);
    if (step.show) await reader.run(step.show);
  }
}

/** Sends requests, and shows those that change something or fail. */
const senderTo = (origin: string, token: string, { write }: Reader): Sender => ({
  wait: () => pause(100),
  send: async ({ method, path, body, version }) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        'x-auth-token': token,
        'content-type': 'application/json',
        ...(version === undefined ? {} : { 'openstack-api-version': version }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (method !== 'GET' || !response.ok) write(`   ${method} ${path}: ${response.status}\n`);
    return { status: response.status, body: text ? (JSON.parse(text) as unknown) : undefined };
  },
});

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
