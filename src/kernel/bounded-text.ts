// Work on what clients send that takes time in proportion to its length: a regular expression may
// take far longer.
import { loadRe2 } from './lazy.ts';

/** The text without those characters at its end. Unlike `/[...]+$/`, it looks at the end only. */
export function stripEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text without those characters at its ends, as Python's `strip`. */
export function strip(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text.charAt(start))) start++;
  return stripEnd(text.slice(start), chars);
}

/** The text without what stands between `<` and `>`. */
export function stripTags(text: string): string {
  const last = text.lastIndexOf('>');
  return text.slice(0, last + 1).replace(/<[^>]*>/g, '') + text.slice(last + 1);
}

/**
 * The search for a regular expression that need not be trusted. The engine is RE2's: it has neither
 * look-around nor references to groups, which take exponential time.
 * @throws Error where the expression is not one of RE2's
 */
export function finder(expression: string, { ignoreCase = false } = {}): (text: string) => boolean {
  const { RE2JS } = loadRe2();
  const compiled = RE2JS.compile(expression, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  return (text) => compiled.matcher(text).find();
}
