// Writes the generated pages of docs/reference (options, emulator API, JavaScript API, settings,
// coverage, founding documents) and the generated types of the library. With --check it compares them with the files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { parse } from 'yaml';
import { configOptions } from '../src/config.ts';
import { cumuletProgram } from '../src/cli/program.ts';
import { shownDefault } from '../src/kernel/command-line.ts';
import type { SettingDeclaration } from '../src/kernel/contract/service-settings.ts';
import { latencyNames } from '../src/kernel/latency.ts';
import { environmentVariable, optionName } from '../src/kernel/options.ts';
import { packageRoot } from '../src/kernel/package-root.ts';
import { ownDefinitions, serviceDefinitions } from '../src/services/index.ts';
import { configurationFormat, configurationSchema } from './configuration-file.ts';
import { contractTypes } from './contract-types.ts';
import { foundingDocumentsPage } from './founding-documents.ts';
import { javascriptPage } from './javascript-api.ts';
import { optionTypes } from './start-options.ts';
import { worldFormat } from './world-format.ts';

const root = packageRoot();
const notice = (source: string): string =>
  `<!-- Written by \`npm run docs\` from ${source}. Do not edit. -->`;

const lines = (...parts: readonly (string | readonly string[])[]): string =>
  `${parts.flat().join('\n')}\n`;

/** A cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').trim();

/** Prose, in which Markdown would take `<file>` for HTML. */
const prose = (text: string): string => cell(text).replaceAll('<', '&lt;').replaceAll('*', '\\*');
const code = (text: string): string => (text === '' ? '' : `\`${cell(text)}\``);
const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

// Options and commands

const serverCommands = new Set(['start', 'exec']);

function optionsPage(): string {
  const groups = [...new Set(configOptions.map(({ declaration }) => declaration.group ?? ''))];
  const tables = groups.flatMap((group) => [
    '',
    `### ${group}`,
    '',
    row('option', 'environment variable', 'default', 'meaning'),
    row('---', '---', '---', '---'),
    ...configOptions
      .filter(({ declaration }) => declaration.group === group)
      .map(({ declaration }) => {
        const { flag, help, choices } = declaration;
        const values = choices ? ` (${choices.map(code).join(', ')})` : '';
        const shown = shownDefault(declaration) ?? '';
        return row(
          code(flag),
          code(environmentVariable(declaration)),
          isWord(shown) ? code(shown) : prose(shown),
          `${prose(help)}${values}`,
        );
      }),
  ]);
  return lines(
    '# Options and commands',
    '',
    notice('the declarations of the options'),
    '',
    'In a clone, run `cumulet` as `npx cumulet`, or as `npm start --` for the command `start`. An',
    'option on the command line takes precedence over its environment variable, and that over the file',
    '[cumulet.yaml](cumulet-yaml.md) of the project. A variable that begins with `CUMULET_` and belongs',
    'to no option is reported.',
    '',
    '## Options of `start` and `exec`',
    tables,
    '',
    'Durations are a number with a unit: `ms`, `s`, `m`, `h` or `d`. `--latency` knows these',
    'operations:',
    '',
    `${latencyNames(serviceDefinitions).map(code).join(', ')}.`,
    '',
    '## Commands',
    cumuletProgram().commands.flatMap((command) => commandSection(command, 'cumulet')),
  );
}

const isWord = (text: string): boolean => text !== '' && !text.includes(' ');

/** The sections of a command and its subcommands. */
function commandSection(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`;
  const usage = [name, ...command.registeredArguments.map(argumentOf)].join(' ');
  if (command.commands.length)
    return command.commands.flatMap((subcommand) => commandSection(subcommand, name));
  const heading = ['', `### \`${usage}\``, '', sentence(command.description())];
  const args = command.registeredArguments
    .filter(({ description }) => description)
    .map((argument) => `- \`${argumentOf(argument)}\`: ${argument.description}`);
  return [
    ...heading,
    ...(args.length ? ['', ...args] : []),
    ...(serverCommands.has(command.name()) ? serverOptions(command) : optionTable(command)),
  ];
}

const argumentOf = (argument: { name(): string; required: boolean; variadic: boolean }): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(')"') ? '' : '.'}`;

/** The defaults of a server command that differ from those of the options. */
function serverOptions(command: Command): string[] {
  const different = configOptions.flatMap(({ declaration }) => {
    const option = command.options.find(({ long }) => long === `--${optionName(declaration)}`)!;
    const initial = option.defaultValueDescription;
    return initial === undefined || initial === shownDefault(declaration)
      ? []
      : [`\`--${optionName(declaration)} ${initial}\``];
  });
  const ignored = configOptions
    .map(({ declaration }) => environmentVariable(declaration))
    .filter((name) => !command.options.some(({ envVar }) => envVar === name))
    .map(code);
  return [
    '',
    [
      different.length
        ? `It has the options above, with other defaults: ${different.join(', ')}.`
        : 'It has the options above.',
      ...(ignored.length
        ? [`It ignores the variables ${ignored.join(', ')}, and these options in a file.`]
        : []),
    ].join(' '),
    ...ownOptions(command),
  ];
}

