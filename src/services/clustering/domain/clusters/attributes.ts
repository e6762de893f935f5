// Reads attributes of nodes by a JSON path.
import type { Json } from '../../model.ts';
import { bad, invalid } from '../refusals.ts';

/** A name, an index, or `*` for all. */
type Part = string | number;

const maxLength = 200;

/**
 * Reads a path of names, indexes and stars: `$.details.addresses`, `data[0]`,
 * `details.'OS-EXT-AZ:availability_zone'`.
 * @throws 400
 */
export function parsePath(text: string): Part[] {
  if (!text || text === 'None') throw invalid('Required path attribute is missing.');
  const reject = (): never => {
    throw bad(`Invalid attribute path - Parse error near the end of string`);
  };
  if (text.length > maxLength) reject();
  const rest = text.replace(/^\$\.?/, '');
  const parts: Part[] = [];
  const token = /(?:^|\.)(?:([\w:-]+|\*)|'([^']*)'|"([^"]*)")|\[(?:(\d+)|\*|'([^']*)')\]/gy;
  let at = 0;
  for (let match = token.exec(rest); match; match = token.exec(rest)) {
    const [whole, name, single, double, index, key] = match;
    at += whole.length;
    parts.push(index === undefined ? (name ?? single ?? double ?? key ?? '*') : Number(index));
  }
  if (at < rest.length || !parts.length) reject();
  return parts;
}

/** Finds the first value at a path. */
export function firstAt(value: unknown, [part, ...rest]: readonly Part[]): unknown {
  if (part === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  if (part === '*') {
    for (const child of Object.values(value) as unknown[]) {
      const found = firstAt(child, rest);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!Object.hasOwn(value, part)) return undefined;
  return firstAt((value as Json)[part], rest);
}
