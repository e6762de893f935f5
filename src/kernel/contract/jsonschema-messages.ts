// Describes a schema failure that Ajv found in the words of Python's jsonschema library, which
// OpenStack's clients expect.
import type { ErrorObject } from 'ajv';

import { redactPart } from '../redaction/json.ts';
import {
  type Key,
  compareCodePoints,
  compareKeys,
  indexed,
  listed,
  pythonPprint,
  pythonRepr,
} from '../oslo/python-repr.ts';

export { pythonJsonError, pythonPprint, pythonReadsJson, pythonRepr } from '../oslo/python-repr.ts';
export type { Key, PprintOptions, ReprOptions } from '../oslo/python-repr.ts';

/**
 * The release of jsonschema whose messages and choice of error apply: 4.10 (Debian 12), or 4.22 and
 * later.
 */
export type Wording = 'newest' | '4.10';

/** How `explain` chooses and words the error. */
export interface ExplainOptions {
  /**
   * `best` is `jsonschema.validate` (its best_match); `first` is the `validate` method of a
   * validator, which follows the order of keywords in the schema.
   */
  pick: 'best' | 'first';
  wording?: Wording;
  /**
   * Whether `text` prints dictionaries with sorted keys (the default), or as given, as jsonschema
   * does since 4.23.
   */
  sortKeys?: boolean;
  /**
   * The schema that failed, which gives the order of keywords that no error contains. It matters to
   * `first` if there are several errors.
   */
  schema?: unknown;
}

/** One schema failure, with the fields of jsonschema.ValidationError. */
export interface Explanation {
  /** The message, such as `'x' is a required property`. */
  message: string;
  keyword: string;
  /** The path in the instance from its root; an index is a number, a property a string. */
  path: Key[];
  /** The path in the schema from its root, including the keyword. */
  schemaPath: Key[];
  /** The schema that contains the keyword. */
  schema: unknown;
  /** The part of the instance that failed. */
  instance: unknown;
  /**
   * The result of Python's `str(error)`: the message, the schema and the instance, on several
   * lines.
   */
  text: string;
}

/**
 * Describes, in jsonschema's words, the one of Ajv's errors that jsonschema would raise.
 *
 * The errors are those of an Ajv 2020 with `{ allErrors: true, verbose: true, strict: false }`,
 * over a schema with its $refs inlined: upstream's Python schemas have none, and the paths are
 * those of the schema given. Ajv knows less than jsonschema in three cases: of three or more
 * passing oneOf branches, only the first two are named; a `false` subschema under `items` is
 * reported for each item; additionalProperties with a schema keeps the instance's order, where
 * Python's is that of a set. Unlike jsonschema, it shows secrets in the instance as `***`.
 */
export function explain(errors: readonly ErrorObject[], options: ExplainOptions): Explanation {
  const { pick, wording = 'newest', schema } = options;
  const failures = schemaFailures(errors, schema);
  const chosen = pick === 'best' ? bestMatch(failures, wording) : failures[0];
  if (chosen === undefined) throw new TypeError('There is no schema error to explain');
  return explanationOf(chosen, options);
}

/** Describes all of Ajv's errors, in the order of jsonschema's `iter_errors`. */
export const explainAll = (errors: readonly ErrorObject[]): Explanation[] =>
  schemaFailures(errors).map((failure) => explanationOf(failure, {}));

function explanationOf(
  chosen: SchemaFailure,
  { wording = 'newest', sortKeys = true }: Pick<ExplainOptions, 'wording' | 'sortKeys'>,
): Explanation {
  const failure = withoutSecretData(chosen);
  const { message, keyword } = say(failure, wording);
  const { parentSchema, data } = failure.merged[0];
  const text = [
    message,
    '',
    `Failed validating ${keyword === 'false schema' ? 'None' : pythonRepr(keyword)} in ` +
      `${indexed('schema', failure.near.schemaPath.slice(0, -1))}:`,
    shown(withoutAnnotations(parentSchema), sortKeys),
    '',
    `On ${indexed('instance', failure.near.path)}:`,
    shown(data, sortKeys),
  ].join('\n');
  return {
    message,
    keyword,
    path: failure.path,
    schemaPath: failure.schemaPath,
    schema: parentSchema,
    instance: data,
    text,
  };
}

