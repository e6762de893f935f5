// How the kernel, a feature or a service declares its options: flag, type, default and help.
import { resolve } from 'node:path';
import { SECOND, type Micros } from './clock.ts';

/**
 * One option of the command line, and one field of the configuration. Everything about it is said
 * here once: commander, the environment, the type of the configuration, `--help` and the reference
 * page are all derived from it.
 */
export interface OptionDeclaration<T = unknown> {
  /** As the help shows it, such as `--port <number>`. */
  readonly flag: string;
  readonly help: string;
  /** The heading in the help; without one, the description of the service that declares it. */
  readonly group?: string;
  /** The only values that are valid, for an option that takes a word. */
  readonly choices?: readonly string[];
  readonly default: T;
  /**
   * The default as the help shows it, if `default` itself does not show it. The value that
   * commander parses is then undefined unless the option is given.
   */
  readonly defaultText?: string;
  /** The default of an option that depends on other fields of the configuration. */
  defaultFor?(given: Readonly<Record<string, unknown>>): T;
  /**
   * Reads the value. A repeatable option adds it to the values before it.
   * @throws InvalidOptionError
   */
  parse(text: string, previous?: T): T;
  /**
   * Whether the value only matters for what a new cloud, or a reset of the whole cloud, is filled
   * with. A start warns if the cloud was filled with another value.
   */
  readonly fillsCloud?: boolean;
  /**
   * The text for a value of a configuration file in `folder`: a relative path in it is relative to
   * that folder, and not to the working directory.
   */
  within?(text: string, folder: string): string;
  /** Other fields that follow from the value: they cannot be given as well. */
  implies?(value: T): Readonly<Record<string, unknown>>;
}

/** The options of a service or a feature, by their field in the configuration. */
export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;

/** The fields that options have in the configuration. */
export type OptionValues<Declarations> = {
  readonly [Field in keyof Declarations]: Declarations[Field] extends OptionDeclaration<infer T>
    ? T
    : never;
};

/** A value that an option does not accept; the message says what it accepts. */
export class InvalidOptionError extends Error {}

/** Declares an option with a value of type `T`. */
export const option = <T>(declaration: OptionDeclaration<T>): OptionDeclaration<T> => declaration;

/** Whether an option is on the command line without a value. */
export const isFlag = ({ flag }: Pick<OptionDeclaration, 'flag'>): boolean => !/[<[]/.test(flag);

/** The words with which an environment variable, or a program, leaves a flag out. */
const off: readonly string[] = ['', '0', 'false', 'no', 'off'];

/** Whether the text for a flag switches it on. */
export const isOn = (text: string): boolean => !off.includes(text.toLowerCase());

/** Declares an option without a value, which is off by default. */
export const flagOption = (
  declaration: Omit<OptionDeclaration<boolean>, 'parse' | 'default'>,
): OptionDeclaration<boolean> => option({ ...declaration, default: false, parse: isOn });

type TextOption = Omit<OptionDeclaration<string | undefined>, 'parse' | 'default'>;

/** Declares an option with any text and no default. */
export const textOption = (declaration: TextOption): OptionDeclaration<string | undefined> =>
  option({ ...declaration, default: undefined, parse: (text) => text });

/** Declares an option with the path of a file or folder, and no default. */
export const pathOption = (declaration: TextOption): OptionDeclaration<string | undefined> =>
  textOption({ ...declaration, within: (text, folder) => resolve(folder, text) });

interface ChoiceOption<T extends string> extends Omit<OptionDeclaration<T>, 'parse' | 'choices'> {
  readonly choices: readonly T[];
}

/** Declares an option whose value is one of a few words. */
export const choiceOption = <T extends string>(
  declaration: ChoiceOption<T>,
): OptionDeclaration<T> =>
  option<T>({ ...declaration, parse: (text) => oneOf(declaration.choices, text) });

/** Reads one of a few words. @throws InvalidOptionError */
export function oneOf<T extends string>(choices: readonly T[], text: string): T {
  const chosen = choices.find((choice) => choice === text);
  if (chosen === undefined) throw new InvalidOptionError(`Use one of ${choices.join(', ')}.`);
  return chosen;
}

/** The name of an option on the command line, such as `port`. */
export const optionName = ({ flag }: Pick<OptionDeclaration, 'flag'>): string =>
  /^--([a-z-]+)/.exec(flag)![1]!;

/** The environment variable that sets an option, such as `CUMULET_PORT`. */
export const environmentVariable = (declaration: Pick<OptionDeclaration, 'flag'>): string =>
  `CUMULET_${optionName(declaration).toUpperCase().replaceAll('-', '_')}`;

/** The parts of a value that is a list, separated by commas or spaces. */
export const listOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** Reads a whole number of a range. @throws InvalidOptionError with `expected` */
export function wholeNumber(text: string, min: number, max: number, expected: string): number {
  if (!/^(0|-?[1-9]\d{0,9})$/.test(text.replace(/^0+(?=\d)/, '')))
    throw new InvalidOptionError(expected);
  const value = Number(text);
  if (value < min || value > max) throw new InvalidOptionError(expected);
  return value;
}

const units: Readonly<Record<string, Micros>> = {
  ms: SECOND / 1000,
  s: SECOND,
  m: 60 * SECOND,
  h: 3600 * SECOND,
  d: 86_400 * SECOND,
};

/** Reads a duration in microseconds, such as 500ms or 12h. @throws InvalidOptionError */
export function parseDuration(text: string): Micros {
  const match = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/i.exec(text);
  if (!match)
    throw new InvalidOptionError('Use a number with a unit (ms, s, m, h or d), such as 12h.');
  return Math.round(Number(match[1]) * units[match[2]!.toLowerCase()]!);
}