/** The options of a server command that are not those of a cloud. */
function ownOptions(command: Command): string[] {
  const names = new Set(configOptions.map(({ declaration }) => `--${optionName(declaration)}`));
  const own = command.options.filter(({ long, hidden }) => !hidden && !names.has(long ?? ''));
  return own.length ? ['', ...own.map((one) => `- \`${one.flags}\`: ${one.description}`)] : [];
}

function optionTable(command: Command): string[] {
  const visible = command.options.filter(({ hidden }) => !hidden);
  if (!visible.length) return [];
  return [
    '',
    row('option', 'environment variable', 'default', 'meaning'),
    row('---', '---', '---', '---'),
    ...visible.map((option) =>
      row(
        code(option.flags),
        code(option.envVar ?? ''),
        code(defaultOf(option)),
        prose(option.description),
      ),
    ),
  ];
}

const defaultOf = ({ defaultValue, defaultValueDescription }: Option): string =>
  defaultValueDescription ?? (defaultValue === undefined ? '' : String(defaultValue));

// The emulator's API

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

interface Payload {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Payload;
  readonly responses: Readonly<Record<string, Payload>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

function emulatorPage(): string {
  const document = parse(readFileSync(join(root, 'api-ref', 'emulator.yaml'), 'utf8')) as Document;
  const sections = Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item)
      .flatMap((method) =>
        operationSection(
          document,
          `${method.toUpperCase()} /_emulator${path}`,
          item[method] as Operation,
          (item['parameters'] ?? []) as readonly Parameter[],
        ),
      ),
  );
  return lines(
    '# Emulator API',
    '',
    notice('api-ref/emulator.yaml'),
    '',
    'The emulator answers these requests at `/_emulator`, from this machine only. If it is started',
    'with `--control-token`, they may come from anywhere, and all need that token in the header',
    '`X-Control-Token`. Errors have the form `{"error": {"code": 404, "message": "..."}}`.',
    sections,
  );
}

function operationSection(
  document: Document,
  title: string,
  operation: Operation,
  shared: readonly Parameter[],
): string[] {
  const parameters = [...shared, ...(operation.parameters ?? [])].map((one) =>
    resolve(document, one),
  );
  const body = operation.requestBody && resolve(document, operation.requestBody);
  const fields = body ? fieldsOf(document, body) : [];
  return [
    '',
    `## ${title}`,
    '',
    [operation.summary, operation.description].filter(Boolean).join(' ').replaceAll(/\s+/g, ' '),
    ...(parameters.length
      ? [
          '',
          row('parameter', 'in', 'meaning'),
          row('---', '---', '---'),
          ...parameters.map((one) =>
            row(code(one.name), one.in, prose(one.description ?? typeOf(document, one.schema))),
          ),
        ]
      : []),
    ...(body && !fields.length ? ['', `Body: ${mediaOf(body)}`] : []),
    ...(fields.length
      ? ['', row('field of the body', 'type', 'meaning'), row('---', '---', '---'), ...fields]
      : []),
    '',
    ...Object.entries(operation.responses)
      .filter(([, reply]) => reply.$ref === undefined)
      .map(([status, reply]) => {
        const names = propertiesOf(document, reply);
        const shown = names.length ? ` Fields: ${names.map(code).join(', ')}.` : '';
        return `- \`${status}\`: ${(reply.description ?? '').replaceAll(/\s+/g, ' ')}${shown}`;
      }),
    `- errors: ${errorsOf(operation).map(code).join(', ')}`,
  ];
}

/** The statuses that return an error in the common form. */
const errorsOf = ({ responses }: Operation): string[] =>
  Object.keys(responses).filter((status) => responses[status]!.$ref !== undefined);

/** Follows a reference to a component. */
function resolve<T extends { readonly $ref?: string }>(document: Document, value: T): T {
  if (value.$ref === undefined) return value;
  const parts = value.$ref.slice(2).split('/');
  const found = parts.reduce<unknown>(
    (object, key) => (object as Record<string, unknown>)[key],
    document,
  );
  return resolve(document, found as T);
}

const mediaOf = ({ content = {} }: Payload): string => Object.keys(content).map(code).join(', ');

const schemaOf = (document: Document, { content = {} }: Payload): Schema =>
  resolve(document, content['application/json']?.schema ?? {});

const propertiesOf = (document: Document, payload: Payload): string[] =>
  Object.keys(schemaOf(document, payload).properties ?? {});

function fieldsOf(document: Document, payload: Payload): string[] {
  const { properties = {}, required = [] } = schemaOf(document, payload);
  return Object.entries(properties).map(([name, schema]) => {
    const { description = '' } = resolve(document, schema);
    const type = `${typeOf(document, schema)}${required.includes(name) ? ', required' : ''}`;
    return row(code(name), type, prose(description));
  });
}

