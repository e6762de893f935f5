// The JSON Schema of configuration files, and their reference page, from the options.
import { format } from 'prettier';
import { fileOptions, lastingFields } from '../src/config-file.ts';
import { configOptions } from '../src/config.ts';
import { shownDefault } from '../src/kernel/command-line.ts';
import { optionName, type OptionDeclaration } from '../src/kernel/options.ts';
import { typeOf } from './start-options.ts';

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const list: Schema = { type: 'array', items: text };

/** The schema of a value, and the words for it, by its type in programs. */
const kinds: Readonly<Record<string, { readonly schema: Schema; readonly words: string }>> = {
  boolean: { schema: { type: 'boolean' }, words: 'true or false' },
  number: { schema: { type: 'integer' }, words: 'a number' },
  'number | string': { schema: { type: ['integer', 'string'] }, words: 'a number or text' },
  'number | true': { schema: { type: ['integer', 'boolean'] }, words: 'true or a number' },
  'readonly string[]': { schema: { anyOf: [list, text] }, words: 'a list' },
  'Readonly<Record<string, string>>': {
    schema: { type: 'object', additionalProperties: text },
    words: 'a mapping',
  },
};

const otherKind = { schema: text, words: 'text' };

const kindOf = (declaration: OptionDeclaration): (typeof kinds)[string] =>
  kinds[typeOf(declaration)] ?? otherKind;

function schemaOf(declaration: OptionDeclaration): Schema {
  const { help, choices } = declaration;
  const initial = shownDefault(declaration);
  const description = `${help.charAt(0).toUpperCase()}${help.slice(1)}.`;
  return {
    description: initial === undefined ? description : `${description} Default: ${initial}.`,
    ...(choices ? { enum: choices } : kindOf(declaration).schema),
  };
}

const worldHelp =
  'What a new cloud and a reset of everything start from: the sections of a world, the name of a ' +
  'preset, or the path of a file for `--seed`.';

/** The text of worlds/cumulet.schema.json. */
export function configurationSchema(): Promise<string> {
  const options = Object.fromEntries(
    fileOptions().map((declaration) => [optionName(declaration), schemaOf(declaration)]),
  );
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A configuration file of Cumulet',
    description: 'The options and the world of a project, in `cumulet.yaml`.',
    type: ['object', 'null'],
    properties: {
      options: {
        description: 'Options of the command line by their names.',
        type: ['object', 'null'],
        properties: options,
        additionalProperties: false,
      },
      world: {
        description: worldHelp,
        anyOf: [{ type: ['string', 'null'] }, { $ref: 'world.schema.json' }],
      },
    },
    additionalProperties: false,
  };
  return format(JSON.stringify(schema), { parser: 'json', printWidth: 100 });
}

/** The reference page, without its heading. */
export const configurationFormat = (): readonly string[] => [
  'The options and the world of a project. `cumulet init` writes one, and',
  '[Worlds and presets](../guides/worlds-and-presets.md#keep-them-in-the-project) introduces it.',
  '`worlds/cumulet.schema.json` of the package is its JSON Schema.',
  '',
  '## Which file is read',
  '',
  'The closest `cumulet.yaml` (or `cumulet.yml`): in the working directory, or in a folder above, up',
  'to that of the repository, which has a `.git`, or that of the user. Outside of both, only the',
  'working directory is searched. `--config FILE` or `CUMULET_CONFIG=FILE` names another file, and',
  '`--no-config` or `CUMULET_CONFIG=off` reads none. A start prints the name of the file.',
  '',
  row('who reads it', 'what applies'),
  row('---', '---'),
  row('`start`', 'everything'),
  row(
    '`exec`, `startCloud()`, and what the libraries for Python and Go start',
    `everything but ${lastingNames()}, which are for an emulator that keeps running`,
  ),
  row(
    '`status`, `reset` and other commands for a running emulator, `doctor`',
    'the options that they have themselves, unless a URL names the emulator',
  ),
  '',
  'An option of the command line, or of `startCloud()`, takes precedence over its environment',
  'variable, the variable over the file, and the file over the default. `--seed`, `--preset` and',
  '`--profile` replace the world of the file. A mistake in the file is refused with its line.',
  '',
  '## options',
  '',
  'A mapping from the [options](options.md) of `start`, without the dashes, to values. Relative',
  'paths are relative to the folder of the file.',
  '',
  row('name', 'value', 'default'),
  row('---', '---', '---'),
  ...optionRows(),
  '',
  '## world',
  '',
  'What a new cloud and a reset of everything start from, as one of',
  '',
  '- the sections of [a world](world-format.md)',
  "- the name of a preset of 'cumulet presets'",
  '- the path of a file for `--seed`',
];

/** The options that an emulator for tests ignores. */
const lastingNames = (): string =>
  configOptions
    .filter(({ field }) => (lastingFields as readonly string[]).includes(field))
    .map(({ declaration }) => code(optionName(declaration)))
    .join(', ');

/** The rows of the table of options: name, value and default. */
const optionRows = (): readonly string[] =>
  fileOptions().map((declaration) => {
    const initial = shownDefault(declaration) ?? '';
    return row(
      code(optionName(declaration)),
      declaration.choices?.join(', ') ?? kindOf(declaration).words,
      /^[^ ]+$/.test(initial) ? code(initial) : initial,
    );
  });

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const code = (name: string): string => `\`${name}\``;
