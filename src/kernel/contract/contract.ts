// The contract of a service: its api-ref at any microversion, which requests must satisfy, and in
// tests also replies.
import type { ErrorObject, FuncKeywordDefinition, ValidateFunction } from 'ajv';
import { loadAjv } from '../lazy.ts';
import { bodyGuard, type BodyGuard } from './body-validator.ts';
import { readDocument } from './documents.ts';
import { ajvFormats } from './formats.ts';
import type { Version } from '../microversion.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { project, visible } from './projection.ts';
import type { Query } from '../query.ts';
import { redactParameter } from '../redaction/texts.ts';

/**
 * All violations of a schema by a request, each with schema and value: jsonschema-messages.ts turns
 * them into messages.
 */
export type Failure = ErrorObject[];

/** An operation at a version. */
export interface Operation {
  readonly id: string;
  /** Whether the operation reads a body at this version. */
  readonly takesBody: boolean;
  /** Whether the body is required. */
  readonly needsBody: boolean;
  /** The violations of a body; undefined if it is valid. */
  checkBody(body: unknown): Promise<Failure | undefined>;
  /** The violations of a query; undefined if it is valid. */
  checkQuery(query: Query): Failure | undefined;
  /** The difference between a reply and its description; undefined if there is none. */
  checkReply(status: number, body: unknown): string | undefined;
}

interface OperationNode extends JsonObject {
  operationId: string;
}

/**
 * An api-ref document, read on first use. Operations with the same description at two versions
 * share their validators, and the clouds of a process share documents and validators: both are
 * immutable, and compiling them takes longer than using them.
 */
export class Contract {
  private static readonly documents = new Map<string, JsonObject>();
  private static readonly shapes = new Map<string, Operation>();
  readonly name: string;
  private readonly operations = new Map<string, Operation>();

  constructor(name: string) {
    this.name = name;
  }

  /** The document of all versions. */
  load(): JsonObject {
    let document = Contract.documents.get(this.name);
    if (!document) {
      document = readDocument(this.name);
      Contract.documents.set(this.name, document);
    }
    return document;
  }

  /**
   * The operation for a method and a path of the table of routes (`/traits/:name`) at a version.
   * @throws Error if the document has none
   */
  operation(method: string, path: string, version: Version): Operation {
    const key = `${method} ${path} ${version.name}`;
    let found = this.operations.get(key);
    if (!found) this.operations.set(key, (found = this.build(method, path, version.name)));
    return found;
  }

  /**
   * The operationId for a method and a path of the table of routes, at any version; undefined if
   * the document has none.
   */
  idOf(method: string, path: string): string | undefined {
    const node = this.nodeOf(method, path);
    return isObject(node) ? (node as OperationNode).operationId : undefined;
  }

  /** The node of the document for a method and a path of the table of routes. */
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
      // Compiling a schema loads Ajv, which takes a tenth of a start.
      if (!('required' in query) && !Object.keys(values).length) return undefined;
      if (quick()(values)) return undefined;
      // Messages quote all parameters.
      const failure = failureOf(slow(), withoutSecretParameters(values));
      return failure.length ? failure : failureOf(slow(), values);
    },
    checkReply: replyChecker(node),
  };
}

/**
 * Validates the body again after a failure, verbosely: the middleware returns neither values nor
 * all errors.
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

const maxItems = 1000;
const maxText = 10_000;

/** Checks values against a schema, which is compiled on first use. */
export function checkerOf(schema: JsonObject): (value: unknown) => Failure | undefined {
  const quick = lazily(() => compile(schema, false));
  const verbose = lazily(() => compile(schema, true));
  return (value) => {
    if (quick()(value)) return undefined;
    const failure = failureOf(verbose(), shortened(value));
    return failure.length ? failure : failureOf(verbose(), value);
  };
}

/**
 * The beginning of a huge body. An error message with all of it would block the process for
 * seconds.
 */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > maxText ? value.slice(0, maxText) : value;
  if (Array.isArray(value)) return value.slice(0, maxItems).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).slice(0, maxItems);
  return Object.fromEntries(
    entries.map(([name, child]: [string, unknown]) => [name, shortened(child)]),
  );
}

function failureOf(validate: ValidateFunction, data: unknown): Failure {
  validate(data);
  return (validate.errors ?? []).map((error) => ({
    ...error,
    schema: upstreamSchema(error.schema),
    parentSchema: upstreamSchema(error.parentSchema) as object,
  }));
}

/**
 * A part of a schema as upstream writes it: Python has a single format `uuid`, with or without
 * dashes.
 */
function upstreamSchema(schema: unknown): unknown {
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
 * One schema for the whole query, because OpenAPI's parameters cannot describe families of names
 * (`resources1`).
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
  // without a prototype, so that `__proto__` is a normal name
  const values = Object.create(null) as Record<string, string | string[]>;
  for (const name of query.names())
    values[name] =
      schemaFor(name, schema)?.['type'] === 'array' ? query.all(name) : query.last(name)!;
  return values;
}

function withoutSecretParameters(
  values: Readonly<Record<string, string | string[]>>,
): Record<string, string | string[]> {
  const shown = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of Object.entries(values))
    shown[name] = Array.isArray(value)
      ? value.map((one) => redactParameter(name, one))
      : redactParameter(name, value);
  return shown;
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
    return (
      `${node.operationId}: the body of ${status} is not as in the api-ref: ` +
      `${JSON.stringify(validate.errors)} ${JSON.stringify(body)?.slice(0, 500)}`
    );
  };
}

/**
 * Compiles a schema. A test validates the schemas against their meta-schema: doing that here would
 * take most of the time.
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
 * The keyword `pattern`, which accepts texts that are longer than `maxLength`. To report all
 * errors, Ajv matches such texts too, and some of upstream's expressions take quadratic or cubic
 * time.
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
