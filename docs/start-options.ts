// Derives the options of startCloud() from those of the command line.
import { format } from 'prettier';
import { attributeOf, configOptions } from '../src/config.ts';
import { shownDefault } from '../src/kernel/command-line.ts';
import { isFlag, type OptionDeclaration } from '../src/kernel/options.ts';
import { leftOut, libraryDefaults } from '../src/library/defaults.ts';
import { comment } from './contract-types.ts';

/** The type of an option, by what its flag shows for the value. Any other value is text. */
const types: Readonly<Record<string, string>> = {
  '<number>': 'number',
  '<number|file>': 'number | string',
  '<GiB>': 'number | string',
  '[offset]': 'number | true',
  '<names>': 'readonly string[]',
  '<origins>': 'readonly string[]',
  '<service=[host:]port>': 'readonly string[]',
  '<operation=duration>': 'Readonly<Record<string, string>>',
};

/** The text of src/library/server-options.ts. */
export function optionTypes(): Promise<string> {
  const fields = configOptions
    .map(({ declaration }) => declaration)
    .filter((declaration) => !leftOut.includes(attributeOf(declaration)))
    .map(
      (declaration) =>
        `${comment(meaningOf(declaration))}readonly ${attributeOf(declaration)}?: ${typeOf(declaration)};`,
    );
  const text = [
    '// The options of a cloud that a program starts. Written by `npm run docs` from the options of the',
    '// command line: do not edit.',
    '',
    '/** The options that a cloud has on the command line, too. */',
    'export interface ServerOptions {',
    ...fields,
    '}',
  ].join('\n');
  return format(text, {
    parser: 'typescript',
    singleQuote: true,
    printWidth: 100,
    trailingComma: 'all',
  });
}

/** The type of an option in programs. */
export function typeOf(declaration: OptionDeclaration): string {
  const { flag, choices } = declaration;
  if (attributeOf(declaration) === 'config') return 'string | false';
  if (isFlag(declaration)) return 'boolean';
  if (choices) return choices.map((choice) => `'${choice}'`).join(' | ');
  return types[/[<[].+$/.exec(flag)![0]] ?? 'string';
}

function meaningOf(declaration: OptionDeclaration): string {
  const own = libraryDefaults[attributeOf(declaration)];
  const initial = own ?? shownDefault(declaration);
  const help = asInPrograms(declaration.help);
  const text = help.charAt(0).toUpperCase() + help.slice(1);
  return initial === undefined ? `${text}.` : `${text}. Default: ${asInPrograms(initial)}.`;
}

/** The help of an option without what only the command line needs, and with the options' names. */
const asInPrograms = (help: string): string =>
  help
    .replace(/ \(repeatable\)$/, '')
    .replace(', comma-separated', '')
    .replace(' and prints it', '')
    .replaceAll(/--[a-z-]+/g, (flag) =>
      configOptions.some(({ declaration }) => declaration.flag.startsWith(`${flag} `))
        ? attributeOf({ flag })
        : flag,
    );
