// Generates invalid bodies, properties, queries, paths and content types.
import { gzipSync } from 'node:zlib';

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Complete bodies that are not JSON, or not JSON that any operation accepts. */
export const wrongBodies: readonly (string | Buffer)[] = [
  '',
  ' ',
  '{',
  '}',
  '[',
  '"',
  'nul',
  'undefined',
  '{"a":}',
  '{"a" 1}',
  "{'a':1}",
  '[1,]',
  '{"a":1,}',
  '{} {}',
  '// x',
  '{"a":"\n"}',
  '"\\x"',
  'NaN',
  '{"a":NaN}',
  '-Infinity',
  '01',
  '1e',
  '\ufeff{}',
  '\0',
  '{"a":"\\ud800"}',
  '{"a":"\\u00"}',
  'null',
  'true',
  '0',
  '1e400',
  '"text"',
  '[]',
  '{}',
  '[[]]',
  '[null]',
  '{"":{}}',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":1}}',
  '{"toString":1}',
  '{"then":1}',
  deep(800),
  deep(100_000),
  '['.repeat(100_000),
  `{"a":${deep(20_000)}}`,
  '{"a":'.repeat(5_000),
  Buffer.from([0xff, 0xfe, 0x00]),
  Buffer.from('{"a":"é"}', 'latin1'),
  Buffer.from('{}', 'utf16le'),
  Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1'),
  gzipSync('{}'),
];

/** JSON values that nearly every property refuses. */
export const wrongValues: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9223372036854775808',
  '2147483648',
  '1e300',
  '""',
  '" "',
  '"x"',
  '"0"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x"',
  '"😀"',
  '"%00"',
  `"' OR 1=1 --"`,
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '["x"]',
  '["x","x"]',
  '[1e400]',
  '{"a":{"b":{}}}',
  '{"__proto__":null}',
  '{"":""}',
  deep(700),
  `"${'x'.repeat(300)}"`,
  `"${'😀'.repeat(300)}"`,
  `"${'x'.repeat(70_000)}"`,
];

/** Values that a schema may accept but a database refuses. */
export const storedValues: readonly string[] = [
  '"\\u0000"',
  '"\\ud800"',
  '"😀"',
  `"${'x'.repeat(300)}"`,
  `"${'😀'.repeat(300)}"`,
  `"${'x'.repeat(70_000)}"`,
  '9223372036854775808',
  '-1',
  '1e300',
  '""',
  'null',
  '{}',
];

/**
 * Yields variants of the body as JSON: each property replaced by each value, each property removed,
 * and an unknown property added to each object.
 */
export function* mutationsOf(body: unknown, values: readonly string[]): Generator<string> {
  for (const path of pathsOf(body)) {
    for (const value of values) yield replaced(body, path, value);
    yield JSON.stringify(changed(body, path, () => undefined));
  }
  for (const path of [[], ...pathsOf(body)]) {
    for (const name of ['unknown', '__proto__', '']) {
      yield replaced(body, [...path, name], '"x"');
    }
  }
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, below: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
    const path = [...below, Array.isArray(value) ? Number(key) : key];
    return [path, ...pathsOf(child, path)];
  });
}

const placeholder = '\u2603 here \u2603';

const replaced = (body: unknown, path: Path, json: string): string =>
  JSON.stringify(changed(body, path, () => placeholder)).replace(
    JSON.stringify(placeholder),
    () => json,
  );

function changed(value: unknown, [key, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (Array.isArray(value))
    return value.map((item: unknown, index) =>
      index === key ? changed(item, rest, change) : item,
    );
  if (typeof value !== 'object' || value === null) return value;
  // Creates an own property even if the name is __proto__.
  const entries = Object.entries(value).filter(([name]) => name !== key);
  return Object.fromEntries([
    ...entries,
    [key, changed((value as Record<string, unknown>)[key], rest, change)],
  ]);
}

/** Values of a query parameter, already percent-encoded. */
export const wrongQueryValues: readonly string[] = [
  '',
  'x',
  '-1',
  '0',
  '1.5',
  '1e400',
  '99999999999999999999',
  'null',
  '%00',
  '%ff',
  '%C3%28',
  '%',
  '%zz',
  '+',
  '%20',
  '%F0%9F%98%80',
  '%ED%A0%80',
  'a,b',
  ',',
  '!',
  '!!',
  'in:',
  '!in:',
  'in:,',
  ':',
  'a:b:c',
  'VCPU',
  'VCPU:',
  'VCPU:-1',
  'VCPU:0',
  'VCPU:1.5',
  'VCPU:99999999999999999999',
  'VCPU:1,VCPU:2',
  'gt:',
  'lt:x',
  'x:2020-01-01',
  'true',
  'asc',
  "'%20OR%201=1",
  '%25',
  '..',
  '__proto__',
  'x'.repeat(2000),
];

export const wrongQueries: readonly string[] = [
  '%ff',
  '%',
  '%zz=1',
  'a=%00',
  '&&&',
  '=',
  '=x',
  'a&a&a',
  'a=1&a=2',
  '__proto__=1',
  '__proto__[a]=1',
  'constructor=1',
  'a[]=1',
  'a[b]=1',
  'limit=-1',
  'limit=x',
  'limit=99999999999999999999',
  'limit=',
  'marker=x',
  'marker=%00',
  'sort_key=x',
  'sort_dir=x',
  `a=${'x'.repeat(8000)}`,
  'a=1;b=2',
  '?',
  '%3F',
  'é',
].map((query) => Buffer.from(query).toString('latin1'));

/** Values of a path parameter, already percent-encoded. */
export const wrongNames: readonly string[] = [
  '%ff',
  '%00',
  'a%00b',
  '%2F',
  '%2f..%2f',
  '%',
  '%zz',
  '..',
  '.',
  '%2e%2e',
  '%20',
  "'%22;--",
  '%ED%A0%80',
  '-1',
  '0',
  '99999999999999999999',
  '__proto__',
  'constructor',
  '%F0%9F%98%80',
  '%0d%0aX:%20y',
  'x'.repeat(300),
  '%F0%9F%98%80'.repeat(300),
  'x'.repeat(5000),
  'a;b',
  'a,b',
  '*',
  '%25',
];

export interface Media {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (json: string) => string | Buffer;
}

const as = (type: string): Media => ({
  what: type || 'an empty type',
  headers: { 'content-type': type },
  body: (json) => json,
});

/** The same body with another content type or encoding. */
export const wrongMedia: readonly Media[] = [
  { what: 'no type', headers: {}, body: (json) => json },
  ...[
    '',
    'text/plain',
    'application/json; charset=utf-16',
    'application/json;',
    'APPLICATION/JSON',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/xml',
    'json',
    '/',
    ';',
    'application/json, text/plain',
  ].map(as),
  {
    what: 'gzip',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: (json) => gzipSync(json),
  },
  {
    what: 'a gzip encoding without gzip data',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: (json) => json,
  },
  {
    what: 'truncated gzip data',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: (json) => gzipSync(json).subarray(0, 15),
  },
  {
    what: 'an unknown encoding',
    headers: { 'content-type': 'application/json', 'content-encoding': 'x-secret' },
    body: (json) => json,
  },
  {
    what: 'chunks',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    body: (json) => json,
  },
];
