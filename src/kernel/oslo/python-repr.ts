// Prints JSON values as Python does, and describes malformed JSON as its json module does, because
// OpenStack's error messages contain both.

/** A key into a JSON value: a property name or an index. */
export type Key = string | number;

/** Options for printing a value: dictionary keys in the order given, or sorted by code point. */
export interface ReprOptions {
  sortKeys?: boolean;
}

/**
 * The layout of `pythonPprint`; the defaults are Python's own (indent 1, width 80, sorted keys).
 */
export interface PprintOptions extends ReprOptions {
  indent?: number;
  width?: number;
}

// A body nested deeper than this is printed as `[...]`, so that a malicious body costs neither the
// stack nor quadratic time.
const DEEPEST = 100;
// A larger JS number is assumed to have been written as a float (3.40282e+38 in Placement), a
// smaller one as an integer.
const FLOAT_FROM = 1e21;
const SPACES =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const BREAKS = '\\n-\\r\\x1c-\\x1e\\x85\\u2028\\u2029';

/** Compares two strings as Python does, by code point (JS compares UTF-16 units). */
export function compareCodePoints(a: string, b: string): number {
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()];
  for (;;) {
    const [x, y] = [left.next(), right.next()];
    if (x.done || y.done) return Number(y.done ?? false) - Number(x.done ?? false);
    const distance = (x.value.codePointAt(0) ?? 0) - (y.value.codePointAt(0) ?? 0);
    if (distance !== 0) return distance;
  }
}

/** Compares two paths of the same length as Python compares sequences. */
export function compareKeys(a: Key[], b: Key[]): number {
  const at = a.findIndex((key, i) => key !== b[i]);
  const [left, right] = [a[at], b[at]];
  if (left === undefined || right === undefined) return 0;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return compareCodePoints(String(left), String(right));
}

/** The Python expression that selects a value by its path, such as `schema['properties']['x']`. */
export function indexed(container: string, path: Key[]): string {
  return container + path.map((key) => `[${pythonRepr(key)}]`).join('');
}

/** The reprs of several values, as jsonschema lists them. */
export function listed(values: unknown[]): string {
  return values.map((value) => pythonRepr(value)).join(', ');
}

/** The repr of a tuple of several values. */
export const pythonTuple = (values: readonly unknown[]): string => `(${listed([...values])})`;

/**
 * Python's `repr` of a JSON value. An integral number prints as an int unless it is 1e21 or more:
 * JSON.parse does not keep the difference between `12` and `12.0`.
 */
export function pythonRepr(value: unknown, options: ReprOptions = {}): string {
  return flat(value, options.sortKeys ?? false, DEEPEST);
}

function flat(value: unknown, sorted: boolean, depth: number): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return numberRepr(value);
  if (typeof value === 'string') return stringRepr(value);
  if (Array.isArray(value)) {
    if (depth === 0 && value.length > 0) return '[...]';
    return `[${value.map((item) => flat(item, sorted, depth - 1)).join(', ')}]`;
  }
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') throw new TypeError(`JSON has no ${typeof value}`);
  const entries = entriesOf(value, sorted);
  if (depth === 0 && entries.length > 0) return '{...}';
  return `{${entries.map(([key, item]) => `${stringRepr(key)}: ${flat(item, sorted, depth - 1)}`).join(', ')}}`;
}

function entriesOf(value: object, sorted: boolean): [string, unknown][] {
  const entries: [string, unknown][] = Object.entries(value);
  return sorted ? entries.sort(([a], [b]) => compareCodePoints(a, b)) : entries;
}

function numberRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < FLOAT_FROM) return BigInt(value).toString();
  if (size >= 1e-4 && size < 1e16) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\'"]|(?! )[\p{C}\p{Z}]/gu, (char) => escapeChar(char, quote));
  return quote + escaped + quote;
}

