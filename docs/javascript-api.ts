// Derives docs/reference/javascript-api.md from the doc comments of the library.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/kernel/package-root.ts';
import { operations, type Operations } from '../src/library/contract.ts';

/** A declaration of the library that has a doc comment. */
interface Declaration {
  /** The declaration up to its body, in one line. */
  readonly signature: string;
  /** The comment without its tags. */
  readonly meaning: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The operations that the body calls. */
  readonly calls: readonly (keyof Operations)[];
}

/** A class, an interface or a function, with its documented members. */
interface Documented extends Declaration {
  readonly members: readonly Declaration[];
}

/** A doc comment, and the lines of its declaration: up to one that opens a body or ends. */
const documented = /^( *)\/\*\*((?:(?!\*\/)[^])*)\*\/\n((?:.*[^{;\n]\n)*.*[{;])\n/gm;

/** The declarations of a file of the library. */
function declarationsIn(file: string): Documented[] {
  const text = readFileSync(join(packageRoot(), 'src', 'library', file), 'utf8');
  const found: (Declaration & { readonly isMember: boolean })[] = [];
  const matches = [...text.matchAll(documented)];
  for (const [index, match] of matches.entries()) {
    const [, indent, comment, declaration] = match;
    const body = text.slice(match.index, matches[index + 1]?.index);
    const calls = [...body.matchAll(/\.call\('(\w+:\w+)'/g)].map(([, name]) => name!);
    found.push({
      ...readComment(comment!),
      signature: declaration!.replaceAll(/\s+/g, ' ').trim(),
      calls: calls as (keyof Operations)[],
      isMember: indent !== '',
    });
  }
  const groups: (Declaration & { members: Declaration[] })[] = [];
  for (const { isMember, ...one } of found)
    if (isMember) groups.at(-1)!.members.push(one);
    else groups.push({ ...one, members: [] });
  return groups;
}

function readComment(comment: string): Pick<Declaration, 'meaning' | 'tags'> {
  const text = comment.replaceAll(/^ *\*? ?/gm, ' ').replaceAll(/\s+/g, ' ');
  const [meaning = '', ...parts] = text.split(/ @(?=[a-z]+\b)/);
  const tags = parts.map((part) => {
    const [, tag, rest] = /^([a-z]+) ?(.*)$/.exec(part.trim())!;
    return [tag!, rest!] as const;
  });
  return { meaning: meaning.trim(), tags: Object.fromEntries(tags) };
}

/** The page. */
export function javascriptPage(notice: string): string {
  const index = declarationsIn('index.ts');
  const [cloud] = declarationsIn('cloud.ts').filter(({ signature }) => isClass(signature, 'Cloud'));
  const own = cloud!.members.filter(({ tags }) => !('internal' in tags));
  const parts = declarationsIn('parts.ts');
  const properties = own.filter(({ signature }) => /^readonly (?!#)/.test(signature));
  return `${[
    '# JavaScript API',
    '',
    notice,
    '',
    'What a program in JavaScript or TypeScript gets from `cumulet`; the guide',
    '[JavaScript](../guides/javascript.md) shows it in tests. All methods return promises: the types',
    'below are those that the promises resolve to. `Body`, `Query` and `Reply` are those of the',
    'operation in the last column, which the [emulator API](emulator-api.md) describes; types such as',
    '`FaultRule` are in its replies. A `Time` is a `Date`, or text such as `2030-01-01T12:00:00Z`.',
    index
      .filter(({ signature }) => /\bfunction\b/.test(signature))
      .flatMap((one) => functionSection(one, index)),
    '',
    '## Cloud',
    '',
    cloud!.meaning,
    '',
    row('property', 'type', 'meaning'),
    row('---', '---', '---'),
    properties.map(({ signature, meaning }) => {
      const [, name, type] = /^readonly (\w+): (.+);$/.exec(signature)!;
      return row(code(`cloud.${name}`), code(type!), meaning);
    }),
    '',
    methodTable('cloud', own),
    properties.flatMap(({ signature }) => {
      const [, name, type] = /^readonly (\w+): (.+);$/.exec(signature)!;
      const part = parts.find((one) => isClass(one.signature, type!));
      if (!part) return [];
      return [
        '',
        `## cloud.${name}`,
        '',
        part.meaning,
        '',
        methodTable(`cloud.${name}`, part.members),
      ].flat();
    }),
    '',
    '## Errors',
    declarationsIn('errors.ts').flatMap(errorSection),
  ]
    .flat(2)
    .join('\n')}\n`;
}

const isClass = (signature: string, name: string): boolean =>
  signature.startsWith(`export class ${name} `);

function functionSection(one: Documented, index: readonly Documented[]): string[] {
  const [, name, parameters = ''] = /function (\w+)\((.*)\): \S+ \{$/.exec(one.signature)!;
  const [, type] = /options: (\w+)/.exec(parameters)!;
  const options = index.find(({ signature }) => signature.startsWith(`export interface ${type} `))!;
  const inherited = options.signature.includes('ServerOptions')
    ? declarationsIn('server-options.ts')[0]!.members
    : [];
  return [
    '',
    `## ${name}(${parametersOf(parameters, true)})`,
    '',
    [one.meaning, one.tags['param'] && `\`${one.tags['param'].replace(' ', '`: ')}.`]
      .filter(Boolean)
      .join(' '),
    '',
    row('option', 'type', 'meaning'),
    row('---', '---', '---'),
    ...[...options.members, ...inherited].map(({ signature, meaning }) => {
      const [, option, shown] = /^readonly (\w+)\?: (.+);$/.exec(signature)!;
      return row(code(option!), code(shown!), meaning);
    }),
  ];
}

