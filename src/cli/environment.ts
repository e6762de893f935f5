// Finds mistakes in the environment: variables that no option has, and options that npm has taken.
import { urlVariable } from '../emulator/client.ts';
import { environmentVariable, optionName } from '../kernel/options.ts';
import { suggestion } from '../kernel/user/nearest.ts';
import { configOptions } from '../config.ts';

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
