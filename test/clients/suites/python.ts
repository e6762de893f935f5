// Talks to `driver.py`: a Python interpreter with a suite of upstream's in it, which runs one
// module after the other.
import { readFileSync } from 'node:fs';
import { startPython } from '../clients.ts';
import type { Result } from './exceptions.ts';

export interface PythonSuite {
  readonly version: string;
  /**
   * Writes files, and sets variables of the environment, in which `${folder}` stands for where the
   * files are.
   */
  configure(
    files: Readonly<Record<string, string>>,
    environment: Readonly<Record<string, string>>,
  ): Promise<void>;
  /**
   * Lets the clock of the emulator at that address move where a test sleeps; without one, tests
   * sleep as long as they say.
   */
  setClock(origin: string | null): Promise<void>;
  /**
   * The names of the test modules in a package; undefined where this release has no such package.
   */
  modules(name: string): Promise<readonly string[] | undefined>;
  /** The results of a module's tests, but of those with these names. */
  run(module: string, without: readonly string[]): Promise<readonly Result[]>;
  stop(): void;
}

export interface PythonPackage {
  /** The distribution that has the suite, and the package in it. */
  readonly distribution: string;
  readonly inside: string;
  /** A Python program that goes before the driver. */
  readonly ahead?: URL;
}

/** Starts the interpreter with a suite; a string says why it cannot be. */
export async function startPythonSuite({
  distribution,
  inside,
  ahead,
}: PythonPackage): Promise<PythonSuite | string> {
  const driver = [ahead, new URL('driver.py', import.meta.url)]
    .map((file) => (file ? readFileSync(file, 'utf8') : ''))
    .join('\n');
  const { child, conversation } = startPython(['-W', 'ignore', '-c', driver, distribution, inside]);
  const hello = await conversation.next();
  if (typeof hello === 'string') return hello;
  if ('missing' in hello) return String(hello['missing']);
  const ask = async (told: object): Promise<Record<string, unknown>> => {
    child.stdin.write(`${JSON.stringify(told)}\n`);
    const answer = await conversation.next();
    if (typeof answer === 'string')
      throw new Error(`the interpreter of ${distribution} ended: ${answer}`);
    return answer;
  };
  return {
    version: String(hello['version']),
    configure: async (files, environment) => void (await ask({ files, environment })),
    setClock: async (origin) => void (await ask({ clock: origin })),
    modules: async (name) =>
      (await ask({ modules: name }))['modules'] as readonly string[] | undefined,
    run: async (module, without) =>
      (await ask({ run: module, without }))['results'] as readonly Result[],
    stop: () => child.stdin.end(),
  };
}
