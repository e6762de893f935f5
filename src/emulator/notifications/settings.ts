// The options of notifications.
import {
  InvalidOptionError,
  option,
  wholeNumber,
  type OptionValues,
} from '../../kernel/options.ts';

/** The highest number of notifications that a region can keep. */
export const mostKept = 100_000;

/** Reads a number of notifications to keep. @throws InvalidOptionError */
export const notificationCount = (text: string): number =>
  wholeNumber(text, 0, mostKept, `Use a number of notifications from 0 to ${mostKept}.`);

const example = 'amqp://guest:guest@127.0.0.1:5672/';

export const notificationOptions = {
  notifications: option<string | undefined>({
    flag: '--notifications <url>',
    group: 'Emulator',
    help: `publish the notifications of services on this message bus, such as ${example}`,
    default: undefined,
    parse: (text) => {
      if (/^amqps?:\/\/./.test(text) && URL.canParse(text)) return text;
      throw new InvalidOptionError(`Use the URL of a message bus, such as ${example}.`);
    },
  }),
  /** Undefined leaves the number as the database has it, which is 0 in a new cloud. */
  keepNotifications: option<number | undefined>({
    flag: '--keep-notifications <number>',
    group: 'Emulator',
    help:
      'keep the newest notifications of each region, up to this number, for cumulet ' +
      'notifications; 0 switches it off',
    default: undefined,
    defaultText: 'as last set, or 0',
    parse: notificationCount,
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof notificationOptions> {}
}
