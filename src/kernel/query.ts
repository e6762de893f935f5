// The query string, parsed like in Python's web frameworks: flat names, repeated values, `+` for a
// space.
import { isUtf8 } from 'node:buffer';

/** A query string. `a[b]` is a plain name and not a nested object. */
export class Query {
  readonly text: string;
  private readonly pairs: readonly (readonly [string, string])[];
  /** The values of each name, because lists look up every name of a query. */
  private readonly values = new Map<string, string[]>();

  constructor(text: string) {
    this.text = text;
    this.pairs = text ? text.split('&').filter(Boolean).map(pairOf) : [];
    for (const [name, value] of this.pairs) {
      const others = this.values.get(name);
      if (others) others.push(value);
      else this.values.set(name, [value]);
    }
  }

  /**
   * Whether percent escapes are invalid UTF-8. Some services refuse such a query; the others read
   * U+FFFD instead.
   */
  get garbled(): boolean {
    return this.text.includes('%') && runs(this.text).some((bytes) => !isUtf8(bytes));
  }

  /** All names, in order of first appearance. */
  names(): string[] {
    return [...this.values.keys()];
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** All values of a name, in order. */
  all(name: string): string[] {
    return [...(this.values.get(name) ?? [])];
  }

  /** The last value of a name. Most services use it if the name is repeated. */
  last(name: string): string | undefined {
    return this.values.get(name)?.at(-1);
  }

  first(name: string): string | undefined {
    return this.values.get(name)?.[0];
  }

  entries(): readonly (readonly [string, string])[] {
    return this.pairs;
  }
}

function pairOf(pair: string): readonly [string, string] {
  const cut = pair.indexOf('=');
  return cut < 0
    ? [decodeQueryText(pair), '']
    : [decodeQueryText(pair.slice(0, cut)), decodeQueryText(pair.slice(cut + 1))];
}

/**
 * Percent escapes. Any other percent sign is a plain character, as in Python's unquote.
 */
const escapes = /(?:%[0-9a-f]{2})+/gi;

const bytesOf = (run: string): Buffer => Buffer.from(run.replaceAll('%', ''), 'hex');

const runs = (text: string): Buffer[] => (text.match(escapes) ?? []).map(bytesOf);

/** A text of a query with its escapes decoded. */
export function decodeQueryText(text: string): string {
  if (!/[%+]/.test(text)) return text;
  return text.replaceAll('+', ' ').replace(escapes, (run) => bytesOf(run).toString('utf8'));
}
