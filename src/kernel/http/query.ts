// The query string, read as Python's web frameworks read it: flat names, repeated values kept, `+` a space.
import { badRequest } from './fault.ts';

/** A query string. Names are exact: `a[b]` is a name and not a nested object. */
export class Query {
  readonly text: string;
  private readonly pairs: readonly (readonly [string, string])[];

  /** @throws 400 where an escape does not decode as UTF-8 */
  constructor(text: string) {
    this.text = text;
    this.pairs = text ? text.split('&').filter(Boolean).map(pairOf) : [];
  }

  /** All names, in order of first appearance. */
  names(): string[] {
    return [...new Set(this.pairs.map(([name]) => name))];
  }

  has(name: string): boolean {
    return this.pairs.some(([key]) => key === name);
  }

  /** All values of a name, in order. */
  all(name: string): string[] {
    return this.pairs.filter(([key]) => key === name).map(([, value]) => value);
  }

  /** The last value of a name: which most services take where it is repeated. */
  last(name: string): string | undefined {
    return this.pairs.findLast(([key]) => key === name)?.[1];
  }

  first(name: string): string | undefined {
    return this.pairs.find(([key]) => key === name)?.[1];
  }

  entries(): readonly (readonly [string, string])[] {
    return this.pairs;
  }
}

function pairOf(pair: string): readonly [string, string] {
  const cut = pair.indexOf('=');
  return cut < 0 ? [decode(pair), ''] : [decode(pair.slice(0, cut)), decode(pair.slice(cut + 1))];
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  // A percent sign that starts no escape stands for itself, as in Python's unquote; bytes that are no UTF-8 are refused.
  const escaped = text.replaceAll('+', ' ').replace(/%(?![0-9a-f]{2})/gi, '%25');
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw badRequest("Invalid query string parameters: 'utf-8' codec can't decode the percent-escapes", { where: 'query' });
  }
}
