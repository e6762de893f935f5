// Removes secrets from JSON values.
import type { Json } from '../json.ts';
import { hidden, isSecretField, isSecretName } from './names.ts';
import { redactText } from './texts.ts';

/** How many levels of a value are kept. */
const maxDepth = 20;

/**
 * A JSON value without secrets: without the values of secret fields, whatever their type, and
 * without values next to a secret name, as in `{"op": "add", "path": "/password", "value": ...}`.
 * Levels below the twentieth are left out.
 * @param found gets the texts and numbers that are removed
 * @param parent the name of the field that has the value
 */
export const redactJson = (value: unknown, found?: string[], parent = ''): Json =>
  redacted(value, parent, found, maxDepth);

/**
 * A part of a JSON value without secrets, for messages that quote it. A part without secrets stays
 * the same object.
 * @param path the names and indexes that lead to the part
 */
export function redactPart(path: readonly (string | number)[], value: unknown): unknown {
  const names = path.filter((key) => typeof key === 'string');
  const isSecret = names.some((name, index) =>
    isSecretField({
      name,
      value: index === names.length - 1 ? value : {},
      parent: names[index - 1] ?? '',
      isPair: false,
    }),
  );
  if (isSecret) return withheld(value, undefined, maxDepth);
  const found: string[] = [];
  const shown = redactJson(value, found, names.at(-1));
  return found.length ? shown : value;
}

function redacted(value: unknown, parent: string, found: string[] | undefined, left: number): Json {
  if (typeof value === 'string') return redactText(value, found);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
  if (left === 0) return '…';
  if (Array.isArray(value)) return value.map((one) => redacted(one, parent, found, left - 1));
  const object = value as Readonly<Record<string, unknown>>;
  const isPair = Object.hasOwn(object, 'value');
  const hidesValue = isPair && [object['path'], object['key'], object['name']].some(isSecretText);
  const fields: [string, Json][] = [];
  for (const [name, child] of Object.entries(object)) {
    const isSecret =
      (hidesValue && name === 'value') || isSecretField({ name, value: child, parent, isPair });
    fields.push([
      name,
      isSecret ? withheld(child, found, left - 1) : redacted(child, name, found, left - 1),
    ]);
  }
  return Object.fromEntries(fields);
}

const isSecretText = (name: unknown): boolean => typeof name === 'string' && isSecretName(name);

/** What replaces a secret: lists keep their length, and what is no text or number stays. */
function withheld(value: unknown, found: string[] | undefined, left: number): Json {
  if (value === '' || value === null || typeof value === 'boolean') return value;
  if (Array.isArray(value) && left > 0) return value.map((one) => withheld(one, found, left - 1));
  if (found) collect(value, found, left);
  return hidden;
}

/** Adds all texts and numbers in a value to `found`. */
function collect(value: unknown, found: string[], left: number): void {
  if (typeof value === 'string' || typeof value === 'number') found.push(String(value));
  else if (typeof value === 'object' && value !== null && left > 0)
    for (const child of Object.values(value)) collect(child, found, left - 1);
}
