// Runs test modules in `driver.py`, a Python interpreter that has an upstream suite loaded.
import { readFileSync } from 'node:fs';
import { startPython } from '../clients.ts';
import type { Result } from './exceptions.ts';

export interface PythonSuite {
  readonly version: string;
  /**
   * Writes files and sets environment variables. `${folder}` in a value is replaced by the folder
   * of the files.
   */
  configure(
    files: Readonly<Record<string, string>>,
    environment: Readonly<Record<string, string>>,
  ): Promise<void>;
  /**
   * Moves the clock of the emulator at this address whenever a test sleeps. With null, tests really
   * sleep.
   */
  setClock(origin: string | null): Promise<void>;
  /** The names of the test modules in a package; undefined if this release has no such package. */
  modules(name: string): Promise<readonly string[] | undefined>;
  /** Runs the tests of a module except those with these names. @returns their results */
  run(module: string, without: readonly string[]): Promise<readonly Result[]>;
  stop(): void;
}

export interface PythonPackage {
  /** The distribution that contains the suite, and its package there. */
  readonly distribution: string;
  readonly inside: string;
  /** A Python program to run before the driver. */
  readonly ahead?: URL;
}

/** Starts the interpreter with a suite. @returns a string with the reason if that is impossible */
export async function startPythonSuite({
  distribution,
  inside,
  ahead,
}: PythonPackage): Promise<PythonSuite | string> {
  const driver = [ahead, new URL('driver.py', import.meta.url)]
    .map((file) => (file ? readFileSync(file, 'utf8') : ''))
    .join('\n');
  const { child, lines } = startPython(['-W', 'ignore', '-c', driver, distribution, inside]);
  const hello = await lines.next();
  if (typeof hello === 'string') return hello;
  if ('missing' in hello) return String(hello['missing']);
  const request = async (command: object): Promise<Record<string, unknown>> => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    const reply = await lines.next();
    if (typeof reply === 'string')
      throw new Error(`the interpreter of ${distribution} exited: ${reply}`);
    return reply;
  };
  return {
    version: String(hello['version']),
    configure: async (files, environment) => void (await request({ files, environment })),
    setClock: async (origin) => void (await request({ clock: origin })),
    modules: async (name) =>
      (await request({ modules: name }))['modules'] as readonly string[] | undefined,
    run: async (module, without) =>
      (await request({ run: module, without }))['results'] as readonly Result[],
    stop: () => child.stdin.end(),
  };
}
