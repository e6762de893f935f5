// The contract of a service: its api-ref at any microversion, enforced on requests and, in tests,
// on replies.
import type { ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv';
import { loadAjv } from '../lazy.ts';
import { bodyGuard, type BodyGuard } from './body-validator.ts';
import { readDocument } from './documents.ts';
import { ajvFormats } from './formats.ts';
import type { Version } from '../microversion.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { project, visible } from './projection.ts';
import type { Query } from '../query.ts';

/**
 * What a schema had against a request: every error, with schema and value, for `wording.ts` to say.
 */
export type Failure = ErrorObject[];

/** An operation at a version. */
export interface Operation {
  readonly id: string;
  /** Whether the operation reads a body at this version. */
  readonly takesBody: boolean;
  /** Whether it may not be left out. */
  readonly needsBody: boolean;
  /** Undefined where the body is allowed. */
  checkBody(body: unknown): Promise<Failure | undefined>;
  /** Undefined where the query is allowed. */
  checkQuery(query: Query): Failure | undefined;
  /** What is wrong with a reply; undefined where it is as described. */
  checkReply(status: number, body: unknown): string | undefined;
}

interface OperationNode extends JsonObject {
  operationId: string;
}

/**
 * An api-ref document, read when it is first needed. Operations that look the same at two versions
 * share their validators. The clouds of a process share documents and validators: neither ever
 * changes, and to compile them takes longer than to use them.
 */
export class Contract {
  private static readonly documents = new Map<string, JsonObject>();
  private static readonly shapes = new Map<string, Operation>();
  readonly name: string;
  private readonly operations = new Map<string, Operation>();

  constructor(name: string) {
    this.name = name;
  }

  /** The document as it is written. */
  load(): JsonObject {
    let document = Contract.documents.get(this.name);
    if (!document) {
      document = readDocument(this.name);
      Contract.documents.set(this.name, document);
    }
    return document;
  }

  /**
   * The operation for a method and a path of the table (`/traits/:name`) at a version.
   * @throws Error where the document has none
   */
  operation(method: string, path: string, version: Version): Operation {
    const key = `${method} ${path} ${version.name}`;
    let found = this.operations.get(key);
    if (!found) this.operations.set(key, (found = this.build(method, path, version.name)));
    return found;
  }

  /**
   * The operationId for a method and a path of the table, at whatever version; undefined where the
   * document has none.
   */
  idOf(method: string, path: string): string | undefined {
    const node = this.nodeOf(method, path);
    return isObject(node) ? (node as OperationNode).operationId : undefined;
  }

  /** What the document says of a method and a path of the table. */
  nodeOf(method: string, path: string): Json | undefined {
    const paths = this.load()['paths'] as JsonObject;
    const item = paths[path.replaceAll(/:(\w+)/g, '{$1}')];
    return isObject(item) ? item[method.toLowerCase()] : undefined;
  }

  private build(method: string, path: string, version: string): Operation {
    const document = this.load();
    const node = this.nodeOf(method, path);
    if (!isObject(node) || !visible(node, version))
      throw new Error(`api-ref/${this.name}.yaml has no ${method} ${path} at ${version}`);
    const plain = project(document, node, version) as OperationNode;
    const shape = `${method} ${path} ${JSON.stringify(plain)}`;
    let operation = Contract.shapes.get(shape);
    if (!operation) Contract.shapes.set(shape, (operation = operationOf(method, plain)));
    return operation;
  }
}

function operationOf(method: string, node: OperationNode): Operation {
  const schema = bodySchema(node);
  const query = querySchema(node);
  const guard = lazily(() => bodyGuard(method, schema ?? {}));
  const verbose = lazily(() => compile(schema ?? {}, true));
  const quick = lazily(() => compile(query, false));
  const slow = lazily(() => compile(query, true));
  return {
    id: node.operationId,
    takesBody: schema !== undefined,
    needsBody: schema !== undefined && (node['requestBody'] as JsonObject)['required'] === true,
    checkBody: async (body) => (schema === undefined ? undefined : refusal(guard(), verbose, body)),
    checkQuery: (given) => {
      const values = valuesOf(given, query);
      return quick()(values) ? undefined : failureOf(slow(), values);
    },
    checkReply: replyChecker(node),
  };
}

/**
 * On failure only, a second and verbose look at the same schema: the middleware keeps neither
 * values nor all errors.
 */
async function refusal(
  guard: BodyGuard,
  verbose: () => ValidateFunction,
  body: unknown,
): Promise<Failure | undefined> {
  if (await guard(body)) return undefined;
  const failure = failureOf(verbose(), shortened(body));
  return failure.length ? failure : failureOf(verbose(), body);
}

const mostItems = 1000;
const mostText = 10_000;

/**
 * What is complained about of a huge body is its beginning: to write out all of it would hold up
 * everybody for seconds.
 */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > mostText ? value.slice(0, mostText) : value;
  if (Array.isArray(value)) return value.slice(0, mostItems).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, mostItems);
  return Object.fromEntries(
    entries.map(([name, child]: [string, unknown]) => [name, shortened(child)]),
  );
}

