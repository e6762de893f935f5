// The options of Volume.
import { option, wholeNumber, type OptionValues } from '../../kernel/options.ts';

export const volumeOptions = {
  volumeBackends: option<number>({
    flag: '--volume-backends <number>',
    help: 'how many backends for volumes a region has, each with a volume type of its name',
    default: 1,
    parse: (text) => wholeNumber(text, 1, 100, 'Use a number from 1 to 100.'),
  }),
  volumeCapacity: option<number | undefined>({
    flag: '--volume-capacity <GiB>',
    help: 'total size of the volumes that each backend can hold, in GiB',
    default: undefined,
    defaultText: 'no limit',
    parse: (text) => wholeNumber(text, 0, 999_999_999, 'Use a number of GiB, such as 100.'),
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof volumeOptions> {}
}
