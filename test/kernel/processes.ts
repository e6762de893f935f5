// Runs the command line as a separate process, for tests.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programArguments } from '../support/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running command. */
export interface Process {
  /**
   * Resolves with the match of `pattern` in standard output; rejects if the process ends before.
   */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
  readonly pid: number;
  /** Its output on standard error so far. */
  err(): string;
}

interface Surroundings {
  /** The working directory, instead of the root of the project. */
  readonly cwd?: string | undefined;
  /** The CUMULET_ variables, instead of those of the tests. */
  readonly env?: Record<string, string> | undefined;
  /** Whether it runs as the child of another process, such as npm. */
  readonly beneath?: boolean | undefined;
  /** A file for standard error, instead of a pipe. */
  readonly errors?: number | undefined;
}

/** Runs `cumulet` with these arguments. */
export function cumulet(
  args: readonly string[],
  { cwd = root, env = {}, beneath = false, errors }: Surroundings = {},
): Process {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CUMULET_|OS_|NODE_OPTIONS)/.test(name),
  );
  const node = [process.execPath, ...programArguments(), ...args];
  const [file, ...rest] = beneath ? ['/bin/sh', '-c', '"$@"; exit', 'sh', ...node] : node;
  const child = spawn(file!, rest, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', errors ?? 'pipe'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  let out = '';
  let err = '';
  const listeners = new Set<() => void>();
  child.stdout!.on('data', (data: Buffer) => {
    out += data.toString();
    for (const listener of listeners) listener();
  });
  child.stderr?.on('data', (data: Buffer) => (err += data.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      process.off('exit', kill);
      resolve({ code, out, err });
    });
  });
  const said = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(out);
        if (found) resolve(found);
      };
      listeners.add(look);
      look();
      void ended.then(({ code }) =>
        reject(new Error(`it ended with ${code} and without ${pattern}:\n${out}${err}`)),
      );
    });
  return {
    said,
    ended,
    kill: (signal) => void child.kill(signal),
    pid: child.pid!,
    err: () => err,
  };
}

const listening = /Cumulet listens at (http:\/\/\S+)/;

/** The address of a started emulator. */
export const urlOf = async (process: Process): Promise<string> =>
  (await process.said(listening))[1]!;
