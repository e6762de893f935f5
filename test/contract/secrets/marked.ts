// Finds the fields and parameters of requests that a contract marks as secret, and those with a
// secret name.
import { Contract } from '../../../src/kernel/contract/contract.ts';
import { isObject, type Json, type JsonObject } from '../../../src/kernel/json.ts';

/** A field or parameter of an operation. */
export interface RequestField {
  /** The operationId. */
  readonly operation: string;
  readonly method: string;
  /** As in the contract: `/v2.1/servers/{server_id}`. */
  readonly path: string;
  readonly where: 'body' | 'path' | 'query' | 'header';
  /** The names that lead to it; 0 means any item of a list. */
  readonly at: readonly (string | number)[];
  readonly isMarked: boolean;
  /** The types of its values. */
  readonly types: readonly string[];
}

/** All leaves in the requests of a service. */
export function fieldsOf(service: string): RequestField[] {
  const document = new Contract(service).load();
  const resolved = (node: Json | undefined): JsonObject => {
    if (!isObject(node)) return {};
    const reference = node['$ref'];
    if (typeof reference !== 'string') return node;
    const target = reference
      .slice(2)
      .split('/')
      .reduce<Json | undefined>((one, key) => (isObject(one) ? one[key] : undefined), document);
    return { ...resolved(target), ...node, ...markOf(target, node) };
  };
  const markOf = (...nodes: readonly (Json | undefined)[]): JsonObject => ({
    'x-openstack': {
      secret: nodes.some((node) => isObject(node) && extensionOf(node)['secret'] === true),
    },
  });

  function* leaves(
    given: Json | undefined,
    at: RequestField['at'],
  ): Generator<Pick<RequestField, 'at' | 'isMarked' | 'types'>> {
    const node = resolved(given);
    if (at.length > 8) return;
    const isMarked = extensionOf(node)['secret'] === true;
    const branches = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => (node[key] ?? []) as Json[]);
    const properties = isObject(node['properties']) ? Object.entries(node['properties']) : [];
    if (isMarked || (!branches.length && !properties.length && node['items'] === undefined))
      yield { at, isMarked, types: [node['type'] ?? []].flat() as string[] };
    for (const branch of branches) yield* leaves(branch, at);
    for (const [name, child] of properties) yield* leaves(child, [...at, name]);
    if (node['items'] !== undefined) yield* leaves(node['items'], [...at, 0]);
  }

  const found: RequestField[] = [];
  for (const [path, item] of Object.entries(document['paths'] as JsonObject))
    for (const [method, operation] of Object.entries(item as JsonObject)) {
      if (!isObject(operation) || typeof operation['operationId'] !== 'string') continue;
      const common = { operation: operation['operationId'], method: method.toUpperCase(), path };
      const shared = ((item as JsonObject)['parameters'] ?? []) as Json[];
      for (const one of [...shared, ...((operation['parameters'] ?? []) as Json[])]) {
        const { name, in: where, schema } = resolved(one);
        for (const leaf of leaves(schema, [String(name)]))
          found.push({ ...common, where: where as RequestField['where'], ...leaf });
      }
      const content = resolved(operation['requestBody'])['content'];
      for (const media of Object.values(isObject(content) ? content : {}))
        for (const leaf of leaves((media as JsonObject)['schema'], []))
          found.push({ ...common, where: 'body', ...leaf });
    }
  return found;
}

const extensionOf = (node: JsonObject): JsonObject =>
  isObject(node['x-openstack']) ? node['x-openstack'] : {};
