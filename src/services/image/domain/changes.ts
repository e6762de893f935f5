// Changes to an image as a client writes them: two drafts of JSON-patch. Upstream: glance/api/v2/images.py.
import { badRequest, conflict, forbidden, type Fault } from '../../../kernel/fault.ts';
import { fieldOf, isField, isReserved, readOnly } from './names.ts';
import type { Image } from './records.ts';

const verbs = ['add', 'remove', 'replace'] as const;
type Verb = (typeof verbs)[number];

export interface Change {
  readonly verb: Verb;
  readonly name: string;
  readonly value: unknown;
  /** The older draft, to which adding what is there is an error. */
  readonly old: boolean;
}

/** The media types of a patch, and which draft each is. */
export const patchTypes: Readonly<Record<string, 4 | 10>> = {
  'application/openstack-images-v2.0-json-patch': 4,
  'application/openstack-images-v2.1-json-patch': 10,
};

/** Reads a patch. @throws 400, 403 */
export function readChanges(body: unknown, draft: 4 | 10): Change[] {
  if (!Array.isArray(body)) throw badRequest('Request body must be a JSON array of operation objects.');
  return body.map((raw: unknown) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw badRequest('Operations must be JSON objects.');
    return readChange(raw as Record<string, unknown>, draft);
  });
}

function readChange(raw: Record<string, unknown>, draft: 4 | 10): Change {
  const { verb, pointer } = draft === 10 ? newDraft(raw) : oldDraft(raw);
  const path = decoded(pointer);
  const [name = ''] = path;
  const depth = name === 'locations' && verb !== 'replace' ? 2 : 1;
  if (path.length !== depth) throw badRequest(`Invalid JSON pointer for this resource: '/${path.join('/')}'`);
  if (verb !== 'remove' && !Object.hasOwn(raw, 'value')) throw badRequest(`Operation "${verb}" requires a member named "value".`);
  if (readOnly.includes(name)) throw forbidden(`Attribute '${name}' is read-only.`);
  if (isReserved(name)) throw forbidden(`Attribute '${name}' is reserved.`);
  return { verb, name, value: raw['value'], old: draft === 4 };
}

function newDraft(raw: Record<string, unknown>): { verb: Verb; pointer: unknown } {
  const { op, path } = raw;
  const available = `It must be one of the following: ${verbs.join(', ')}.`;
  if (op === undefined || op === null) throw badRequest(`Unable to find \`op\` in JSON Schema change. ${available}`);
  const verb = verbs.find((one) => one === op);
  if (!verb) throw badRequest(`Invalid operation: \`${typeof op === 'string' ? op : JSON.stringify(op)}\`. ${available}`);
  if (!Object.hasOwn(raw, 'path')) throw badRequest("Unable to find 'path' in JSON Schema change");
  return { verb, pointer: path };
}

function oldDraft(raw: Record<string, unknown>): { verb: Verb; pointer: unknown } {
  const [verb, second] = verbs.filter((one) => Object.hasOwn(raw, one));
  if (second) throw badRequest('Operation objects must contain only one member named "add", "remove", or "replace".');
  if (!verb) throw badRequest('Operation objects must contain exactly one member named "add", "remove", or "replace".');
  return { verb, pointer: raw[verb] };
}

function decoded(pointer: unknown): string[] {
  if (typeof pointer !== 'string') throw badRequest('A JSON pointer must be a string.');
  const refuse = (why: string): Fault => badRequest(`Pointer \`${pointer}\` ${why}`);
  if (!pointer.startsWith('/')) throw refuse('does not start with "/".');
  if (/\/\s*?\//.test(pointer.slice(1))) throw refuse('contains adjacent "/".');
  if (pointer.length > 1 && pointer.endsWith('/')) throw refuse('end with "/".');
  if (pointer.slice(1).trim() === '/') throw refuse('does not contains valid token.');
  if (/~[^01]/.test(pointer) || pointer.endsWith('~')) throw refuse('contains "~" not part of a recognized escape sequence.');
  const parts = pointer.replace(/^\/+/, '').split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').trim());
}

/** The image with a change made. Whether the caller may is asked elsewhere. @throws 403, 409 */
export function changed(image: Image, change: Change, isAdmin: boolean): Image {
  const { name, verb } = change;
  if (name === 'locations') throw forbidden(`It's not allowed to ${verb} locations if locations are invisible.`);
  if (verb === 'replace' && name === 'owner' && !isAdmin) throw forbidden("Owner can't be updated by non admin.");
  return isField(name) ? changedField(image, name, change) : changedProperty(image, change);
}

function changedField(image: Image, name: keyof typeof fieldOf, { verb, value, old }: Change): Image {
  if (verb === 'remove') throw forbidden(`Property ${name} may not be removed.`);
  if (verb === 'add' && old) throw conflict(`Property ${name} already present.`);
  if ((name === 'container_format' || name === 'disk_format') && image.status !== 'queued')
    throw forbidden(`Attribute ${name} can be only replaced for a queued image.`);
  return { ...image, [fieldOf[name]]: name === 'tags' ? uniqueTags(value as string[]) : value };
}

/** Each tag once, in their own order. */
export const uniqueTags = (tags: readonly string[]): string[] => [...new Set(tags)].toSorted();

function changedProperty(image: Image, { verb, name, value, old }: Change): Image {
  const there = Object.hasOwn(image.properties, name);
  if (verb === 'add' && there && old) throw conflict(`Property ${name} already present.`);
  if (verb !== 'add' && !there) throw conflict(`Property ${name} does not exist.`);
  const others = Object.entries(image.properties).filter(([other]) => other !== name);
  const properties = Object.fromEntries([...others, ...(verb === 'remove' ? [] : [[name, value as string] as const])]);
  return { ...image, properties };
}
