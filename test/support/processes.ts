// Starts emulators as separate processes, for tests that need the real command line or several
// processes.
import { expect } from 'chai';
import { spawn, type SpawnOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { databases } from './databases.ts';
import { programArguments } from './program.ts';

export interface Emulator {
  readonly origin: string;
  /** Its latest output, such as errors in its log. */
  output(): string;
  /** @returns its exit code */
  stop(): Promise<number | null>;
  /** Kills the process at once, whatever it is doing. */
  kill(): Promise<unknown>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const startArguments = ['start', '--port', '0', '--log-level', 'error'];

/**
 * Starts an emulator with these flags on a free port.
 * @throws Error with its output if it exits before it listens
 */
export async function startEmulator(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Emulator> {
  const command = [...programArguments(), ...startArguments, ...flags];
  const options = { cwd: root, env: { ...process.env, ...env } };
  return startServer('The emulator', [process.execPath, ...command], options);
}

/**
 * Starts a program that prints `listens at` with its address.
 * @param title begins the message of the error
 * @throws Error with its output if it exits before it listens
 */
export async function startServer(
  title: string,
  [command, ...args]: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'>,
): Promise<Emulator> {
  const child = spawn(command!, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-100_000));
  child.stderr.on('data', keep);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      keep(chunk);
      const found = /listens at (\S+)\n/.exec(output);
      if (found) resolve(found[1]!);
    });
    void ended.then((code) => reject(new Error(`${title} ended with ${code}: ${output}`)));
  });
  return {
    origin,
    output: () => output,
    stop: () => {
      process.off('exit', kill);
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => {
      process.off('exit', kill);
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/**
 * Declares a suite on several emulators that share a MySQL database, if MySQL is available. They
 * all start at the same time on an empty database, which also tests concurrent migrations.
 */
export function onProcesses<Origins extends readonly string[]>(
  count: number,
  title: string,
  flags: readonly string[],
  suite: (origins: () => Origins) => void,
): void {
  describe(title, () => {
    let processes: Emulator[] = [];

    before(async function () {
      const url = await databases.freshUrl();
      if (!url) return this.skip();
      const all = ['--database', url, '--auth', 'noauth2', ...flags];
      processes = await Promise.all(Array.from({ length: count }, () => startEmulator(all)));
    });

    after(async () => {
      for (const one of processes) expect(await one.stop()).to.equal(0);
    });

    suite(() => processes.map(({ origin }) => origin) as readonly string[] as Origins);
  });
}

/** Declares a suite on two emulators that share a MySQL database. */
export const onTwoProcesses = (
  title: string,
  flags: readonly string[],
  suite: (origins: () => readonly [string, string]) => void,
): void => onProcesses<readonly [string, string]>(2, title, flags, suite);
