// Talks to `cli.py`: a Python interpreter with the real CLIs in it, to which a case is told and
// which answers how it went.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Case } from './cases.ts';

/** What the interpreter says first. */
export interface Hello {
  readonly versions: Readonly<Record<string, string>>;
  /** The names of all commands of the placement plugin. */
  readonly placement: readonly string[];
  /** Those of the plugin of Clustering; none, where it is not installed. */
  readonly clustering: readonly string[];
  /** Those of the plugin of Reservation; none, where it is not installed. */
  readonly reservation: readonly string[];
}

export interface Outcome {
  readonly failure?: string;
  readonly skipped?: string;
  /** The names of the commands that were called. */
  readonly called: readonly string[];
}

type Environment = Readonly<Record<string, string>>;

export interface Clients {
  readonly hello: Hello;
  /** `environment` is added to the administrator's. */
  run(one: Case, authUrl: string, environment?: Environment): Promise<Outcome>;
  stop(): void;
}

/**
 * Starts the interpreter, with `own` in its environment; a string says why it cannot be. The
 * program goes along as an argument: a chroot need not see the file.
 */
export async function startClients(own: Environment = {}): Promise<Clients | string> {
  const program = readFileSync(new URL('cli.py', import.meta.url), 'utf8');
  const { command, child, conversation } = startPython(['-c', program], own);
  const first = await conversation.next();
  if (typeof first === 'string') return `${command} does not run: ${first}`;
  if ('missing' in first) return `${command}: ${String(first['missing'])}`;
  const hello = first as unknown as Hello;
  if (hello.placement.length === 0) {
    child.stdin.end();
    return `${command}: osc-placement is not installed`;
  }
  return {
    hello,
    async run(one, authUrl, environment = {}) {
      child.stdin.write(
        `${JSON.stringify({ case: one, environment: { ...administrator(authUrl), ...environment } })}\n`,
      );
      const answer = await conversation.next();
      if (typeof answer === 'string') throw new Error(`the clients' interpreter ended: ${answer}`);
      return answer as unknown as Outcome;
    },
    stop: () => child.stdin.end(),
  };
}

export interface Python {
  readonly command: string;
  readonly child: ChildProcessWithoutNullStreams;
  readonly conversation: Conversation;
}

/** Starts the interpreter that has the clients; it is spoken to in lines of JSON. */
export function startPython(args: readonly string[], own: Environment = {}): Python {
  const words = (process.env['CUMULET_TEST_PYTHON'] ?? '/usr/bin/python3')
    .split(/\s+/)
    .filter((word) => word !== '');
  const [command = '', ...before] = words;
  const env = { ...process.env, ...own, LC_ALL: 'C.UTF-8', PYTHONIOENCODING: 'utf-8' };
  const child = spawn(command, [...before, ...args], { env });
  return { command, child, conversation: converse(child) };
}

interface Conversation {
  next(): Promise<Record<string, unknown> | string>;
}

/**
 * The lines that the interpreter says, one after the other; a string instead is what it said on
 * stderr before it ended.
 */
function converse(child: ChildProcessWithoutNullStreams): Conversation {
  let complaints = '';
  child.stderr.on('data', (data: Buffer) => (complaints += data.toString()));
  child.on('error', (error) => (complaints += error.message));
  child.stdin.on('error', (error) => (complaints += error.message));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const line = await lines.next();
      return line.done === true ? complaints : (JSON.parse(line.value) as Record<string, unknown>);
    },
  };
}

/** The environment in which the administrator's commands run. */
function administrator(authUrl: string): Record<string, string> {
  return {
    OS_AUTH_URL: authUrl,
    OS_IDENTITY_API_VERSION: '3',
    OS_REGION_NAME: 'RegionOne',
    OS_USERNAME: 'admin',
    OS_PASSWORD: 'secret',
    OS_PROJECT_NAME: 'admin',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_DOMAIN_NAME: 'Default',
  };
}
