// The JSON patch of an image, in drafts 4 and 10. Upstream: RequestDeserializer in
// glance/api/v2/images.py.
import { badRequest, conflict, forbidden, type ApiError } from '../../../kernel/errors.ts';
import type { Actor } from '../../../kernel/model.ts';
import { fieldOf, isField, isReserved, readOnly } from './names.ts';
import type { Image } from '../model.ts';

const ops = ['add', 'remove', 'replace'] as const;
type Op = (typeof ops)[number];

/** One operation of a patch. */
export interface Change {
  readonly op: Op;
  /** A field of the image, or a property. */
  readonly name: string;
  readonly value: unknown;
  /** In draft 4, adding a field or a property that exists is an error. */
  readonly draft: Draft;
}

type Draft = 4 | 10;

/** The draft of JSON patch for each media type. */
export const patchDrafts: Readonly<Record<string, Draft>> = {
  'application/openstack-images-v2.0-json-patch': 4,
  'application/openstack-images-v2.1-json-patch': 10,
};

/** Reads a patch. @throws 400, 403 */
export function readChanges(body: unknown, draft: Draft): Change[] {
  if (!Array.isArray(body))
    throw badRequest('Request body must be a JSON array of operation objects.');
  return body.map((raw: unknown) => {
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
      throw badRequest('Operations must be JSON objects.');
    return readChange(raw as Record<string, unknown>, draft);
  });
}

function readChange(raw: Record<string, unknown>, draft: Draft): Change {
  const { op, pointer } = draft === 10 ? draft10(raw) : draft4(raw);
  const path = parsePointer(pointer);
  const [name = ''] = path;
  const depth = name === 'locations' && op !== 'replace' ? 2 : 1;
  if (path.length !== depth)
    throw badRequest(`Invalid JSON pointer for this resource: '/${path.join('/')}'`);
  if (op !== 'remove' && !Object.hasOwn(raw, 'value'))
    throw badRequest(`Operation "${op}" requires a member named "value".`);
  if (readOnly.includes(name)) throw forbidden(`Attribute '${name}' is read-only.`);
  if (isReserved(name)) throw forbidden(`Attribute '${name}' is reserved.`);
  return { op, name, value: raw['value'], draft };
}

function draft10(raw: Record<string, unknown>): { op: Op; pointer: unknown } {
  const { op: given, path } = raw;
  const available = `It must be one of the following: ${ops.join(', ')}.`;
  if (given === undefined || given === null)
    throw badRequest(`Unable to find \`op\` in JSON Schema change. ${available}`);
  const op = ops.find((one) => one === given);
  if (!op)
    throw badRequest(
      'Invalid operation: ' +
        `\`${typeof given === 'string' ? given : JSON.stringify(given)}\`. ${available}`,
    );
  if (!Object.hasOwn(raw, 'path')) throw badRequest("Unable to find 'path' in JSON Schema change");
  return { op, pointer: path };
}

function draft4(raw: Record<string, unknown>): { op: Op; pointer: unknown } {
  const [op, second] = ops.filter((one) => Object.hasOwn(raw, one));
  if (second)
    throw badRequest(
      'Operation objects must contain only one member named "add", "remove", or "replace".',
    );
  if (!op)
    throw badRequest(
      'Operation objects must contain exactly one member named "add", "remove", or "replace".',
    );
  return { op, pointer: raw[op] };
}

/** Splits a JSON pointer into its parts. @throws 400 */
function parsePointer(pointer: unknown): string[] {
  if (typeof pointer !== 'string') throw badRequest('A JSON pointer must be a string.');
  const refuse = (why: string): ApiError => badRequest(`Pointer \`${pointer}\` ${why}`);
  if (!pointer.startsWith('/')) throw refuse('does not start with "/".');
  if (/\/\s*?\//.test(pointer.slice(1))) throw refuse('contains adjacent "/".');
  if (pointer.length > 1 && pointer.endsWith('/')) throw refuse('end with "/".');
  if (pointer.slice(1).trim() === '/') throw refuse('does not contains valid token.');
  if (/~[^01]/.test(pointer) || pointer.endsWith('~'))
    throw refuse('contains "~" not part of a recognized escape sequence.');
  const parts = pointer.replace(/^\/+/, '').split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').trim());
}

/** An image while a patch is applied to it. */
export class PatchedImage {
  private fields: Image;
  private readonly properties: Map<string, string>;
  private readonly before: Image;

  constructor(before: Image) {
    this.before = before;
    this.fields = before;
    this.properties = new Map(Object.entries(before.properties));
  }

  /** The owner and the visibility so far, on which the policy for the next change depends. */
  get target(): Pick<Image, 'owner' | 'visibility'> {
    return this.fields;
  }

  /** The image with all changes. */
  get image(): Image {
    const entries = [...this.properties];
    const { properties } = this.before;
    const isChanged =
      entries.length !== Object.keys(properties).length ||
      entries.some(([name, value]) => properties[name] !== value);
    return isChanged ? { ...this.fields, properties: Object.fromEntries(entries) } : this.fields;
  }

  /** Applies a change. The handler has enforced policy. @throws 403, 409 */
  apply(change: Change, { isAdmin }: Pick<Actor, 'isAdmin'>): void {
    const { name, op } = change;
    if (name === 'locations')
      throw forbidden(`It's not allowed to ${op} locations if locations are invisible.`);
    if (op === 'replace' && name === 'owner' && !isAdmin)
      throw forbidden("Owner can't be updated by non admin.");
    if (isField(name)) this.applyToField(name, change);
    else this.applyToProperty(change);
  }

  private applyToField(name: keyof typeof fieldOf, { op, value, draft }: Change): void {
    if (op === 'remove') throw forbidden(`Property ${name} may not be removed.`);
    if (op === 'add' && draft === 4) throw conflict(`Property ${name} already present.`);
    if ((name === 'container_format' || name === 'disk_format') && this.before.status !== 'queued')
      throw forbidden(`Attribute ${name} can be only replaced for a queued image.`);
    const stored = name === 'tags' ? uniqueTags(value as string[]) : value;
    this.fields = { ...this.fields, [fieldOf[name]]: stored };
  }

  private applyToProperty({ op, name, value, draft }: Change): void {
    const exists = this.properties.has(name);
    if (op === 'add' && exists && draft === 4) throw conflict(`Property ${name} already present.`);
    if (op !== 'add' && !exists) throw conflict(`Property ${name} does not exist.`);
    if (op === 'remove') this.properties.delete(name);
    else this.properties.set(name, value as string);
  }
}

/** Sorts tags and removes duplicates. */
export const uniqueTags = (tags: readonly string[]): string[] => [...new Set(tags)].toSorted();

/** How many properties a patch adds and leaves: an image has at least as many after it. */
export function propertiesLeftBy(changes: readonly Change[]): number {
  const names = new Set<string>();
  for (const { op, name } of changes) {
    if (op === 'remove') names.delete(name);
    else if (!isField(name) && name !== 'locations') names.add(name);
  }
  return names.size;
}
