// Reads lists as Python writes them: mappings put several values of an assertion into one text.
// Upstream: _ast_literal_eval in keystone/federation/utils.py.

/** A text in quotes, with what separates it from the next. */
const item = /\s*(?:'((?:[^'\\\n]|\\[^])*)'|"((?:[^"\\\n]|\\[^])*)")\s*(,|$)/y;

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
  '\n': '',
};

/** The texts of a list; the text itself as the only one, if it is no list of texts. */
export function listOf(text: string): readonly string[] {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return [text];
  return textsOf(trimmed.slice(1, -1).trim()) ?? [text];
}

function textsOf(inner: string): string[] | undefined {
  const found: string[] = [];
  for (let at = 0; at < inner.length; at = item.lastIndex) {
    item.lastIndex = at;
    const match = item.exec(inner);
    if (!match) return undefined;
    found.push(unescaped(match[1] ?? match[2] ?? ''));
  }
  return found;
}

const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))/g,
    (whole, byte?: string, short?: string, long?: string, char?: string) => {
      const code = byte ?? short ?? long;
      if (code === undefined) return escapes[char!] ?? ('\'"\\'.includes(char!) ? char! : whole);
      const point = Number.parseInt(code, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
