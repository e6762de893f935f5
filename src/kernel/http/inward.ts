// A request that one service makes of another of its region: for the same caller, at the same time, in the same transaction.
import type { Call, Reply } from './reply.ts';
import { notFound } from '../fault.ts';
import { Query } from '../query.ts';
import { choose, type Card } from './service.ts';

/** What is asked of the other service, as a client would ask it. */
export interface Inward {
  readonly method: string;
  /** Below the service's prefix, such as `/v2/images`. */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
  /** The media type of the body, where it is not plain JSON. */
  readonly type?: string;
  /** The microversion; the service's newest, where none is given. */
  readonly version?: string;
}

/**
 * Asks another service of the region, with its own checks, rules and handler, and gives back what it replies. What it has written is
 * kept or undone with everything else that the request writes. @throws Fault where it refuses, in its own words
 */
export async function askWithin<V extends string>(call: Call, card: Card<V>, asked: Inward): Promise<Reply> {
  const inner = innerCall(call, card.name, asked);
  for (const step of inner.service.card.checks) {
    const done = await step(inner);
    if (done) return done;
  }
  return inner.route.handler(inner);
}

function innerCall(call: Call, name: string, { method, path, query = [], body, type, version }: Inward): Call {
  const service = call.cloud.services.find(({ card }) => card.name === name)!;
  const { versions } = service.card;
  const at = version === undefined ? versions.max : versions.find(version)!;
  const place = service.find(path);
  const route = place && choose(place, method, at, versions).route;
  if (!place || !route) throw notFound(`${service.card.name} has no ${method} ${path}`, { case: 'path' });
  const text = new URLSearchParams(query.map(([key, value]): [string, string] => [key, value])).toString();
  return {
    ...call,
    service,
    prefix: neighbourPrefix(call, service.card.prefix),
    method,
    path,
    query: new Query(text),
    headers: body === undefined ? {} : { 'content-type': type ?? 'application/json' },
    raw: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    body: undefined,
    at,
    route,
    params: place.params,
    operation: service.contract.operation(method, route.path, at),
  };
}

/** Where another service of the region is found from the caller's point of view. */
export function neighbourPrefix(call: Call, prefix: string): string {
  const own = call.service.card.prefix;
  return (call.prefix.endsWith(own) ? call.prefix.slice(0, -own.length) : call.prefix) + prefix;
}
