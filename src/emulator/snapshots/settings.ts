// The options for the file that a new cloud starts from.
import { choiceOption, pathOption, type OptionValues } from '../../kernel/options.ts';

export const seedOptions = {
  /** The file that a new cloud, and a reset of the whole cloud, starts from. */
  seed: pathOption({
    flag: '--seed <file>',
    group: 'Emulator',
    help:
      "a world (.yaml), or a file of 'cumulet export', that a new cloud, and each reset of the " +
      'whole cloud, starts from',
    defaultText: 'built-in users, flavors, hosts and an image',
    fillsCloud: true,
  }),
  /** Whether the references of that file's rows that no foreign key holds may be broken. */
  seedReferences: choiceOption({
    flag: '--seed-references <rule>',
    group: 'Emulator',
    help:
      'refuse a file of --seed whose rows refer to resources that it lacks (complete), or ' +
      'accept it (any)',
    choices: ['complete', 'any'],
    default: 'complete',
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof seedOptions> {}
}
