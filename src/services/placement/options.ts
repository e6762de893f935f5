// The options of Placement. Upstream: section [placement] of placement.conf.
import { choiceOption, option, wholeNumber, type OptionValues } from '../../kernel/options.ts';

export const placementOptions = {
  maxAllocationCandidates: option({
    flag: '--max-allocation-candidates <number>',
    help: 'highest number of allocation candidates in a reply; -1 for no limit',
    default: -1,
    parse: (text) =>
      text === '-1' ? -1 : wholeNumber(text, 1, 999_999_999, 'Use a number from 1, or -1.'),
  }),
  allocationCandidatesGenerationStrategy: choiceOption({
    flag: '--allocation-candidates-generation-strategy <strategy>',
    help:
      'order of allocation candidates: all of one provider tree before the next, or one of ' +
      'each tree in rotation',
    choices: ['depth-first', 'breadth-first'],
    default: 'depth-first',
  }),
};

declare module '../../kernel/settings.ts' {
  interface Config extends OptionValues<typeof placementOptions> {}
}
