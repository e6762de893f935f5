// Rewrites the links in a pod's reply, so that a client follows them through the gateway.
import type { Json } from '../call.ts';
import type { ServiceReply } from './message.ts';

/** Replaces the pod's base URL with the gateway's in `Location` and in each `href` of the body. */
export function rewriteLinks(
  { status, headers, body }: ServiceReply,
  podUrl: string,
  gatewayUrl: string,
): ServiceReply {
  const rewrite = (url: string): string =>
    url.startsWith(`${podUrl}/`) ? gatewayUrl + url.slice(podUrl.length) : url;
  const rewriteIn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewriteIn);
    if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
    const entries = Object.entries(value).map(([name, field]) => [
      name,
      name === 'href' ? rewrite(String(field)) : rewriteIn(field),
    ]);
    return Object.fromEntries(entries) as Json;
  };
  const { location } = headers;
  return {
    status,
    headers: { ...headers, ...(location === undefined ? {} : { location: rewrite(location) }) },
    body: rewriteIn(body),
  };
}

/** A service's base URL: its URL in the catalog without the version and the project. */
export const baseUrlOf = (url: string): string => url.replace(/\/v\d[\d.]*(\/[^/]*)?\/?$/, '');
