// A pod's answer as the client of the gateway sees it: its own words, with the zone that tenants
// know.
import type { Reply } from '../../../kernel/model.ts';
import { reply } from '../../../kernel/http/reply.ts';
import type { Json } from '../call.ts';

/** The fields of servers and volumes that name a zone. */
const zoneFields = ['OS-EXT-AZ:availability_zone', 'availability_zone'];

/**
 * A server, a volume or a snapshot with the zone that tenants see in the place of the pod's own.
 */
export function inZone(resource: Json, azName: string): Json {
  const changed = zoneFields.filter(
    (field) => typeof resource[field] === 'string' && resource[field] !== '',
  );
  return changed.length
    ? { ...resource, ...Object.fromEntries(changed.map((field) => [field, azName])) }
    : resource;
}

/** The same of what a body holds: `{ "server": {...} }`. */
export function bodyInZone(body: unknown, azName: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || Buffer.isBuffer(body))
    return body;
  const entries = Object.entries(body as Json).map(([name, value]) => {
    const isResource =
      ['server', 'volume'].includes(name) && typeof value === 'object' && value !== null;
    return [name, isResource ? inZone(value as Json, azName) : value];
  });
  return Object.fromEntries(entries) as Json;
}

/**
 * Headers of an answer that are about the resource, and not about the connection or the version.
 */
const passed = ['location', 'retry-after', 'content-type'];

/** A pod's answer as a reply. */
export function replyOf(
  {
    status,
    headers,
    body,
  }: { status: number; headers: Readonly<Record<string, string>>; body: unknown },
  azName = '',
): Reply {
  const kept = Object.entries(headers).filter(
    ([name]) => passed.includes(name) && (name !== 'content-type' || body !== undefined),
  );
  const shown = azName === '' ? body : bodyInZone(body, azName);
  const isText = typeof shown === 'string';
  const told = Object.fromEntries(
    kept.filter(([name]) => isText || Buffer.isBuffer(shown) || name !== 'content-type'),
  );
  return reply(status, shown, told);
}
