// Adds the options of a cloud to the commands that start one.
import type { Command } from 'commander';
import { configOptions } from '../config.ts';
import { commanderOption } from '../kernel/command-line.ts';
import type { Config } from '../kernel/settings.ts';
import { noConfigOption } from '../emulator/client.ts';

/** Defaults of a command that differ from those of the options, by field, as text. */
export type InitialValues = Partial<Readonly<Record<keyof Config, string>>>;

/**
 * Adds the options of a cloud to a command. Environment variables and configuration files set them
 * too, except for the fields in `withoutVariable`.
 */
export function withServerOptions(
  command: Command,
  initial: InitialValues = {},
  withoutVariable: readonly (keyof Config)[] = [],
): Command {
  for (const { field, declaration } of configOptions as readonly NamedOption[])
    command.addOption(
      commanderOption(declaration, initial[field], !withoutVariable.includes(field)),
    );
  return command.addOption(noConfigOption());
}

type NamedOption = (typeof configOptions)[number] & { readonly field: keyof Config };
