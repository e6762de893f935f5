// The words that a shell completes, by command, as commander knows the commands.
import type { Command, Option } from 'commander';

/** A word with its description. */
export interface Word {
  readonly text: string;
  readonly description: string;
}

/** An option as it is completed. */
export interface CompletedOption {
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  /** The only values; undefined if any is valid, such as a file. */
  readonly values: readonly string[] | undefined;
}

/** What may follow a command. */
export interface Place {
  /** The command with those above it, such as `cumulet region add`. */
  readonly path: string;
  /** Subcommands, and the values of the first argument. */
  readonly words: readonly Word[];
  readonly options: readonly CompletedOption[];
}

/** All commands. Without a command, the options are those of `start`. */
export function placesOf(program: Command): Place[] {
  const start = program.commands.find((command) => command.name() === 'start');
  return placesBelow(program, 'cumulet', start ? start.options : []);
}

function placesBelow(command: Command, path: string, more: readonly Option[] = []): Place[] {
  const [argument] = command.registeredArguments;
  const visible = [...command.options, ...more].filter(({ hidden }) => !hidden);
  const place = {
    path,
    words: [
      ...command.commands.map((one) => word(one.name(), one.description())),
      ...(argument?.argChoices ?? []).map((choice) => word(choice, argument!.description)),
    ],
    options: [
      ...visible.map(completed),
      { flags: ['-h', '--help'], description: 'show help', takesValue: false, values: undefined },
    ],
  };
  const below = command.commands.flatMap((one) => placesBelow(one, `${path} ${one.name()}`));
  return [place, ...below];
}

const completed = (option: Option): CompletedOption => ({
  flags: [option.short, option.long].filter((flag) => flag !== undefined),
  description: option.description.replaceAll(/\s+/g, ' '),
  takesValue: option.required || option.optional,
  values: option.argChoices,
});

const word = (text: string, description: string): Word => ({
  text,
  description: description.replaceAll(/\s+/g, ' '),
});
