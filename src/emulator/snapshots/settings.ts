// The option for the file that a new cloud starts from.
import { textOption, type OptionValues } from '../../kernel/options.ts';

export const seedOptions = {
  /** The file that a new cloud, and a reset of the whole cloud, starts from. */
  seed: textOption({
    flag: '--seed <file>',
    group: 'Emulator',
    help:
      "file of 'cumulet export' that a new cloud, and each reset of the whole cloud, starts " +
      'from',
    defaultText: 'built-in users, flavors, hosts and an image',
    fillsCloud: true,
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof seedOptions> {}
}
