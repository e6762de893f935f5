// Projects the api-ref of a service to plain OpenAPI at one microversion.
import { isObject, type Json, type JsonObject } from '../json.ts';

interface Span {
  'min-ver'?: string;
  'max-ver'?: string;
  discriminator?: string;
}

/** Compares versions such as `1.9` and `1.10` numerically. */
export function compareVersions(left: string, right: string): number {
  const [leftMajor = 0, leftMinor = 0] = left.split('.').map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split('.').map(Number);
  return leftMajor - rightMajor || leftMinor - rightMinor;
}

/** Whether the span of a node (its `x-openstack`) covers the version. */
export function visible(node: Json | undefined, version: string): boolean {
  if (!isObject(node)) return true;
  const { 'min-ver': from, 'max-ver': to } = spanOf(node);
  return (
    (from === undefined || compareVersions(version, from) >= 0) &&
    (to === undefined || compareVersions(version, to) <= 0)
  );
}

const spanOf = (node: JsonObject): Span =>
  isObject(node['x-openstack']) ? (node['x-openstack'] as Span) : {};

/**
 * A node of `document` at a version, with references inlined. README.md of api-ref has the rules.
 * @returns undefined if the node does not exist at the version
 */
export function project(document: JsonObject, node: Json, version: string): Json | undefined {
  if (Array.isArray(node))
    return (node as Json[])
      .map((item) => projected(document, item, version))
      .filter((item) => item !== undefined);
  if (!isObject(node)) return node;
  if (spanOf(node).discriminator === 'microversion') return chosen(document, node, version);
  const reference = node['$ref'];
  const target =
    typeof reference === 'string'
      ? project(document, resolve(document, reference), version)
      : undefined;
  const kept: Record<string, Json> = isObject(target) ? { ...target } : {};
  for (const [key, child] of Object.entries(node)) {
    if (key === '$ref') continue;
    const left = key === 'x-openstack' ? withoutSpan(child) : projected(document, child, version);
    if (left !== undefined) kept[key] = merged(kept[key], left);
  }
  takeFromRequired(node, kept);
  return kept;
}

/**
 * Merges the siblings of a reference into its target, at any depth. The siblings override the
 * target.
 */
function merged(target: Json | undefined, beside: Json): Json {
  if (!isObject(target) || !isObject(beside)) return beside;
  return {
    ...target,
    ...Object.fromEntries(
      Object.entries(beside).map(([key, child]) => [key, merged(target[key], child)]),
    ),
  };
}

function projected(document: JsonObject, node: Json, version: string): Json | undefined {
  return visible(node, version) ? project(document, node, version) : undefined;
}

function chosen(document: JsonObject, node: JsonObject, version: string): Json | undefined {
  const variant = (node['oneOf'] as Json[]).find((candidate) => visible(candidate, version));
  return variant === undefined ? undefined : project(document, variant, version);
}

function withoutSpan(extension: Json): Json | undefined {
  const rest = Object.entries(extension as JsonObject).filter(
    ([key]) => !['min-ver', 'max-ver', 'discriminator', 'secret'].includes(key),
  );
  return rest.length ? Object.fromEntries(rest) : undefined;
}

/** Properties that do not exist at the version are not required either. */
function takeFromRequired(node: JsonObject, kept: Record<string, Json>): void {
  const { required, properties } = node;
  if (!Array.isArray(required) || !isObject(properties)) return;
  const left = isObject(kept['properties']) ? kept['properties'] : {};
  kept['required'] = (required as string[]).filter((name) => !(name in properties) || name in left);
  if (!(kept['required'] as string[]).length) delete kept['required'];
}

function resolve(document: JsonObject, reference: string): Json {
  let node: Json | undefined = document;
  for (const part of reference.replace(/^#\//, '').split('/'))
    node = isObject(node) ? node[part] : undefined;
  if (node === undefined) throw new Error(`api-ref: ${reference} does not exist`);
  return node;
}
