// The reference page of the format of worlds, from its JSON Schema.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/kernel/package-root.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

interface Root extends Schema {
  readonly $defs: Readonly<Record<string, Schema>>;
}

const schema = (): Root =>
  JSON.parse(readFileSync(join(packageRoot(), 'worlds', 'world.schema.json'), 'utf8')) as Root;

const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;').trim();

/** The page, without its heading. */
export function worldFormat(): readonly string[] {
  const root = schema();
  const sections = Object.entries(root.properties ?? {});
  return [
    'Sections that a region may have, too, replace those of the world in that region:',
    `${Object.keys(root.$defs['region']!.properties!)
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
    ...sections.flatMap(([name, section]) => sectionPart(root, name, section)),
  ];
}

/** A schema whose reference is replaced by what it refers to; its own keywords prevail. */
function resolved(root: Root, one: Schema): Schema {
  if (one.$ref === undefined) return one;
  const target = one.$ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], root) as Schema;
  return { ...resolved(root, target), ...one, $ref: undefined as never };
}

function sectionPart(root: Root, name: string, section: Schema): string[] {
  const full = resolved(root, section);
  const lines = ['', `## \`${name}\``, ''];
  if (full.description) lines.push(full.description, '');
  lines.push(`Value: ${kindOf(root, full)}.`);
  const object = objectIn(root, full);
  if (object && name !== 'regions') lines.push('', ...fieldsOf(root, object));
  const nested = name === 'hosts' ? root.$defs['provider'] : undefined;
  if (nested) lines.push('', 'An entry of `providers`:', '', ...fieldsOf(root, nested));
  return lines;
}

/** The object that describes an entry of a section, if it has entries with fields. */
function objectIn(root: Root, one: Schema): Schema | undefined {
  const full = resolved(root, one);
  if (full.properties && Object.keys(full.properties).length) return full;
  const inside = [...(full.items ? [full.items] : []), ...(full.anyOf ?? [])];
  for (const part of inside) {
    const found = objectIn(root, part);
    if (found) return found;
  }
  return undefined;
}

function fieldsOf(root: Root, object: Schema): string[] {
  return [
    '| field | value | default | meaning |',
    '| --- | --- | --- | --- |',
    ...Object.entries(object.properties!).map(([name, field]) => {
      const full = resolved(root, field);
      const needed = object.required?.includes(name) ? 'required' : '';
      const usual = full.default === undefined ? needed : `\`${String(full.default)}\``;
      return `| \`${name}\` | ${cell(kindOf(root, full))} | ${cell(usual)} | ${cell(full.description ?? '')} |`;
    }),
  ];
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'mapping',
  array: 'list',
  null: 'null',
};

/** What values a schema accepts, in a few words. */
function kindOf(root: Root, one: Schema): string {
  const full = resolved(root, one);
  if (full.const !== undefined) return `\`${String(full.const)}\``;
  if (full.enum) return full.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (full.anyOf && !full.type)
    return [...new Set(full.anyOf.map((part) => kindOf(root, part)))].join(', or ');
  if (full.type === 'array') return `list of ${kindOf(root, full.items ?? {})}`;
  const values = full.additionalProperties;
  if (full.type === 'object' && typeof values === 'object' && values.type !== 'object')
    return `mapping of names to ${kindOf(root, values)}`;
  return (
    [full.type ?? []]
      .flat()
      .map((type) => nouns[type] ?? type)
      .join(' or ') || 'anything'
  );
}