/** The type of a value in a few words. */
function typeOf(document: Document, given: Schema | undefined): string {
  const schema = resolve(document, given ?? {});
  if (schema.enum) return schema.enum.map((value) => code(String(value))).join(' or ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives)
    return [...new Set(alternatives.map((one) => typeOf(document, one)))].join(' or ');
  if (schema.type === 'array') return `array of ${typeOf(document, schema.items)}`;
  return schema.type === undefined ? 'any' : [schema.type].flat().join(' or ');
}

// Coverage

function coveragePage(): string {
  const sections = readFileSync(join(root, 'api-ref', 'COVERAGE.md'), 'utf8').split(/^## /m);
  const rows = ownDefinitions.map(({ description, versions }) => {
    const section = sections.find((one) => one.startsWith(`${description}\n`)) ?? '';
    const operations = section.match(/^\| \w+:\w+ \|/gm) ?? [];
    const { min, max } = versions;
    const span = min === max ? min.name : `${min.name} – ${max.name}`;
    return row(description, span, String(operations.length));
  });
  return lines(
    '# Coverage',
    '',
    notice('api-ref/COVERAGE.md'),
    '',
    'One suite calls every operation at each microversion that changes it; another sends invalid',
    'input to every operation. Both check each reply against the contract.',
    '[COVERAGE.md](../../api-ref/COVERAGE.md) lists each operation with the microversions that have it',
    'and those at which the suites have called it, and the operations of upstream that are absent.',
    '',
    row('service', 'versions', 'operations'),
    row('---', '---', '---'),
    rows,
  );
}

// The settings of services

function settingsPage(): string {
  const sections = serviceDefinitions.flatMap(({ name, description, database, settings }) => {
    if (!settings) return [];
    const { properties } = settings.schema as { readonly properties: Record<string, Schema> };
    const defaults = settings.view(settings.defaults) as Record<string, unknown>;
    const declarations = Object.values(settings.declarations) as SettingDeclaration[];
    const names = Object.keys(properties);
    return [
      '',
      `## ${description}`,
      '',
      `\`/_emulator/${name}/settings\`, ` +
        (database === 'central' ? 'for all regions.' : 'for one `region`, or the first one.'),
      '',
      row('setting', 'values', 'default', "upstream's option", 'meaning'),
      row('---', '---', '---', '---', '---'),
      ...declarations.map(({ upstream = '', help }, index) => {
        const setting = names[index]!;
        const shown = JSON.stringify(defaults[setting]).replaceAll(',', ', ');
        return row(
          code(setting),
          valuesOf(properties[setting]!),
          code(shown),
          code(upstream),
          prose(help),
        );
      }),
    ];
  });
  return lines(
    '# Settings of services',
    '',
    notice("the declarations of the services' settings"),
    '',
    'What upstream reads from a configuration file can be changed while the emulator runs:',
    '',
    '```sh',
    'curl -sS -X PUT http://127.0.0.1:6060/_emulator/reservation/settings \\',
    "  -H 'content-type: application/json' -d '{\"minutes_before_end_lease\": 30}'; echo",
    '```',
    '',
    '`GET` shows all settings of a service. `PUT` changes those that it names, at once and for all',
    'processes, and shows all. A reset of the service restores the defaults. Settings without an',
    'option of upstream are only in Cumulet.',
    sections,
  );
}

/** The values that a setting accepts, in a few words. */
function valuesOf(schema: Schema): string {
  const { minimum, maximum, maxLength } = schema as Readonly<Record<string, number | undefined>>;
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  if (maxLength !== undefined) return `text of up to ${maxLength} characters`;
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(' or ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(valuesOf))].join(' or ');
  if (schema.type === 'array') return `list of ${valuesOf(schema.items!)}`;
  if (!schema.properties) return [schema.type].flat().join(' or ');
  return `object with ${Object.keys(schema.properties).map(code).join(', ')}`;
}

const worldPage = (): string =>
  lines(
    '# Worlds',
    '',
    notice('`worlds/world.schema.json`'),
    '',
    'The file of a world, for `--seed world.yaml`. [Worlds and presets](../guides/worlds-and-presets.md)',
    'introduces it. Names of projects, flavors, images and others may be ids, too.',
    '',
    worldFormat(),
  );

const configurationPage = (): string =>
  lines('# cumulet.yaml', '', notice('the declarations of the options'), '', configurationFormat());

// The pages

const pages: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/reference/options.md': optionsPage,
  'docs/reference/emulator-api.md': emulatorPage,
  'docs/reference/settings.md': settingsPage,
  'docs/reference/coverage.md': coveragePage,
  'docs/reference/world-format.md': worldPage,
  'docs/reference/cumulet-yaml.md': configurationPage,
  'docs/reference/founding-documents.md': foundingDocumentsPage,
  'docs/reference/javascript-api.md': () => javascriptPage(notice('the comments in src/library')),
  'src/library/contract.ts': contractTypes,
  'src/library/server-options.ts': optionTypes,
  'worlds/cumulet.schema.json': configurationSchema,
};

const isCheck = process.argv.includes('--check');
for (const [name, page] of Object.entries(pages)) {
  const path = join(root, name);
  const text = await page();
  if (!isCheck) writeFileSync(path, text);
  else if (text !== current(path)) {
    console.error(`${name} is out of date. Run 'npm run docs' and commit the result.`);
    process.exitCode = 1;
  }
}

function current(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
