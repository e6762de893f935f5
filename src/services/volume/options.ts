// The options of Volume.
import { option, wholeNumber, type OptionValues } from '../../kernel/options.ts';

export const volumeOptions = {
  volumeCapacity: option<number | undefined>({
    flag: '--volume-capacity <GiB>',
    help: 'total size of the volumes that a region can hold, in GiB',
    default: undefined,
    defaultText: 'no limit',
    parse: (text) => wholeNumber(text, 0, 999_999_999, 'Use a number of GiB, such as 100.'),
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof volumeOptions> {}
}