function escapeChar(char: string, quote: string): string {
  if (char === "'" || char === '"') return char === quote ? `\\${char}` : char;
  const short = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** The result of Python's `pprint.pformat(value, indent, width)`. */
export function pythonPprint(value: unknown, options: PprintOptions = {}): string {
  const { indent = 1, width = 80, sortKeys = true } = options;
  return lay(value, { indent, width, sorted: sortKeys, column: 0, tail: 0, level: 0 });
}

/**
 * The position of a value in the layout: its column, and how many closing characters follow it on
 * its last line.
 */
interface Spot {
  indent: number;
  width: number;
  sorted: boolean;
  column: number;
  tail: number;
  level: number;
}

function lay(value: unknown, spot: Spot): string {
  const line = flat(value, spot.sorted, DEEPEST - spot.level);
  if (spot.level >= DEEPEST || fits(line, spot.width - spot.column - spot.tail)) return line;
  if (typeof value === 'string') return layString(value, spot);
  if (Array.isArray(value))
    return layItems(
      '[]',
      value.map((item): Item => ['', item]),
      spot,
    );
  if (typeof value !== 'object' || value === null) return line;
  const items = entriesOf(value, spot.sorted).map(([key, item]): Item => [
    `${stringRepr(key)}: `,
    item,
  ]);
  return layItems('{}', items, spot);
}

type Item = [label: string, value: unknown];

function layItems(brackets: string, items: Item[], spot: Spot): string {
  const column = spot.column + spot.indent;
  const laid = items.map(([label, value], i) => {
    const tail = i === items.length - 1 ? spot.tail + 1 : 1;
    return (
      label + lay(value, { ...spot, column: column + lengthOf(label), tail, level: spot.level + 1 })
    );
  });
  const lead = ' '.repeat(Math.max(0, spot.indent - 1));
  return brackets.charAt(0) + lead + laid.join(`,\n${' '.repeat(column)}`) + brackets.charAt(1);
}

/**
 * Prints a string that is too long for its line as adjacent literals, split at line ends and then
 * between words.
 */
function layString(text: string, spot: Spot): string {
  const outermost = spot.level === 0 ? 1 : 0;
  const column = spot.column + outermost;
  const room = spot.width - column;
  const lines = text.match(
    new RegExp(`[^${BREAKS}]*(?:\\r\\n|[${BREAKS}])|[^${BREAKS}]+`, 'gu'),
  ) ?? [''];
  const chunks = lines.flatMap((line, i) =>
    layWords(line, room, i === lines.length - 1 ? room - spot.tail - outermost : room),
  );
  const literals = chunks.join(`\n${' '.repeat(column)}`);
  return chunks.length > 1 && outermost === 1 ? `(${literals})` : literals;
}

function layWords(line: string, room: number, lastRoom: number): string[] {
  if (line === '' || fits(stringRepr(line), lastRoom)) return [stringRepr(line)];
  const words = line.match(new RegExp(`[^${SPACES}]+[${SPACES}]*|[${SPACES}]+`, 'gu')) ?? [];
  const chunks: string[] = [];
  let current = '';
  for (const [i, word] of words.entries()) {
    const limit = i === words.length - 1 ? lastRoom : room;
    if (fits(stringRepr(current + word), limit)) {
      current += word;
    } else {
      if (current !== '') chunks.push(stringRepr(current));
      current = word;
    }
  }
  return [...chunks, stringRepr(current)];
}

function fits(text: string, room: number): boolean {
  return text.length <= room || (text.length <= 2 * room && lengthOf(text) <= room);
}

/** The length of a string in code points, as Python counts. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** An error in a JSON text, at an index. */
interface JsonProblem {
  message: string;
  at: number;
}

/** The index after what was read, or the error that ended the reading. */
type Read = number | JsonProblem;

/**
 * The message of the JSONDecodeError that Python 3.11 raises in `json.loads(text)`, such as
 * `Expecting value: line 1 column 1 (char 0)`; empty if Python accepts the text. It takes linear
 * time, whatever the nesting.
 */
export function pythonJsonError(text: string): string {
  const problem = findJsonProblem(text);
  if (problem === null) return '';
  const before = text.slice(0, problem.at);
  const lines = before.split('\n');
  const column = lengthOf(lines.at(-1) ?? '') + 1;
  return `${problem.message}: line ${lines.length} column ${column} (char ${lengthOf(before)})`;
}

/**
 * Whether Python's `json.loads` accepts the text. Of the texts that JSON.parse rejects, Python
 * accepts those whose only defect is a `NaN`, `Infinity` or `-Infinity` literal: upstream continues
 * with a float, for which there is no equivalent here.
 */
export function pythonReadsJson(text: string): boolean {
  return findJsonProblem(text) === null;
}

function findJsonProblem(text: string): JsonProblem | null {
  if (text.startsWith('\ufeff'))
    return { message: 'Unexpected UTF-8 BOM (decode using utf-8-sig)', at: 0 };
  const open: string[] = [];
  let at = skipSpace(text, 0);
  for (;;) {
    const end = readValue(text, at, open);
    if (typeof end !== 'number') return end;
    const next = readAfterValue(text, end, open);
    if (typeof next !== 'number') return next;
    at = next;
  }
}

/**
 * Reads a scalar, or opening brackets up to the first value in them; empty brackets are read whole.
 */
function readValue(text: string, start: number, open: string[]): Read {
  let at = start;
  for (;;) {
    const char = text.charAt(at);
    if (char !== '{' && char !== '[')
      return char === '"' ? readString(text, at) : readLiteral(text, at);
    const close = char === '{' ? '}' : ']';
    const inside = skipSpace(text, at + 1);
    if (text.charAt(inside) === close) return inside + 1;
    open.push(close);
    const value = close === '}' ? readKey(text, inside) : inside;
    if (typeof value !== 'number') return value;
    at = value;
  }
}

/**
 * Reads closing brackets after a value, and returns the index of the next value; null if the text
 * ends there without an error.
 */
function readAfterValue(text: string, end: number, open: string[]): Read | null {
  let at = skipSpace(text, end);
  while (open.length > 0 && text.charAt(at) === open.at(-1)) {
    open.pop();
    at = skipSpace(text, at + 1);
  }
  const close = open.at(-1);
  if (close === undefined) return at === text.length ? null : { message: 'Extra data', at };
  if (text.charAt(at) !== ',') return { message: "Expecting ',' delimiter", at };
  const next = skipSpace(text, at + 1);
  return close === '}' ? readKey(text, next) : next;
}

function readKey(text: string, start: number): Read {
  if (text.charAt(start) !== '"')
    return { message: 'Expecting property name enclosed in double quotes', at: start };
  const end = readString(text, start);
  if (typeof end !== 'number') return end;
  const colon = skipSpace(text, end);
  return text.charAt(colon) === ':'
    ? skipSpace(text, colon + 1)
    : { message: "Expecting ':' delimiter", at: colon };
}

function readString(text: string, start: number): Read {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return at + 1;
    if (char < ' ') return { message: 'Invalid control character at', at };
    if (char !== '\\') continue;
    const escape = text.charAt(at + 1);
    if (escape === '') break;
    if (escape === 'u') {
      // Python requires a character after the four digits too, before it reads them; the error is
      // the same.
      if (!/^[0-9a-fA-F]{4}[^]/.test(text.slice(at + 2, at + 7)))
        return { message: 'Invalid \\uXXXX escape', at: at + 1 };
      at += 5;
    } else {
      if (!'"\\/bfnrt'.includes(escape)) return { message: 'Invalid \\escape', at };
      at += 1;
    }
  }
  return { message: 'Unterminated string starting at', at: start };
}

function readLiteral(text: string, start: number): Read {
  const literal =
    /null|true|false|NaN|-?Infinity|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  literal.lastIndex = start;
  return literal.test(text) ? literal.lastIndex : { message: 'Expecting value', at: start };
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}
