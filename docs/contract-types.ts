// Derives the types of the JavaScript library from the contract of the emulator's API: one for each
// schema, and for each operation its method, path, parameters, body and reply.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { parse } from 'yaml';
import { packageRoot } from '../src/kernel/package-root.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** An operation with its method, its path, and the parameters of its path. */
interface Located {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
}

/** The text of src/library/contract.ts. */
export async function contractTypes(): Promise<string> {
  const file = join(packageRoot(), 'api-ref', 'emulator.yaml');
  const document = parse(readFileSync(file, 'utf8')) as Document;
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => !unused.includes(name))
    .map(([name, schema]) => `${comment(schema.description)}${declarationOf(name, schema)}`);
  const located = operationsOf(document);
  const table = located.map(
    ({ method, path, operation }) =>
      `'${operation.operationId}': ['${method.toUpperCase()}', '${path}'],`,
  );
  const text = [
    "// The types of the emulator's API. Written by `npm run docs` from api-ref/emulator.yaml: do not",
    '// edit.',
    '/* eslint-disable max-lines */',
    '',
    '/** A value that is written into a path or a query. */',
    'export type Word = string | number;',
    '',
    ...schemas,
    '/** What each operation takes and returns. */',
    'export interface Operations {',
    ...located.map((one) => operationType(one)),
    '}',
    '',
    '/** The method and the path of each operation. */',
    'export const operations: Readonly<',
    '  Record<keyof Operations, readonly [method: string, path: string]>',
    '> = {',
    ...table,
    '};',
  ].join('\n');
  return format(text, {
    parser: 'typescript',
    singleQuote: true,
    printWidth: 100,
    trailingComma: 'all',
  });
}

/** Errors are thrown, so the library needs no type for them. */
const unused = ['Error'];

function operationsOf({ paths, components }: Document): Located[] {
  const resolved = (one: Parameter): Parameter =>
    one.$ref === undefined ? one : components.parameters[lastPart(one.$ref)]!;
  return Object.entries(paths).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item)
      .map((method) => {
        const operation = item[method] as Operation;
        const shared = (item['parameters'] ?? []) as readonly Parameter[];
        const parameters = [...shared, ...(operation.parameters ?? [])].map(resolved);
        return { method, path, operation, parameters };
      }),
  );
}

/** The member of `Operations` for an operation. */
function operationType({ operation, parameters }: Located): string {
  const { operationId, summary, requestBody } = operation;
  const inside = (place: Parameter['in']): readonly Parameter[] =>
    parameters.filter((one) => one.in === place);
  const [path, query] = [inside('path'), inside('query')];
  const fields = [
    ...(path.length
      ? [`readonly path: { ${path.map(({ name }) => `readonly ${name}: Word;`).join(' ')} };`]
      : []),
    ...(query.length ? [`readonly query?: {\n${query.map(queryField).join('\n')}\n};`] : []),
    ...(requestBody
      ? [`readonly body${requestBody.required ? '' : '?'}: ${bodyType(requestBody.content)};`]
      : []),
    `readonly reply: ${replyType(operation)};`,
  ];
  return `${comment(summary)}'${operationId}': {\n${fields.join('\n')}\n};`;
}

/** Queries are text, in which numbers and booleans may be written. */
function queryField({ name, description, schema }: Parameter): string {
  const values = schema.enum ?? [];
  const types = [
    schema.enum ? literals(values) : 'Word',
    ...(values.includes('true') ? ['boolean'] : []),
  ];
  return `${comment(description)}readonly ${name}?: ${types.join(' | ')};`;
}

const bodyType = (content: Content): string => {
  const json = content['application/json'];
  return json ? typeOf(json.schema) : 'string';
};

function replyType({ responses }: Operation): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => (content ? bodyType(content) : 'undefined'));
  return [...new Set(types)].join(' | ');
}

/** A declaration: an interface for an object, otherwise an alias. */
function declarationOf(name: string, schema: Schema): string {
  return schema.properties
    ? `export interface ${name} ${typeOf(schema)}\n`
    : `export type ${name} = ${typeOf(schema)};\n`;
}

/** The type of the values that a schema describes. */
function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return lastPart(schema.$ref);
  if (schema.const !== undefined) return literals([schema.const]);
  if (schema.enum) return literals(schema.enum);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'object':
      return objectType(schema);
    case 'array':
      return `readonly (${typeOf(schema.items!)})[]`;
    case 'integer':
      return 'number';
    case undefined:
      return 'unknown';
    default:
      return schema.type as string;
  }
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  const others =
    additionalProperties === false
      ? []
      : [
          `readonly [name: string]: ${typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'};`,
        ];
  const fields = Object.entries(properties ?? {}).map(
    ([name, schema]) =>
      `${comment(schema.description)}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`,
  );
  return `{\n${[...fields, ...others].join('\n')}\n}`;
}

const literals = (values: readonly unknown[]): string =>
  values
    .map((value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value)))
    .join(' | ');

const lastPart = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** A doc comment with a description, in lines of at most 92 columns; nothing without one. */
export function comment(description: string | undefined): string {
  if (description === undefined) return '';
  const lines = [''];
  for (const word of description.trim().split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > 84) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}
