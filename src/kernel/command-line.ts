// Turns declared options into options of commander, and names the command for messages.
import { basename, relative } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import {
  environmentVariable,
  InvalidOptionError,
  isFlag,
  isOn,
  type OptionDeclaration,
} from './options.ts';

/**
 * The option of commander for a declared one.
 * @param initial the default as text, for a command whose default is not the declared one
 * @param hasVariable whether the command reads the option from the environment too
 */
export function commanderOption<T>(
  declaration: OptionDeclaration<T>,
  initial?: string,
  hasVariable = true,
): Option {
  const { flag, choices, group } = declaration;
  const made = new Option(flag, helpOf(declaration, initial));
  const variable = environmentVariable(declaration);
  if (isFlag(declaration)) {
    made.preset('true');
    // Commander would take a variable with any value, such as 0, for the flag.
    const given = process.env[variable];
    hasVariable &&= given === undefined || isOn(given);
  } else if (flag.endsWith(']')) made.preset('true');
  if (hasVariable) made.env(variable);
  if (choices) made.choices([...choices]);
  made.argParser(
    argumentParser((text, previous: T | undefined) => declaration.parse(text, previous)),
  );
  if (group !== undefined) made.helpGroup(`${group}:`);
  if (initial !== undefined) made.default(declaration.parse(initial), initial);
  else if (declaration.defaultText === undefined && isScalar(declaration.default))
    made.default(declaration.default, String(declaration.default));
  return made;
}

/**
 * How the user runs `cumulet` here, for messages: as a linked command, as a file, or as npx: in a
 * clone, where npm also started this process, and in a program that uses the library.
 */
export function commandName(
  env: Readonly<Record<string, string | undefined>> = process.env,
  [, file = '']: readonly string[] = process.argv,
): string {
  if (env['npm_command'] !== undefined) return 'npx cumulet';
  if (/^cumulet\b/.test(basename(file))) return 'cumulet';
  return /^main\.[jt]s$/.test(basename(file)) ? `node ${relative('', file)}` : 'npx cumulet';
}

/** A parser for commander: it reports an invalid value together with the option. */
export const argumentParser =
  <T>(parse: (text: string, previous: T | undefined) => T) =>
  (text: string, previous: T | undefined): T => {
    try {
      return parse(text, previous);
    } catch (error) {
      throw error instanceof InvalidOptionError ? new InvalidArgumentError(error.message) : error;
    }
  };

/** The default as the help and the reference page show it; undefined if there is none. */
export function shownDefault({
  defaultText,
  default: value,
}: OptionDeclaration): string | undefined {
  return defaultText ?? (isScalar(value) ? String(value) : undefined);
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number';

/** Commander shows the defaults that it knows; the help text shows the others. */
const helpOf = ({ help, defaultText }: OptionDeclaration, initial: string | undefined): string =>
  initial !== undefined || defaultText === undefined ? help : `${help} (default: ${defaultText})`;
