// Compares an operation at a microversion with the newest one, by the spans and projections of
// api-ref.
import type { Version, Versions } from '../../kernel/microversion.ts';
import type { Contract } from '../../kernel/contract/contract.ts';
import { compareVersions, project, visible } from '../../kernel/contract/projection.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Change, Difference, Outcome } from './model.ts';

/** The request and the response of an operation at a version. */
interface Sides {
  readonly request: Json;
  readonly response: Json;
}

/**
 * Compares an operation at a version with the newest version. Only successful responses are
 * compared, and for an action only the request, because api-ref has one response for all actions of
 * a path. Changes that leave no trace in a schema, a parameter or a status go unnoticed.
 */
export function outcomeOf(
  contract: Contract,
  method: string,
  path: string,
  all: Versions,
  from: Version,
  action?: string,
): Outcome {
  const document = contract.load();
  const node = contract.nodeOf(method, path) as JsonObject;
  const at = (version: Version): Sides | undefined => sidesAt(document, node, version.name, action);
  const bounds = boundsIn(document, node);
  const later = all.list.filter(
    ({ index, name }) =>
      index > from.index && bounds.some((bound) => takesEffectAt(all, bound, name)),
  );
  const changes: Change[] = [];
  let before = at(from);
  for (const version of later) {
    const after = at(version);
    const [request, response] = (['request', 'response'] as const).map(
      (side) => !isSame(before?.[side], after?.[side]),
    ) as [boolean, boolean];
    if (request || response)
      changes.push({
        version: version.name,
        summary: all.history[version.name] ?? '',
        request,
        response,
      });
    before = after;
  }
  const [was, is] = [at(from), before];
  return {
    latest:
      is === undefined ? 'gone' : was === undefined ? 'added' : changes.length ? 'changed' : 'same',
    changes,
    request: differenceOf(was?.request, is?.request),
    response: differenceOf(was?.response, is?.response),
  };
}

const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function sidesAt(
  document: JsonObject,
  node: JsonObject,
  version: string,
  action: string | undefined,
): Sides | undefined {
  if (!visible(node, version)) return undefined;
  const plain = project(document, node, version) as JsonObject;
  const body = schemaOf(plain['requestBody']);
  if (action !== undefined) {
    const properties = isObject(body) ? body['properties'] : undefined;
    const sent = isObject(properties) ? properties[action] : undefined;
    return sent === undefined
      ? undefined
      : { request: { properties: { [action]: sent } }, response: {} };
  }
  const responses = Object.entries((plain['responses'] ?? {}) as JsonObject).filter(
    ([status]) => Number(status) < 400,
  );
  return {
    request: { parameters: plain['parameters'] ?? [], body: body ?? null },
    response: Object.fromEntries(responses),
  };
}

function schemaOf(body: Json | undefined): Json | undefined {
  const media =
    isObject(body) && isObject(body['content']) ? Object.values(body['content'])[0] : undefined;
  return isObject(media) ? media['schema'] : undefined;
}

/** A bound of a version span: the first or the last version of something. */
interface Bound {
  readonly version: string;
  readonly isEnd: boolean;
}

/** All bounds below a node. A projection can only change at these versions. */
function boundsIn(
  document: JsonObject,
  node: Json,
  seen = new Set<string>(),
  found = new Map<string, Bound>(),
): Bound[] {
  if (Array.isArray(node)) for (const item of node as Json[]) boundsIn(document, item, seen, found);
  if (isObject(node)) {
    const { 'x-openstack': span, $ref: reference } = node;
    for (const bound of ['min-ver', 'max-ver']) {
      const version = isObject(span) ? span[bound] : undefined;
      if (typeof version === 'string')
        found.set(`${bound} ${version}`, { version, isEnd: bound === 'max-ver' });
    }
    if (typeof reference === 'string' && !seen.has(reference)) {
      seen.add(reference);
      boundsIn(document, targetOf(document, reference), seen, found);
    }
    for (const child of Object.values(node)) boundsIn(document, child, seen, found);
  }
  return [...found.values()];
}

const targetOf = (document: JsonObject, reference: string): Json =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<Json>((node, part) => (isObject(node) ? (node[part] ?? null) : null), document);

/** Whether a bound takes effect at a version: the first of a span, or the first after it. */
function takesEffectAt(all: Versions, { version, isEnd }: Bound, name: string): boolean {
  if (!isEnd) return compareVersions(version, name) === 0;
  const after = all.list[(all.find(version)?.index ?? Infinity) + 1];
  return after?.name === name;
}

function differenceOf(before: Json | undefined, after: Json | undefined): Difference {
  if (before === undefined || after === undefined) return { added: [], removed: [] };
  const [was, is] = [namesIn(before), namesIn(after)];
  return {
    added: [...is].filter((name) => !was.has(name)),
    removed: [...was].filter((name) => !is.has(name)),
  };
}

/** The names of parameters and the paths of properties, such as `server.networks.tag`. */
function namesIn(node: Json | undefined, path = '', found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const item of node as Json[]) namesIn(item, path, found);
  if (!isObject(node)) return found;
  if (node['in'] === 'query' && typeof node['name'] === 'string') found.add(`?${node['name']}`);
  for (const [key, child] of Object.entries(node)) {
    if (key !== 'properties' || !isObject(child)) {
      namesIn(child, path, found);
      continue;
    }
    for (const [name, schema] of Object.entries(child)) {
      const full = path ? `${path}.${name}` : name;
      found.add(full);
      namesIn(schema, full, found);
    }
  }
  return found;
}
