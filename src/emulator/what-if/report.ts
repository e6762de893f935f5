// Renders a what-if: for programs, and as lines that people can read.
import { tableLines } from '../../kernel/user/table.ts';
import { whatIfFormat, type Answer, type Compared, type Made } from './model.ts';

/** Renders the result as the API returns it. */
export const whatIfView = (
  region: string,
  changes: readonly Made[],
  questions: readonly Compared[],
): object => ({
  format: whatIfFormat,
  region,
  changes,
  questions: questions.map(({ question, before, after }) => ({
    question,
    before,
    after,
    difference: differenceOf(before, after),
  })),
  text: [
    'In a copy of the cloud, which is thrown away:',
    ...changes.map(({ text, failed, change }, index) => {
      const what = failed ? `${change} FAILED: ${text}` : text;
      return `  ${index + 1}. ${what}`;
    }),
    '',
    ...tableLines(
      ['QUESTION', 'BEFORE', 'AFTER', 'DIFFERENCE', 'THEN'],
      questions.map(({ question, before, after }) => [
        question,
        shown(before),
        shown(after),
        signed(differenceOf(before, after)),
        after.text,
      ]),
    ),
  ],
});

const differenceOf = (before: Answer, after: Answer): number | null =>
  before.count === null || after.count === null ? null : after.count - before.count;

const shown = ({ count }: Answer): string => (count === null ? '-' : String(count));

const signed = (difference: number | null): string =>
  difference === null ? '-' : difference > 0 ? `+${difference}` : String(difference);
