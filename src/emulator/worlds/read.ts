// Reads the file of a world: YAML or JSON that is valid by worlds/world.schema.json. Errors name the
// file, the line and what is expected there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorObject } from 'ajv';
import type { Document } from 'yaml';
import { loadAjv, loadYaml } from '../../kernel/lazy.ts';
import { packageRoot } from '../../kernel/package-root.ts';
import { shownFile } from '../../kernel/user/shown-file.ts';
import type { World, WorldFile, WorldPath } from './model.ts';
import { contentOf, parseYaml, WorldError } from './yaml-file.ts';

/** The folder with the schema and the presets. */
export const worldsFolder = (): string => join(packageRoot(), 'worlds');

const schemaOf = (): object =>
  JSON.parse(readFileSync(join(worldsFolder(), 'world.schema.json'), 'utf8')) as object;

/**
 * Reads a world: the whole file, or the section `world` of a configuration file.
 * @throws WorldError
 */
export function readWorld(file: string, text?: string): WorldFile {
  const parsed = parseYaml(file, text);
  const { document, position } = parsed;
  const section = isInline(document) ? ['world'] : [];
  const world = worldIn(contentOf(parsed), section);
  const positionOf = (path: WorldPath): string => position(offsetOf(document, section, path));
  const [error] = failuresOf(world);
  if (error) throw new WorldError(positionOf(pathTo(error)), describe(error));
  return { file: shownFile(file), world: world as World, positionOf };
}

/** Whether a document is a configuration file, whose section `world` may be missing. */
const isInline = (document: Document.Parsed): boolean =>
  loadYaml().isMap(document.contents) && (document.has('world') || document.has('options'));

/** The world in the content of a file. A list is a list of hosts, as in the files of `--hosts`. */
function worldIn(content: unknown, [section]: readonly string[]): unknown {
  const world =
    section === undefined ? content : (content as Readonly<Record<string, unknown>>)[section];
  if (world === null || world === undefined) return {};
  return Array.isArray(world) ? { hosts: world as unknown[] } : world;
}

/** Where the closest existing part to a path begins. */
function offsetOf(document: Document.Parsed, section: readonly string[], path: WorldPath): number {
  const { isMap, isScalar } = loadYaml();
  const world: unknown = section.length ? document.getIn(section, true) : document.contents;
  const parts = [...section, ...(isMap(world) ? path : path.slice(1))];
  for (let length = parts.length; length > 0; length--) {
    const parent: unknown = document.getIn(parts.slice(0, length - 1), true);
    const key = parts[length - 1];
    const holder = length === 1 ? document.contents : parent;
    if (isMap(holder)) {
      const pair = holder.items.find((one) => isScalar(one.key) && String(one.key.value) === key);
      if (isScalar(pair?.key) && pair.key.range) return pair.key.range[0];
    }
    const node = document.getIn(parts.slice(0, length), true) as { range?: number[] } | undefined;
    if (node?.range) return node.range[0]!;
  }
  return document.contents?.range?.[0] ?? 0;
}

/** The failures of the schema, the most telling first. */
function failuresOf(world: unknown): ErrorObject[] {
  const options = { allErrors: true, verbose: true, strict: false };
  const validator = new (loadAjv().Ajv2020)(options).compile(schemaOf());
  if (validator(world)) return [];
  const errors = (validator.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  return errors.toSorted((one, other) => weightOf(other, errors) - weightOf(one, errors));
}

const depthOf = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;

/**
 * How much an error explains. An error inside of an alternative matters if the alternative has the
 * right type; the failure of all alternatives matters if none has.
 */
function weightOf(error: ErrorObject, errors: readonly ErrorObject[]): number {
  const depth = 10 * depthOf(error);
  if (error.keyword !== 'anyOf') return depth + (error.keyword === 'type' ? 0 : 5);
  const inside = errors.filter(({ schemaPath }) => schemaPath.startsWith(`${error.schemaPath}/`));
  const isTelling = inside.every(
    (one) =>
      one.instancePath === error.instancePath && /^(?:type|const|pattern)$/.test(one.keyword),
  );
  return isTelling ? depth + 6 : -1;
}

function pathTo(error: ErrorObject): WorldPath {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const keys = path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const { additionalProperty, propertyName } = error.params as Record<string, string | undefined>;
  const last = additionalProperty ?? propertyName ?? error.propertyName;
  return last === undefined ? keys : [...keys, last];
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly anyOf?: readonly Schema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

/** The path as people write it: `servers[2].flavor`. */
export const shownPath = (path: WorldPath): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1);

function describe(error: ErrorObject): string {
  const schema = (error.parentSchema ?? {}) as Schema;
  const where = shownPath(pathTo(error));
  const at = where === '' ? 'the world' : where;
  const given = JSON.stringify(error.data)?.slice(0, 60);
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'additionalProperties':
      return `'${where}' is unknown. Expected: ${Object.keys(schema.properties ?? {}).join(', ')}.`;
    case 'required':
      return `${at} needs '${String(params['missingProperty'])}'.`;
    case 'type':
      return `${at}: expected ${typesOf(schema)}, not ${given}.`;
    case 'anyOf':
      return `${at}: expected ${alternativesOf(schema)}, not ${given}.`;
    case 'enum':
      return `${at}: expected one of ${schema.enum!.join(', ')}, not ${given}.`;
    case 'pattern':
      return `${at}: ${given} is not valid. ${schema.description ?? `It must match ${String(params['pattern'])}.`}`;
    default:
      return `${at} ${error.message}.`;
  }
}

const nouns: Readonly<Record<string, string>> = {
  object: 'a mapping',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

const typesOf = ({ type = [] }: Schema): string =>
  [type]
    .flat()
    .map((one) => nouns[one] ?? one)
    .join(' or ');

const alternativesOf = ({ anyOf = [] }: Schema): string =>
  [
    ...new Set(
      anyOf.map((one) =>
        one.const === undefined ? typesOf({ type: one.type ?? 'string' }) : String(one.const),
      ),
    ),
  ].join(' or ');

/** The regions that a world names, in order. */
export const regionsOf = ({ regions = [] }: World): readonly string[] =>
  Array.isArray(regions) ? (regions as readonly string[]) : Object.keys(regions);