/** The failure with `***` for secrets in the instance, which messages quote. */
function withoutSecretData(failure: SchemaFailure): SchemaFailure {
  const [error, ...others] = failure.merged;
  const data = redactPart(failure.path, error.data);
  return data === error.data ? failure : { ...failure, merged: [{ ...error, data }, ...others] };
}

function shown(value: unknown, sortKeys: boolean): string {
  return pythonPprint(value, { width: 72, sortKeys }).replace(/^/gm, '    ');
}

/**
 * Removes what upstream's schemas do not have from a schema of our documents: x-openstack, title
 * and description.
 */
export function withoutAnnotations(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([key]) => !/^(?:title|description|x-openstack(?:-.*)?)$/.test(key),
  );
  return Object.fromEntries(
    kept.map(([key, value]: [string, unknown]) => [key, subschemasWithout(key, value)]),
  );
}

function subschemasWithout(keyword: string, value: unknown): unknown {
  const route = ROUTES.get(keyword);
  if (route === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutAnnotations);
  if (route.through === undefined) return withoutAnnotations(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withoutAnnotations(item)]),
  );
}

/**
 * The algorithm of jsonschema's best_match: the shallowest error, then the most relevant error of
 * its branches, as long as there is exactly one.
 */
function bestMatch(failures: SchemaFailure[], wording: Wording): SchemaFailure | undefined {
  const compare = (a: SchemaFailure, b: SchemaFailure): number => compareRelevance(a, b, wording);
  const [first, ...rest] = failures;
  if (first === undefined) return undefined;
  let best = rest.reduce((top, failure) => (compare(failure, top) > 0 ? failure : top), first);
  for (;;) {
    const [least, next] = best.context.toSorted(compare);
    if (least === undefined || (next !== undefined && compare(least, next) === 0)) return best;
    best = least;
  }
}

/**
 * Positive if `a` is more relevant: shallower, since 4.22 later in the instance, not weak, not of
 * the requested type.
 */
function compareRelevance(a: SchemaFailure, b: SchemaFailure, wording: Wording): number {
  return (
    b.near.path.length - a.near.path.length ||
    (wording === 'newest' ? compareKeys(a.near.path, b.near.path) : 0) ||
    Number(isWeak(b)) - Number(isWeak(a)) ||
    Number(matchesType(b)) - Number(matchesType(a))
  );
}

function isWeak({ keyword }: SchemaFailure): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function matchesType({ merged: [{ parentSchema, data }] }: SchemaFailure): boolean {
  const wanted: unknown = parentSchema?.['type'];
  const types: unknown[] = typesOf(data);
  return [wanted].flat().some((type) => types.includes(type));
}

function typesOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

/**
 * One error as jsonschema counts them: `merged` are the Ajv errors that it combines, `context` the
 * errors of its branches.
 */
interface SchemaFailure {
  keyword: string;
  merged: [ErrorObject, ...ErrorObject[]];
  path: Key[];
  schemaPath: Key[];
  /**
   * Paths from the anyOf or oneOf whose branch contains this error, otherwise the whole paths: what
   * jsonschema prints.
   */
  near: { path: Key[]; schemaPath: Key[] };
  context: SchemaFailure[];
  /** For `contains`, the number of items that match. */
  matched: number;
}

/**
 * How a keyword leads to a subschema: through a name or an index, and to a member of the instance
 * or not.
 */
interface Route {
  through?: 'name' | 'index';
  into?: 'name' | 'index';
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['properties', { through: 'name', into: 'name' }],
  ['patternProperties', { through: 'name', into: 'name' }],
  ['additionalProperties', { into: 'name' }],
  ['unevaluatedProperties', { into: 'name' }],
  ['dependentSchemas', { through: 'name' }],
  ['items', { into: 'index' }],
  ['prefixItems', { through: 'index', into: 'index' }],
  ['unevaluatedItems', { into: 'index' }],
  ['contains', { into: 'index' }],
  ['allOf', { through: 'index' }],
  ['anyOf', { through: 'index' }],
  ['oneOf', { through: 'index' }],
  ...['propertyNames', 'not', 'if', 'then', 'else'].map((keyword): [string, Route] => [
    keyword,
    {},
  ]),
]);

