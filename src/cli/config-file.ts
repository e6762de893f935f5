// Takes the options of a command from the configuration file, unless they are given otherwise.
import type { Command, OptionValueSource } from 'commander';
import { findConfigFile, valuesOfFile } from '../config-file.ts';
import { attributeOf, configOptions } from '../config.ts';
import { environmentVariable } from '../kernel/options.ts';

/**
 * Reads the configuration file of a command before the command runs. The command line and variables
 * take precedence. An option that ignores its variable ignores the file as well.
 * @throws Error for a mistake in the file
 */
export function readConfigFile(command: Command): void {
  if (!command.options.some(({ long }) => long === '--config')) return;
  const named = command.getOptionValue('config') as string | false | undefined;
  const names = namesOf(command);
  // The file describes one emulator: it does not apply to one that a URL names.
  const isElsewhere = isGiven(command.getOptionValueSource('url'));
  const file = isElsewhere ? undefined : findConfigFile(named === false ? 'off' : named);
  command.setOptionValue('config', file);
  if (file === undefined) return;
  const given = names
    .filter((name) => isGiven(command.getOptionValueSource(name)))
    .map((name) => [name, command.getOptionValue(name) as unknown]);
  for (const [name, value] of Object.entries(valuesOfFile(file, Object.fromEntries(given))))
    if (names.includes(name)) command.setOptionValueWithSource(name, value, 'config');
}

const isGiven = (source: OptionValueSource | undefined): boolean =>
  source === 'cli' || source === 'env';

/** The options of a cloud that a command has, and that their variables set. */
function namesOf({ options }: Command): string[] {
  const variables = new Set(options.map(({ envVar }) => envVar));
  return configOptions
    .map(({ declaration }) => declaration)
    .filter((declaration) => variables.has(environmentVariable(declaration)))
    .map(attributeOf);
}
