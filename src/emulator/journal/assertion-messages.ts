// Describes requests, matches and near misses in the messages of assertions.
import type { Json } from '../../kernel/json.ts';
import type { JournalMatch, NearMiss, NumberedEntry } from './model.ts';

/** Describes a match: `POST requests to compute with status 404`. */
export function describeRequests(
  { operation, method, path, service, body, since, ...others }: JournalMatch,
  isSingular: boolean,
): string {
  const kind = `${operation === undefined && method !== undefined ? `${method} ` : ''}request${isSingular ? '' : 's'}`;
  const target = operation ?? path;
  const targets = [target, service].filter((one) => one !== undefined).join(' of ');
  const conditions = { ...(operation === undefined ? {} : { method, path }), ...others };
  const parts = [
    ...Object.entries(conditions)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name} ${String(value)}`),
    ...(body === undefined ? [] : [`a body that contains ${JSON.stringify(body)}`]),
  ];
  const text = targets ? `${kind} to ${targets}` : kind;
  const having = parts.length ? ` with ${parts.join(', ')}` : '';
  return `${text}${having}${since === undefined ? '' : ` since ${since}`}`;
}

/** Describes an entry: `#17 POST /compute/v2.1/servers`. */
export const describeEntry = ({ id, method, prefix, path }: NumberedEntry): string =>
  `#${id} ${method} ${prefix}${path}`;

export const describeNearMiss = ({ request, condition, expected, actual }: NearMiss): string =>
  `${describeEntry(request)} differs only in its ${condition}: ${short(actual)} instead of ` +
  `${short(expected)}.`;

/** The maximum length of a value in a message. */
const maxLength = 200;

function short(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
