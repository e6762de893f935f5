// The schema language of specs: items with types, defaults and constraints; how values are read by
// them, and how they are shown.
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { Json } from '../../model.ts';
import { without } from '../without.ts';

/** What a spec has that its schema does not allow. The service decides which fault that is. */
export class SpecError extends Error {}

type Kind = 'Integer' | 'String' | 'Number' | 'Boolean' | 'Map' | 'List';

export interface Item {
  readonly kind: Kind;
  readonly description: string;
  readonly initial?: unknown;
  readonly required?: boolean;
  readonly updatable?: boolean;
  readonly allowed?: readonly string[];
  /** The items of a Map; those of a List under `*`. */
  readonly schema?: Schema;
}

export type Schema = Readonly<Record<string, Item>>;

type Options = Omit<Item, 'kind' | 'description' | 'schema'>;

const scalar =
  (kind: Kind) =>
  (description: string, options: Options = {}): Item => ({ kind, description, ...options });

export const integer = scalar('Integer');
export const number = scalar('Number');
export const text = scalar('String');
export const boolean = scalar('Boolean');
export const map = (description: string, schema?: Schema, options: Options = {}): Item => ({
  kind: 'Map',
  description,
  ...options,
  ...(schema ? { schema } : {}),
});
export const list = (description: string, item: Item, options: Options = {}): Item => ({
  kind: 'List',
  description,
  ...options,
  schema: { '*': item },
});

/** A schema as `GET /policy-types/{type}` shows it. */
export function describe(schema: Schema): Json {
  return Object.fromEntries(
    Object.entries(schema).map(([name, item]) => [name, describeItem(item)]),
  );
}

/** The parameters of an operation, which cannot be updated and do not say so. */
export function describeParameters(schema: Schema): Json {
  const entries = Object.entries(schema).map(([name, item]) => [
    name,
    without(describeItem(item), 'updatable'),
  ]);
  return Object.fromEntries(entries) as Json;
}

function describeItem({
  kind,
  description,
  initial,
  required = false,
  updatable = false,
  allowed,
  schema,
}: Item): Json {
  return {
    type: kind,
    ...(description ? { description } : {}),
    ...(initial === undefined || initial === null ? {} : { default: initial }),
    required,
    ...(schema ? { schema: describe(schema) } : {}),
    updatable,
    ...(allowed ? { constraints: [{ type: 'AllowedValues', constraint: [...allowed] }] } : {}),
  };
}

/**
 * Reads properties by their schema: values are coerced, defaults filled in, what is left out
 * becomes null. Upstream: senlin/common/schema.py.
 * @throws SpecError
 */
export function resolve(schema: Schema, given: Json): Json {
  const found: Json = {};
  for (const [name, item] of Object.entries(schema)) {
    const isGiven = Object.hasOwn(given, name);
    if (!isGiven && item.required) throw new SpecError(`Required spec item '${name}' not provided`);
    found[name] = isGiven ? read(item, given[name]) : initialOf(item);
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(schema, name));
  if (unknown !== undefined) throw new SpecError(`Unrecognizable spec item '${unknown}'`);
  return found;
}

/**
 * A value that is left out: maps with a default stay as that default is, without the defaults
 * inside.
 */
const initialOf = ({ initial }: Item): unknown => structuredClone(initial ?? null);

/** Reads one value. @throws SpecError */
export function read(item: Item, value: unknown): unknown {
  const found = coerce(item, value);
  if (item.allowed && !item.allowed.includes(found as string))
    throw new SpecError(
      `'${pythonText(found)}' must be one of the allowed values: ${item.allowed.join(', ')}`,
    );
  return found;
}

function coerce(item: Item, value: unknown): unknown {
  const refuse = (what: string): never => {
    throw new SpecError(what);
  };
  switch (item.kind) {
    case 'Integer':
      return integerOf(value) ?? refuse(`The value '${pythonText(value)}' is not a valid Integer`);
    case 'Number':
      return Number.isFinite(Number(value))
        ? Number(value)
        : refuse(`The value '${pythonText(value)}' is not a valid number.`);
    case 'Boolean':
      return booleanOf(value) ?? refuse(`The value '${pythonText(value)}' is not a valid Boolean`);
    case 'String':
      return value === null ? refuse("The value 'None' is not a valid string.") : pythonText(value);
    case 'List': {
      if (!Array.isArray(value)) {
        // A text is a list of its characters, to Python.
        if (typeof value !== 'string') return refuse(`'${pythonText(value)}' is not a List`);
        return Array.from(value).map((char) => read(item.schema!['*']!, char));
      }
      return (value as unknown[]).map((one) => read(item.schema!['*']!, one));
    }
    default:
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return refuse(`'${pythonText(value)}' is not a Map`);
      return item.schema ? resolve(item.schema, value as Json) : value;
  }
}

/** Python's int() of a JSON value; undefined where it has none. */
function integerOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? Math.trunc(value) : undefined;
  if (typeof value !== 'string' || value.length > 18 || !/^\s*[+-]?\d+\s*$/.test(value))
    return undefined;
  return Number(value);
}

const booleanOf = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : boolFromString(pythonText(value));

/** Python's str() of a JSON value. */
export const pythonText = (value: unknown): string =>
  typeof value === 'string' ? value : pythonRepr(value);
