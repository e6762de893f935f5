// Matches passwords against the regular expression of the settings, in linear time.
import { finder } from '../../../../kernel/bounded-text.ts';

/**
 * Compiles an expression of Python's `re.match`. The engine has no look-around, but expressions for
 * passwords such as `^(?=.*\d)(?=.*[a-z]).{7,}$` begin with lookaheads: each of those is matched by
 * itself.
 * @throws Error if the expression is invalid, or has other look-around or back-references
 */
export function passwordMatcher(expression: string): (password: string) => boolean {
  const conditions: { readonly wanted: boolean; readonly matches: (text: string) => boolean }[] =
    [];
  const add = (wanted: boolean, part: string): void =>
    void conditions.push({ wanted, matches: finder(`^(?:${part})`) });
  let rest = expression.replace(/^\^/, '');
  for (;;) {
    const end = /^\(\?[=!]/.test(rest) && !hasAlternatives(rest) ? closingOf(rest) : -1;
    if (end < 0) break;
    add(rest[2] === '=', rest.slice(3, end));
    rest = rest.slice(end + 1);
  }
  add(true, rest);
  return (password) => conditions.every(({ wanted, matches }) => matches(password) === wanted);
}

/** The index of the parenthesis that closes the group at the start; -1 if there is none. */
function closingOf(expression: string): number {
  for (const { index, char, depth } of syntaxOf(expression))
    if (char === ')' && depth === 0) return index;
  return -1;
}

/** Whether an expression has a `|` outside of all groups. */
function hasAlternatives(expression: string): boolean {
  for (const { char, depth } of syntaxOf(expression)) if (char === '|' && depth === 0) return true;
  return false;
}

interface Syntax {
  readonly index: number;
  readonly char: string;
  /** The number of groups that are open after the character. */
  readonly depth: number;
}

/** The characters of an expression that are neither escaped nor in a class such as `[a-z]`. */
function* syntaxOf(expression: string): Generator<Syntax> {
  let depth = 0;
  let classStart = -1;
  for (let index = 0; index < expression.length; index++) {
    const char = expression[index]!;
    if (char === '\\') index++;
    else if (classStart >= 0) {
      // A `]` at the start of a class is one of its characters.
      const isFirst = index === classStart + 1 || expression.slice(classStart + 1, index) === '^';
      if (char === ']' && !isFirst) classStart = -1;
    } else if (char === '[') classStart = index;
    else {
      if (char === '(') depth++;
      if (char === ')') depth--;
      yield { index, char, depth };
    }
  }
}