function methodTable(owner: string, members: readonly Declaration[]): string[] {
  const methods = members.filter(
    ({ signature, tags }) => !('internal' in tags) && /^(?:async )?\w+\(/.test(signature),
  );
  return [
    row('method', 'meaning', 'operation'),
    row('---', '---', '---'),
    ...methods.map(({ signature, meaning, tags, calls }) => {
      const [, name, parameters = '', type] = /^(?:async )?(\w+)\((.*)\): Promise<(.+)> \{$/.exec(
        signature,
      )!;
      const result = type === 'void' ? '' : `: ${plainType(type!)}`;
      const returns = tags['returns'] && ` Returns ${tags['returns']}.`;
      const throws = tags['throws'] && ` Throws ${tags['throws']}.`;
      return row(
        code(`${owner}.${name}(${parametersOf(parameters)})${result}`),
        [meaning, returns, throws].filter(Boolean).join(''),
        calls.map(linkTo).slice(0, 1).join(''),
      );
    }),
  ];
}

/** A link to the section of an operation in the page of the emulator's API. */
function linkTo(name: keyof Operations): string {
  const [method, path] = operations[name];
  const title = `${method} /_emulator${path}`;
  const anchor = title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
  return `[\`${method} ${path}\`](emulator-api.md#${anchor})`;
}

/** Parameters as a caller sees them: with `?` instead of a default. */
function parametersOf(text: string, namesOnly = false): string {
  const optional = text.replaceAll(/(\w+): ([^=,]+) = [^,]+(?=,|$)/g, '$1?: $2').replace(/,$/, '');
  const shown = plainType(optional).trim().replace(/,$/, '');
  return namesOnly ? shown.replaceAll(/(\w+\??): [^,]+/g, '$1') : shown;
}

/** A type in the words of the page. */
const plainType = (type: string): string =>
  type
    .replaceAll(/Omit<Input<'[^']+'>\['body'\], 'to'>/g, 'Body')
    .replaceAll(
      /Input<'[^']+'>\['(\w)(\w+)'\]/g,
      (_, first: string, rest: string) => first.toUpperCase() + rest,
    )
    .replaceAll(/Reply<'[^']+'>\['(\w+)'\]/g, "Reply['$1']")
    .replaceAll(/\bWord\b/g, 'number | string')
    .replaceAll(/readonly (\w+\[\])/g, '$1');

function errorSection({ signature, meaning, members }: Documented): string[] {
  const [, name] = /^export class (\w+)/.exec(signature)!;
  return [
    '',
    `### ${name}`,
    '',
    meaning,
    '',
    ...members.map((one) => {
      const [, field, type] = /^readonly (\w+): (.+);$/.exec(one.signature)!;
      return `- \`${field}: ${plainType(type!)}\`: ${one.meaning}`;
    }),
  ];
}

/** A cell with code, in which `|` would end the cell. */
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;

const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('<', '&lt;').replaceAll(/`[^`]*`/g, (one) => one.replaceAll('&lt;', '<'))).join(' | ')} |`;
