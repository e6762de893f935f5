// Finds mistakes in the environment: variables that no option has, and options that npm has taken.
import { urlVariable } from '../emulator/client.ts';
import { environmentVariable, optionName } from '../kernel/options.ts';
import { configOptions } from './config.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of tests and benchmarks. */
const ofSuites = /^CUMULET_(?:TEST|BENCH)_/;

/** A sentence for each CUMULET_ variable that has no effect, with the nearest name that has one. */
export function unknownVariables(env: Environment): string[] {
  const known = [
    ...configOptions.map(({ declaration }) => environmentVariable(declaration)),
    urlVariable,
  ];
  return Object.keys(env)
    .filter((name) => name.startsWith('CUMULET_') && !known.includes(name) && !ofSuites.test(name))
    .map((name) => `There is no variable ${name}, so it has no effect.${suggestion(name, known)}`);
}

/** How many letters two names may differ in to be a slip of the keyboard. */
const maxDistance = 3;

function suggestion(name: string, known: readonly string[]): string {
  const [nearest] = known
    .map((one) => ({ one, distance: distanceBetween(name, one) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance);
  return nearest ? ` Did you mean ${nearest.one}?` : '';
}

/** The number of letters to insert, delete or replace (Levenshtein's distance). */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 0; line < one.length; line++) {
    const next = [line + 1];
    for (let at = 0; at < other.length; at++)
      next.push(
        Math.min(next[at]! + 1, row[at + 1]! + 1, row[at]! + (one[line] === other[at] ? 0 : 1)),
      );
    row = next;
  }
  return row.at(-1)!;
}

/**
 * Refuses a start with options before which `--` is missing: npm takes them for its own, and passes
 * at most their values on.
 * @throws Error with the right command
 */
export function refuseOptionsOfNpm(env: Environment): void {
  if (env['npm_lifecycle_event'] !== 'start') return;
  const taken = configOptions
    .filter(({ declaration }) => npmVariable(optionName(declaration)) in env)
    .map(({ declaration }) => declaration.flag);
  if (taken.length)
    throw new Error(
      `npm has taken ${taken.map((flag) => flag.split(' ')[0]).join(' and ')} for itself. Write ` +
        `options after --, as in: npm start -- ${taken.join(' ')}`,
    );
}

const npmVariable = (option: string): string => `npm_config_${option.replaceAll('-', '_')}`;