/** A step from a schema to a subschema, with the keys that it adds to either path. */
interface Step {
  keyword: string;
  schemaKeys: Key[];
  instanceKeys: Key[];
}

/** A schema applied to one position in the instance. */
interface Node {
  step: Step;
  schema: unknown;
  errors: ErrorObject[];
  below: Map<string, Node>;
}

/** The paths of a node, and how much of them leads to its nearest anyOf or oneOf. */
interface Position {
  path: Key[];
  schemaPath: Key[];
  base: { path: number; schemaPath: number };
}

/**
 * The errors that `iter_errors` of jsonschema would yield, in the order of the keywords in each
 * schema. `root` is the whole schema; without it, keywords without failing siblings keep the order
 * of Ajv.
 */
function schemaFailures(errors: readonly ErrorObject[], root?: unknown): SchemaFailure[] {
  const tree = newNode({ keyword: '', schemaKeys: [], instanceKeys: [] });
  for (const error of errors) plant(tree, error);
  return gather(tree, root, { path: [], schemaPath: [], base: { path: 0, schemaPath: 0 } });
}

function newNode(step: Step): Node {
  return { step, schema: undefined, errors: [], below: new Map() };
}

function plant(root: Node, error: ErrorObject): void {
  let node = root;
  for (const step of stepsTo(error)) {
    const id = JSON.stringify([
      step.schemaKeys,
      step.instanceKeys,
      step.keyword === 'propertyNames' && error.propertyName,
    ]);
    const child = node.below.get(id) ?? newNode(step);
    node.below.set(id, child);
    node = child;
  }
  node.schema ??= error.parentSchema;
  node.errors.push(error);
}

function stepsTo(error: ErrorObject): Step[] {
  const schemaKeys = error.schemaPath
    .split('/')
    .slice(1, -1)
    .map((part) => unescape(decodeURIComponent(part)));
  const instanceKeys = error.instancePath.split('/').slice(1).map(unescape);
  const steps: Step[] = [];
  while (schemaKeys.length > 0) {
    const keyword = schemaKeys.shift() ?? '';
    const route = ROUTES.get(keyword);
    steps.push({
      keyword,
      schemaKeys: [keyword, ...take(schemaKeys, route?.through)],
      instanceKeys: take(instanceKeys, route?.into),
    });
  }
  return steps;
}

function take(keys: string[], kind: 'name' | 'index' | undefined): Key[] {
  const key = kind === undefined ? undefined : keys.shift();
  if (key === undefined) return [];
  return [kind === 'index' ? Number(key) : key];
}

