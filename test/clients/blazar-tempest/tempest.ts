// Talks to `driver.py`: a Python interpreter with tempest in it, which runs one module after the other.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { startPython } from '../clients.ts';

export type Sections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What `plan.yaml` says. */
export interface Plan {
  /** Of the emulator. */
  readonly flags: readonly string[];
  readonly config: Sections;
  readonly modules: readonly string[];
}

export interface Result {
  readonly test: string;
  readonly outcome: 'passed' | 'skipped' | 'failed';
  /** Why it was skipped, or the traceback. */
  readonly message: string;
}

export interface Tempest {
  readonly version: string;
  configure(config: Sections): Promise<void>;
  /** The results of a module's tests; undefined where this tempest has no such module. */
  run(module: string): Promise<readonly Result[] | undefined>;
  stop(): void;
}

const source = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

export const readPlan = (): Plan => parse(source('plan.yaml')) as Plan;

/** The configuration with names such as `${origin}` filled in. */
export function fillIn(config: Sections, names: Readonly<Record<string, string>>): Sections {
  const text = JSON.stringify(config).replaceAll(/\$\{(\w+)\}/g, (_, name: string) => names[name]!);
  return JSON.parse(text) as Sections;
}

/** Starts the interpreter with this in its environment; a string says why it cannot be. */
export async function startTempest(env: Readonly<Record<string, string>>): Promise<Tempest | string> {
  const program = `${source('plugin.py')}\n${source('driver.py')}`;
  const { child, conversation } = startPython(['-W', 'ignore', '-c', program], env);
  const hello = await conversation.next();
  if (typeof hello === 'string') return hello;
  if ('missing' in hello) return String(hello['missing']);
  const ask = async (told: object): Promise<Record<string, unknown>> => {
    child.stdin.write(`${JSON.stringify(told)}\n`);
    const answer = await conversation.next();
    if (typeof answer === 'string') throw new Error(`tempest's interpreter ended: ${answer}`);
    return answer;
  };
  return {
    version: String(hello['version']),
    configure: async (config) => void (await ask({ config })),
    run: async (module) => (await ask({ module }))['results'] as readonly Result[] | undefined,
    stop: () => child.stdin.end(),
  };
}
