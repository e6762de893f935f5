// The options of the emulator: that for its control API, and those of its features.
import { textOption, type OptionValues } from '../kernel/options.ts';
import { explainOptions } from './explain/settings.ts';
import { journalOptions } from './journal/settings.ts';
import { notificationOptions } from './notifications/settings.ts';
import { seedOptions } from './snapshots/settings.ts';
import { presetOptions } from './worlds/settings.ts';

/** The option that opens the control API to other machines. */
export const accessOptions = {
  controlToken: textOption({
    flag: '--control-token <token>',
    group: 'Emulator',
    help:
      'token that requests to /_emulator must send in X-Control-Token; other machines may then ' +
      'send them too',
  }),
};

/** The options of the emulator and its features, in the order of the help. */
export const emulatorOptions = {
  ...presetOptions,
  ...seedOptions,
  ...explainOptions,
  ...journalOptions,
  ...notificationOptions,
  ...accessOptions,
};

declare module '../kernel/settings.ts' {
  interface Config extends OptionValues<typeof accessOptions> {}
}
