// The schema language of specs: items with types, defaults and constraints, by which values are
// read, and which clients can see.
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import { pythonRepr } from '../../../../kernel/oslo/python-repr.ts';
import type { Json } from '../../model.ts';
import { without } from '../without.ts';

/** A violation of a schema. The caller decides which status it has. */
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

/** A schema in the form that `GET /policy-types/{type}` returns. */
export function describe(schema: Schema): Json {
  return Object.fromEntries(
    Object.entries(schema).map(([name, item]) => [name, describeItem(item)]),
  );
}

/** The parameters of an operation. They have no `updatable`, because they cannot be updated. */
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
 * Reads properties by their schema: coerces values and adds defaults; absent properties without a
 * default become null. Upstream: senlin/common/schema.py.
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

/** The value of an absent property. The default of a map does not get the defaults of its items. */
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
  const reject = (message: string): never => {
    throw new SpecError(message);
  };
  switch (item.kind) {
    case 'Integer':
      return integerOf(value) ?? reject(`The value '${pythonText(value)}' is not a valid Integer`);
    case 'Number':
      return Number.isFinite(Number(value))
        ? Number(value)
        : reject(`The value '${pythonText(value)}' is not a valid number.`);
    case 'Boolean':
      return booleanOf(value) ?? reject(`The value '${pythonText(value)}' is not a valid Boolean`);
    case 'String':
      return value === null ? reject("The value 'None' is not a valid string.") : pythonText(value);
    case 'List': {
      if (!Array.isArray(value)) {
        // To Python, a string is a list of its characters.
        if (typeof value !== 'string') return reject(`'${pythonText(value)}' is not a List`);
        return Array.from(value).map((char) => read(item.schema!['*']!, char));
      }
      return (value as unknown[]).map((element) => read(item.schema!['*']!, element));
    }
    default:
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return reject(`'${pythonText(value)}' is not a Map`);
      return item.schema ? resolve(item.schema, value as Json) : value;
  }
}

/** Python's int() of a JSON value; undefined if it raises an exception. */
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