function failureOf(validate: ValidateFunction, data: unknown): Failure {
  validate(data);
  return (validate.errors ?? []).map((error) => ({
    ...error,
    schema: told(error.schema),
    parentSchema: told(error.parentSchema) as object,
  }));
}

/**
 * A part of a schema as upstream has it: there is one `uuid` in Python, whether or not it wants
 * dashes.
 */
function told(schema: unknown): unknown {
  return schema === undefined
    ? schema
    : (JSON.parse(JSON.stringify(schema).replaceAll('"uuid-like"', '"uuid"')) as unknown);
}

function bodySchema(node: OperationNode): JsonObject | undefined {
  const body = node['requestBody'];
  const media = isObject(body) ? (body['content'] as JsonObject)['application/json'] : undefined;
  return isObject(media) ? (media['schema'] as JsonObject) : undefined;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: JsonObject;
  'x-openstack'?: { 'name-pattern'?: string };
}

/**
 * One schema for the whole query: families of names (`resources1`) cannot be said in OpenAPI's
 * parameters.
 */
function querySchema(node: OperationNode): JsonObject {
  const parameters = ((node['parameters'] ?? []) as unknown as Parameter[]).filter(
    (parameter) => parameter.in === 'query',
  );
  const exact = parameters.filter((parameter) => !parameter['x-openstack']?.['name-pattern']);
  const families = parameters.filter((parameter) => parameter['x-openstack']?.['name-pattern']);
  const required = exact
    .filter((parameter) => parameter.required)
    .map((parameter) => parameter.name);
  const extension = node['x-openstack'] as JsonObject | undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(exact.map((parameter) => [parameter.name, parameter.schema])),
    ...(families.length
      ? {
          patternProperties: Object.fromEntries(
            families.map((family) => [family['x-openstack']!['name-pattern']!, family.schema]),
          ),
        }
      : {}),
    ...(required.length ? { required } : {}),
    additionalProperties: extension?.['unknown-query'] !== 'refused',
  };
}

function valuesOf(query: Query, schema: JsonObject): Record<string, string | string[]> {
  // so that `__proto__` is a name like others
  const values = Object.create(null) as Record<string, string | string[]>;
  for (const name of query.names())
    values[name] =
      schemaFor(name, schema)?.['type'] === 'array' ? query.all(name) : query.last(name)!;
  return values;
}

function schemaFor(name: string, schema: JsonObject): JsonObject | undefined {
  const properties = schema['properties'] as JsonObject;
  if (Object.hasOwn(properties, name)) return properties[name] as JsonObject;
  const families = Object.entries((schema['patternProperties'] ?? {}) as JsonObject);
  return families.find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1] as
    JsonObject | undefined;
}

function replyChecker(node: OperationNode): Operation['checkReply'] {
  const responses = (node['responses'] ?? {}) as JsonObject;
  const compiled = new Map<string, ValidateFunction | undefined>();
  return (status, body) => {
    const response = responses[status];
    if (!isObject(response)) return `${node.operationId}: status ${status} is not in the api-ref`;
    const media = isObject(response['content'])
      ? response['content']['application/json']
      : undefined;
    if (!isObject(media))
      return body === undefined
        ? undefined
        : `${node.operationId}: ${status} has a body, and none in the api-ref`;
    if (!compiled.has(String(status)))
      compiled.set(String(status), compile((media['schema'] ?? {}) as JsonObject, false));
    const validate = compiled.get(String(status))!;
    if (validate(body)) return undefined;
    return `${node.operationId}: the body of ${status} is not as in the api-ref: ${JSON.stringify(validate.errors)} ${JSON.stringify(body)?.slice(0, 500)}`;
  };
}

/**
 * The schemas themselves are held to their meta-schema by a test: to compile that for each of them
 * would take most of the time.
 */
function compile(schema: JsonObject, verbose: boolean): ValidateFunction {
  const { Ajv2020 } = loadAjv();
  const unchecked = { meta: false, validateSchema: false, strict: false };
  const ajv = new Ajv2020({
    ...unchecked,
    strictNumbers: true,
    allErrors: verbose,
    verbose,
    formats: ajvFormats(),
  });
  if (verbose) ajv.removeKeyword('pattern').addKeyword(boundedPattern());
  return ajv.compile(schema as Record<string, Json>);
}

/**
 * The keyword `pattern`, which allows what is longer than `maxLength`. To look for all errors, Ajv
 * asks the expression then too, and some of upstream's take a time that grows with the square or
 * the cube of the length.
 */
function boundedPattern(): FuncKeywordDefinition {
  const { _, str } = loadAjv();
  return {
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    before: 'format',
    compile: (pattern: string, schema) => {
      const { maxLength = Infinity } = schema as { maxLength?: number };
      const expression = new RegExp(pattern, 'u');
      return (text: string) =>
        (text.length > maxLength && Array.from(text).length > maxLength) || expression.test(text);
    },
    error: {
      message: ({ schemaCode }) => str`must match pattern "${schemaCode}"`,
      params: ({ schemaCode }) => _`{pattern: ${schemaCode}}`,
    },
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
