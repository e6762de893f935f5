// Functions on texts of clients, in linear time. A regular expression may take far longer.
import { loadRe2 } from './lazy.ts';

/** The text without these characters at its end. Unlike `/[...]+$/`, it reads only the end. */
export function stripEnd(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text without these characters at both ends, like Python's `strip`. */
export function strip(text: string, chars: string): string {
  let start = 0;
  while (start < text.length && chars.includes(text.charAt(start))) start++;
  return stripEnd(text.slice(start), chars);
}

/** The text without everything from a `<` to the next `>`. */
export function stripTags(text: string): string {
  const last = text.lastIndexOf('>');
  return text.slice(0, last + 1).replace(/<[^>]*>/g, '') + text.slice(last + 1);
}

/**
 * Compiles a regular expression from an untrusted source. The engine is RE2, which has neither
 * look-around nor back-references, because both can take exponential time.
 * @throws Error if RE2 does not support the expression
 */
export function finder(expression: string, { ignoreCase = false } = {}): (text: string) => boolean {
  const { RE2JS } = loadRe2();
  const compiled = RE2JS.compile(expression, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  return (text) => compiled.matcher(text).find();
}
