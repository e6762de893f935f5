// A service's reply as the gateway's client sees it: unchanged, except for availability zones.
import type { Reply } from '../../../kernel/model.ts';
import { reply } from '../../../kernel/http/reply.ts';
import type { Json } from '../call.ts';
import type { ServiceReply } from '../clients/message.ts';

/** The fields of servers and volumes that name an availability zone. */
const zoneFields = ['OS-EXT-AZ:availability_zone', 'availability_zone'];

/** A server, volume or snapshot with the tenants' zone instead of the pod's own. */
export function inZone(resource: Json, azName: string): Json {
  const changed = zoneFields.filter(
    (field) => typeof resource[field] === 'string' && resource[field] !== '',
  );
  return changed.length
    ? { ...resource, ...Object.fromEntries(changed.map((field) => [field, azName])) }
    : resource;
}

/** A body such as `{ "server": {...} }` with the tenants' zone. */
function bodyInZone(body: unknown, azName: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || Buffer.isBuffer(body))
    return body;
  const entries = Object.entries(body as Json).map(([name, value]) => {
    const isResource =
      ['server', 'volume'].includes(name) && typeof value === 'object' && value !== null;
    return [name, isResource ? inZone(value as Json, azName) : value];
  });
  return Object.fromEntries(entries) as Json;
}

/** Headers about the resource. The gateway sets those about the connection and the version. */
const forwardedHeaders = ['location', 'retry-after'];

/** The reply of a pod, or of the central region if there is no zone. */
export function replyOf({ status, headers, body }: ServiceReply, azName = ''): Reply {
  const shown = azName === '' ? body : bodyInZone(body, azName);
  const isRaw = typeof shown === 'string' || Buffer.isBuffer(shown);
  const names = isRaw ? [...forwardedHeaders, 'content-type'] : forwardedHeaders;
  const kept = Object.entries(headers).filter(([name]) => names.includes(name));
  return reply(status, shown, Object.fromEntries(kept));
}
