// Runs cases in `cli.py`, a Python interpreter that has the real CLIs loaded.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Case } from './cases.ts';

/** The first line from the interpreter. */
export interface Hello {
  readonly versions: Readonly<Record<string, string>>;
  /** The names of all commands of the placement plugin. */
  readonly placement: readonly string[];
  /** The commands of the Clustering plugin; empty if it is not installed. */
  readonly clustering: readonly string[];
  /** The commands of the Reservation plugin; empty if it is not installed. */
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
 * Starts the interpreter with `own` added to its environment. The program is passed as an argument,
 * because a chroot may not contain the file.
 * @returns a string with the reason if that is impossible
 */
export async function startClients(own: Environment = {}): Promise<Clients | string> {
  const program = readFileSync(new URL('cli.py', import.meta.url), 'utf8');
  const { command, child, lines } = startPython(['-c', program], own);
  const first = await lines.next();
  if (typeof first === 'string') return `${command} failed to start: ${first}`;
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
        `${JSON.stringify({
          case: one,
          environment: { ...administrator(authUrl), ...environment },
        })}\n`,
      );
      const answer = await lines.next();
      if (typeof answer === 'string')
        throw new Error(`the interpreter of the clients exited: ${answer}`);
      return answer as unknown as Outcome;
    },
    stop: () => child.stdin.end(),
  };
}

export interface Python {
  readonly command: string;
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: Lines;
}

/** Starts the interpreter that has the clients. Both sides exchange lines of JSON. */
export function startPython(args: readonly string[], own: Environment = {}): Python {
  const words = (process.env['CUMULET_TEST_PYTHON'] ?? '/usr/bin/python3')
    .split(/\s+/)
    .filter((word) => word !== '');
  const [command = '', ...before] = words;
  const env = { ...process.env, ...own, LC_ALL: 'C.UTF-8', PYTHONIOENCODING: 'utf-8' };
  const child = spawn(command, [...before, ...args], { env });
  return { command, child, lines: readLines(child) };
}

interface Lines {
  next(): Promise<Record<string, unknown> | string>;
}

/**
 * Returns the interpreter's lines in order; once it has exited, its output on stderr as a string.
 */
function readLines(child: ChildProcessWithoutNullStreams): Lines {
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  child.on('error', (error) => (errors += error.message));
  child.stdin.on('error', (error) => (errors += error.message));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const line = await lines.next();
      return line.done === true ? errors : (JSON.parse(line.value) as Record<string, unknown>);
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
