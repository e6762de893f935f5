// Starts the emulator in this process. This file, and with it the whole emulator, is loaded by the
// first call of startCloud().
import { findConfigFile, lastingFields, textOf, valuesOfFile } from '../config-file.ts';
import { attributeOf, configFrom, configOptions } from '../config.ts';
import { ineffectiveOptions } from '../emulator/initial-options/warnings.ts';
import { environmentVariable, InvalidOptionError } from '../kernel/options.ts';
import { kernelOptions, type Config } from '../kernel/settings.ts';
import { run, type Running } from '../server.ts';
import { leftOut, libraryDefaults } from './defaults.ts';
import type { ServerOptions } from './server-options.ts';

/** Starts the emulator. @throws Error for an option that is unknown or not valid */
export async function startEmulator(options: ServerOptions, logLevel: string): Promise<Running> {
  const running = await run(configFor({ ...options }, logLevel));
  const { cloud } = running;
  for (const warning of await ineffectiveOptions(cloud)) cloud.log.warn(warning);
  return running;
}

/**
 * The configuration for options, whose values are checked as those of the command line are, and for
 * the configuration file.
 */
function configFor(given: Readonly<Record<string, unknown>>, logLevel: string): Config {
  const texts = textsOf(given);
  const file = findConfigFile(texts['config'] ?? process.env[configVariable]);
  const own = parsedAll(texts);
  return configFrom({
    ...parsedAll(libraryDefaults),
    ...(file !== undefined && withoutLasting(valuesOfFile(file, own))),
    ...own,
    config: file,
    ...parsedAll({ logLevel }),
  });
}

/** The variable that names the configuration file: the only one that `startCloud()` reads. */
const configVariable = environmentVariable(kernelOptions.configFile);

/** The values of a configuration file that matter for a cloud in this process. */
const withoutLasting = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name]) => !leftOut.includes(name) && !(lastingFields as readonly string[]).includes(name),
    ),
  );

const parsedAll = (texts: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, parsed(name, text)]));

/** The options as the command line has them: lists and objects become lists of words. */
function textsOf(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [checkedName(name), textOf(value)]),
  );
}

function checkedName(name: string): string {
  const known = configOptions
    .map(({ declaration }) => attributeOf(declaration))
    .filter((one) => !leftOut.includes(one));
  if (known.includes(name)) return name;
  throw new Error(
    `startCloud() has no option '${name}'. Its options are clock, log, ${known.join(', ')}.`,
  );
}

function parsed(name: string, text: string): unknown {
  const { declaration } = configOptions.find((one) => attributeOf(one.declaration) === name)!;
  try {
    return declaration.parse(text);
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error;
    const message = `'${text}' is not valid for the option '${name}'. ${error.message}`;
    throw new Error(message, { cause: error });
  }
}
