// The operations of a service at a microversion, from its OpenAPI description.
import { emulator } from '../../core/http.ts';

/** A schema of JSON, as far as the view shows it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maxLength?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface OperationNode {
  readonly operationId: string;
  readonly description?: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description?: string }>>;
}

interface Description {
  readonly paths: Readonly<
    Record<string, { readonly parameters?: readonly Parameter[] } & Record<string, unknown>>
  >;
}

/** An operation of a service. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** The schema of its body in JSON; undefined if it has none. */
  readonly body: Schema | undefined;
  readonly replies: readonly {
    readonly status: string;
    readonly text: string;
    readonly schema: Schema | undefined;
  }[];
}

/** What the parts of the view know of the operation that they show. */
export interface OperationProps {
  readonly operation: Operation;
  readonly service: string;
  readonly version: string;
  /** The path of the service. */
  readonly prefix: string;
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head'];

const schemaOf = ({ content }: Content): Schema | undefined =>
  content?.['application/json']?.schema;

/** Reads the operations of a service at a microversion, in the order of the description. */
export async function readOperations(
  service: string,
  version: string,
  signal: AbortSignal,
): Promise<Operation[]> {
  const query = `microversion=${encodeURIComponent(version)}`;
  const { paths } = await emulator<Description>(`/openapi/${service}?${query}`, { signal });
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const node = item[method] as OperationNode | undefined;
      return node ? [operationOf(method, path, node, item.parameters ?? [])] : [];
    }),
  );
}

const operationOf = (
  method: string,
  path: string,
  { operationId: id, description, summary, parameters = [], requestBody, responses }: OperationNode,
  common: readonly Parameter[],
): Operation => ({
  id,
  method: method.toUpperCase(),
  path,
  text: description ?? summary ?? '',
  parameters: [...common, ...parameters],
  body: requestBody && schemaOf(requestBody),
  replies: Object.entries(responses).map(([status, reply]) => ({
    status,
    text: reply.description ?? '',
    schema: schemaOf(reply),
  })),
});

/** A schema in one line: `string or null`, `array of integer`, `one of "a", "b"`. */
export function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'any';
  const { type, enum: values, items, oneOf, anyOf, format, maxLength, minimum } = schema;
  if (values) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  const choices = oneOf ?? anyOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  if (type === 'array') return `array of ${typeOf(items)}`;
  const name = typeof type === 'string' ? type : (type?.join(' or ') ?? 'any');
  const limits = [
    format,
    maxLength === undefined ? undefined : `up to ${maxLength} characters`,
    minimum === undefined ? undefined : `from ${minimum} on`,
  ].filter((limit) => limit !== undefined);
  return limits.length ? `${name} (${limits.join(', ')})` : name;
}

/** A body to start from: the required fields of a schema, with a value of each type. */
export function exampleOf(schema: Schema | undefined, depth = 0): unknown {
  if (!schema || depth > 6) return null;
  const { type, enum: values, properties = {}, required = [], items, oneOf, anyOf } = schema;
  if (values) return values[0];
  const choice = (oneOf ?? anyOf)?.[0];
  if (choice) return exampleOf(choice, depth);
  const name = typeof type === 'string' ? type : type?.find((one) => one !== 'null');
  if (name === 'object' || Object.keys(properties).length)
    return Object.fromEntries(
      required.map((field) => [field, exampleOf(properties[field], depth + 1)]),
    );
  if (name === 'array') return items ? [exampleOf(items, depth + 1)] : [];
  if (name === 'integer' || name === 'number') return schema.minimum ?? 0;
  if (name === 'boolean') return false;
  return name === 'string' ? '' : null;
}
