// The option of the request journal.
import { option, wholeNumber, type OptionValues } from '../../kernel/options.ts';

/** The highest number of requests that the journal can keep. */
export const mostKept = 20_000;

/** Reads a number of requests to keep. @throws InvalidOptionError */
export const journalLength = (text: string): number =>
  wholeNumber(text, 0, mostKept, `Use a number of requests from 0 to ${mostKept}.`);

export const journalOptions = {
  /** Undefined leaves the number as the database has it, which is 0 in a new cloud. */
  journal: option<number | undefined>({
    flag: '--journal <number>',
    group: 'Emulator',
    help: 'record the newest requests, up to this number, for cumulet requests; 0 switches it off',
    default: undefined,
    defaultText: 'as last set, or 0',
    parse: journalLength,
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof journalOptions> {}
}
