// Keeps sentences that no native speaker would write out of source, tests and documentation.
import { expect } from 'chai';
import { commentsOf, readTree } from './tree.ts';

/** Each pattern with what to write instead. */
const patterns: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:that|which|who) there (?:is|are) not\b/i, 'an unknown ...'],
  [/\b(?:what|that|which) (?:is|are) none\b/i, 'anything else; not a ...'],
  [/(?:^|[.:;(] )Who (?:has|is|asks|may|does|wants|can|loses|writes|reads)\b/, 'a client that ...'],
  [/\b(?:is|are|was|were|be) told\b/i, 'returns; reports; receives'],
  [/\btells? (?:what|how|who|whether|so|why|which)\b/i, 'says; reports; returns'],
  [/\bcomes? first\b/i, 'runs before; precedes'],
  [/\bstands? for\b/i, 'represents'],
  [/\bas (?:it|they) (?:is|are)(?=[.,;:)]|$)/i, 'unchanged; current'],
  [/\bone after (?:the other|another)\b/i, 'one at a time; sequentially'],
  [/\bby (?:its|their) own word\b/i, 'as declared'],
  [/\bwhat (?:it|they) (?:is|are) not\b/i, 'name the thing'],
  [/\bwhat(?:ever)? (?:there|it) is\b(?! \w+(?:ing|ed)\b)/i, 'all ...; any ...'],
  [/\bwhat is there\b/i, 'existing ...'],
  [/\b(?:comes?|came) again\b/i, 'retries'],
  [/\bgoes by\b/i, 'follows; uses'],
  [/\bof (?:its|their) own word\b/i, 'as declared'],
  [/\b(?:gives?|gave) back (?:its|their|the) turn\b/i, 'releases the lock'],
  [/\b(?:takes?|took|waits? for) (?:its|their|a|the) turn\b/i, 'acquires the lock'],
  [/\b(?:errands?|strangers?|house rules?)\b/i, 'remote task; another tenant; rule'],
  [/\bhas? (?:its|their) say\b/i, 'applies'],
  [/\bwhat came of\b/i, 'the result of'],
  [/\bfor ever\b/i, 'forever'],
  [/\bsees to\b/i, 'enforces; ensures'],
  [/\bbears? to be\b/i, 'is idempotent; may be'],
  [/\bmistakes? of ours\b/i, 'a bug'],
];

describe('language', () => {
  for (const [pattern, instead] of patterns)
    it(`has no sentence with ${pattern.source}`, () => {
      const found = readTree(['src', 'migrations', 'test', 'bench', 'docs', '.'], /\.(?:ts|md)$/)
        .filter(({ path }) => !path.endsWith('language.test.ts'))
        .flatMap(({ path, text }) =>
          commentsOf(path, text)
            .filter(({ sentence }) => pattern.test(sentence))
            .map(({ line }) => `${path}:${line}`),
        );
      expect(found, `write: ${instead}`).to.deep.equal([]);
    });
});