function unescape(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function gather(node: Node, given: unknown, at: Position): SchemaFailure[] {
  const schema = node.schema ?? given;
  const order = typeof schema === 'object' && schema !== null ? Object.keys(schema) : [];
  const nodes = [...node.below.values()];
  const keywords = [
    ...new Set([...nodes.map((child) => child.step.keyword), ...node.errors.map((e) => e.keyword)]),
  ];
  // jsonschema evaluates `then` and `else` when it evaluates `if`.
  const rank = (keyword: string): number =>
    order.indexOf(keyword === 'then' || keyword === 'else' ? 'if' : keyword);
  return keywords
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((keyword) => {
      const errors = node.errors.filter((error) => error.keyword === keyword);
      const below = nodes.filter((child) => child.step.keyword === keyword);
      return gatherKeyword(keyword, errors, below, memberOf(schema, keyword), at);
    });
}

/**
 * The errors of one keyword of a schema: its own, those of its subschemas, or an error with those
 * as its context.
 */
function gatherKeyword(
  keyword: string,
  errors: ErrorObject[],
  below: Node[],
  value: unknown,
  at: Position,
): SchemaFailure[] {
  const [first, ...rest] = errors;
  if (first === undefined || keyword === 'if' || keyword === 'propertyNames')
    return gatherBelow(below, value, at);
  const failure = failureOf(keyword, first, at);
  switch (keyword) {
    case 'anyOf':
    case 'oneOf': {
      if (Array.isArray(first.params['passingSchemas'])) return [failure];
      const base = { path: at.path.length, schemaPath: at.schemaPath.length + 1 };
      return [{ ...failure, context: gatherBelow(below, value, { ...at, base }) }];
    }
    case 'contains': {
      const items = Array.isArray(first.data) ? first.data.length : 0;
      return [
        {
          ...failure,
          matched: items - new Set(below.map(({ step }) => step.instanceKeys[0])).size,
        },
      ];
    }
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return [{ ...failure, merged: [first, ...rest] }];
    default:
      return errors.map((error) => failureOf(keyword, error, at));
  }
}

function gatherBelow(below: Node[], value: unknown, at: Position): SchemaFailure[] {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const ranks = new Map(names.map((name, i) => [name, i]));
  const rank = ({ step }: Node): number => {
    const key = step.schemaKeys[1] ?? step.instanceKeys[0];
    return typeof key === 'number' ? key : (ranks.get(String(step.schemaKeys[1])) ?? -1);
  };
  return below
    .toSorted((a, b) => rank(a) - rank(b))
    .flatMap((child) => {
      const { schemaKeys, instanceKeys } = child.step;
      const schema = schemaKeys.length > 1 ? memberOf(value, String(schemaKeys[1])) : value;
      const path = [...at.path, ...instanceKeys];
      return gather(child, schema, { ...at, path, schemaPath: [...at.schemaPath, ...schemaKeys] });
    });
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function failureOf(keyword: string, error: ErrorObject, at: Position): SchemaFailure {
  const schemaPath = keyword === 'false schema' ? at.schemaPath : [...at.schemaPath, keyword];
  const near = {
    path: at.path.slice(at.base.path),
    schemaPath: schemaPath.slice(at.base.schemaPath),
  };
  return { keyword, merged: [error], path: at.path, schemaPath, near, context: [], matched: 0 };
}

/** The input of a message: the value of the keyword, the instance and the schema. */
interface MessageInput {
  failure: SchemaFailure;
  error: ErrorObject;
  value: unknown;
  schema: Record<string, unknown>;
  it: string;
  newest: boolean;
}

const MESSAGES: Readonly<Record<string, (input: MessageInput) => string>> = {
  type: ({ it, value }) => `${it} is not of type ${listed([value].flat())}`,
  enum: ({ it, value }) => `${it} is not one of ${pythonRepr(value)}`,
  const: ({ value }) => `${pythonRepr(value)} was expected`,
  pattern: ({ it, value }) => `${it} does not match ${pythonRepr(value)}`,
  format: ({ it, value }) => `${it} is not a ${pythonRepr(value)}`,
  minimum: ({ it, value }) => `${it} is less than the minimum of ${pythonRepr(value)}`,
  maximum: ({ it, value }) => `${it} is greater than the maximum of ${pythonRepr(value)}`,
  exclusiveMinimum: ({ it, value }) =>
    `${it} is less than or equal to the minimum of ${pythonRepr(value)}`,
  exclusiveMaximum: ({ it, value }) =>
    `${it} is greater than or equal to the maximum of ${pythonRepr(value)}`,
  multipleOf: ({ it, value }) => `${it} is not a multiple of ${pythonRepr(value)}`,
  minLength: sized(1, 'is too short'),
  maxLength: sized(0, 'is too long'),
  minItems: sized(1, 'is too short'),
  maxItems: sized(0, 'is too long'),
  minProperties: sized(1, 'does not have enough properties'),
  maxProperties: sized(0, 'has too many properties'),
  uniqueItems: ({ it }) => `${it} has non-unique elements`,
  required: ({ error }) => `${pythonRepr(error.params['missingProperty'])} is a required property`,
  dependentRequired: ({ error: { params } }) =>
    `${pythonRepr(params['missingProperty'])} is a dependency of ${pythonRepr(params['property'])}`,
  additionalProperties: additionalPropertiesMessage,
  unevaluatedProperties: ({ failure }) =>
    'Unevaluated properties are not allowed ' +
    `(${unexpected(extrasOf(failure, 'unevaluatedProperty'))})`,
  unevaluatedItems: ({ error }) =>
    'Unevaluated items are not allowed ' +
    `(${unexpected((error.data as unknown[]).slice(Number(error.params['len'])))})`,
  items: itemsMessage,
  anyOf: ({ it }) => `${it} is not valid under any of the given schemas`,
  oneOf: oneOfMessage,
  not: ({ it, value }) =>
    `${it} should not be valid under ${pythonRepr(withoutAnnotations(value))}`,
  contains: ({ it }) => `${it} does not contain items matching the given schema`,
  'false schema': ({ it }) => `False schema does not allow ${it}`,
};

function say(failure: SchemaFailure, wording: Wording): { message: string; keyword: string } {
  const { keyword } = failure;
  const [error] = failure.merged;
  if (keyword === 'contains' && failure.matched > 0) return containsMessage(failure.matched, error);
  const messageOf = Object.hasOwn(MESSAGES, keyword) ? MESSAGES[keyword] : undefined;
  if (messageOf === undefined) return { message: error.message ?? keyword, keyword };
  const schema: Record<string, unknown> = error.parentSchema ?? {};
  const value: unknown = error.schema;
  const input = {
    failure,
    error,
    value,
    schema,
    it: pythonRepr(error.data),
    newest: wording === 'newest',
  };
  return { message: messageOf(input), keyword };
}

/**
 * Some items match, but too many or too few: jsonschema then reports the limit as the keyword that
 * failed.
 */
function containsMessage(
  matched: number,
  { params }: ErrorObject,
): { message: string; keyword: string } {
  const most: unknown = params['maxContains'];
  if (typeof most === 'number' && matched > most) {
    return {
      message: `Too many items match the given schema (expected at most ${most})`,
      keyword: 'maxContains',
    };
  }
  const least = `expected at least ${params['minContains']} but only ${matched} matched`;
  return { message: `Too few items match the given schema (${least})`, keyword: 'minContains' };
}

/**
 * A message about a size; newer releases of jsonschema have special messages for limits that mean
 * "not empty" or "empty".
 */
function sized(limit: 0 | 1, otherwise: string): (input: MessageInput) => string {
  const special = limit === 1 ? 'should be non-empty' : 'is expected to be empty';
  return ({ it, value, newest }) => `${it} ${newest && value === limit ? special : otherwise}`;
}

function additionalPropertiesMessage({ failure, schema }: MessageInput): string {
  const extras = extrasOf(failure, 'additionalProperty');
  const patterns = schema['patternProperties'];
  if (typeof patterns !== 'object' || patterns === null) {
    return `Additional properties are not allowed (${unexpected(extras)})`;
  }
  const verb = extras.length === 1 ? 'does' : 'do';
  return (
    `${listed(extras)} ${verb} not match any of the regexes: ` +
    listed(Object.keys(patterns).sort(compareCodePoints))
  );
}

function extrasOf(failure: SchemaFailure, param: string): string[] {
  return failure.merged.map((error) => String(error.params[param])).sort(compareCodePoints);
}

function itemsMessage({ error, schema, newest }: MessageInput): string {
  const items: unknown[] = Array.isArray(error.data) ? error.data : [];
  const prefix = Array.isArray(schema['prefixItems']) ? schema['prefixItems'].length : 0;
  if (!newest) return `Expected at most ${prefix} items, but found ${items.length}`;
  const rest = items.slice(prefix);
  const noun = prefix === 1 ? 'item' : 'items';
  return (
    `Expected at most ${prefix} ${noun} but found ${rest.length} extra: ` +
    pythonRepr(rest.length === 1 ? rest[0] : rest)
  );
}

function oneOfMessage({ error, value, it }: MessageInput): string {
  const passing: unknown = error.params['passingSchemas'];
  if (!Array.isArray(passing) || !Array.isArray(value))
    return `${it} is not valid under any of the given schemas`;
  const [first, ...more] = passing.map((index) =>
    withoutAnnotations((value as unknown[])[Number(index)]),
  );
  return `${it} is valid under each of ${listed([...more, first])}`;
}

function unexpected(extras: unknown[]): string {
  return `${listed(extras)} ${extras.length === 1 ? 'was' : 'were'} unexpected`;
}
