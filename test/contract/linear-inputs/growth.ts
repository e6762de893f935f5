// Finds the lists and the maps of a body in its schema, and fills them with any number of elements.
import { isObject, type Json, type JsonObject } from '../../../src/kernel/json.ts';
import { uuidFor } from '../../../src/kernel/ids.ts';

/** A place of a body that can hold any number of elements. */
export interface Growth {
  /** The place, such as `security_group_rules` or `server.metadata`. */
  readonly name: string;
  /** The body of a request with this number of elements there. */
  bodyWith(count: number): Json;
}

type Path = readonly (string | 0)[];

/** Finds every place of a body that can grow. The rest of the body is that of the sample. */
export function growthsOf(schema: JsonObject, sample: Json): Growth[] {
  const found = new Map<string, Growth>();
  const visit = (node: JsonObject, path: Path): void => {
    for (const branch of branchesOf(node)) visit(branch, path);
    const properties = objectIn(node, 'properties');
    for (const [name, child] of Object.entries(properties ?? {}))
      if (isObject(child)) visit(child, [...path, name]);
    const fill = fillerOf(node);
    if (!fill) return;
    const name = path.join('.') || '(body)';
    const bodyWith = (count: number): Json => replaced(sample, schema, path, fill(count));
    if (!found.has(name)) found.set(name, { name, bodyWith });
    const items = objectIn(node, 'items');
    if (items && path.length < 6) visit(items, [...path, 0]);
  };
  visit(schema, []);
  return [...found.values()];
}

/** Creates the elements of a list or a map; undefined for a schema of neither. */
function fillerOf(node: JsonObject): ((count: number) => Json) | undefined {
  const items = objectIn(node, 'items');
  if (items || typesOf(node).includes('array'))
    return (count) => Array.from({ length: count }, (_, index) => valueOf(items ?? {}, index));
  const [pattern, child] = mapOf(node);
  if (pattern === undefined) return undefined;
  return (count) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        matching(pattern, index),
        valueOf(child, index),
      ]),
    );
}

/** The pattern of a map's keys, and the schema of its values. */
function mapOf(node: JsonObject): [string | undefined, JsonObject] {
  const [first] = Object.entries(objectIn(node, 'patternProperties') ?? {});
  if (first && isObject(first[1])) return [first[0], first[1]];
  const other = objectIn(node, 'additionalProperties');
  return [other && '', other ?? {}];
}

/** A value that the schema accepts, as far as this function can tell. */
function valueOf(node: JsonObject, index: number): Json {
  const [branch] = branchesOf(node);
  if (branch && !('properties' in node)) return valueOf(branch, index);
  if (Array.isArray(node['enum'])) return node['enum'][index % node['enum'].length]!;
  if ('const' in node) return node['const']!;
  switch (typesOf(node).find((type) => type !== 'null')) {
    case 'array':
      return Array.from({ length: Number(node['minItems'] ?? 1) }, (_, at) =>
        valueOf(objectIn(node, 'items') ?? {}, index + at),
      );
    case 'object': {
      const properties = objectIn(node, 'properties') ?? {};
      const names = (node['required'] as string[] | undefined) ?? Object.keys(properties);
      return Object.fromEntries(
        names.map((name) => {
          const child = properties[name];
          return [name, valueOf(isObject(child) ? child : {}, index)];
        }),
      );
    }
    case 'integer':
    case 'number':
      return Math.max(Number(node['minimum'] ?? 1), 1);
    case 'boolean':
      return index % 2 === 0;
    default:
      return node['format'] === 'uuid'
        ? uuidFor(`element ${index}`)
        : matching(typeof node['pattern'] === 'string' ? node['pattern'] : '', index);
  }
}

/** A text for the index that matches the pattern, if one of the usual forms does. */
function matching(pattern: string, index: number): string {
  const candidates = [
    `k${index}`,
    uuidFor(`element ${index}`),
    `CUSTOM_K${index}`,
    `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    String(index),
  ];
  const expression = new RegExp(pattern, 'u');
  return candidates.find((one) => expression.test(one)) ?? candidates[0]!;
}

/** The body with a value at a path. Missing objects and elements on the way are created. */
function replaced(body: Json | undefined, schema: JsonObject, path: Path, value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const child = (key === 0 ? objectIn(schema, 'items') : propertyOf(schema, key)) ?? {};
  if (key === 0) {
    const [first = valueOf(child, 0)] = Array.isArray(body) ? body : [];
    return [replaced(first, child, rest, value)];
  }
  const current = isObject(body) ? body : {};
  return { ...current, [key]: replaced(current[key], child, rest, value) };
}

function propertyOf(schema: JsonObject, name: string): JsonObject | undefined {
  const own = objectIn(schema, 'properties')?.[name];
  if (isObject(own)) return own;
  for (const branch of branchesOf(schema)) {
    const found = propertyOf(branch, name);
    if (found) return found;
  }
  return undefined;
}

const branchesOf = (node: JsonObject): JsonObject[] =>
  ['allOf', 'oneOf', 'anyOf'].flatMap((name) => {
    const branches = node[name];
    return Array.isArray(branches) ? branches.filter(isObject) : [];
  });

const objectIn = (node: JsonObject, name: string): JsonObject | undefined => {
  const value = node[name];
  return isObject(value) ? value : undefined;
};

const typesOf = (node: JsonObject): readonly unknown[] => [node['type']].flat();
