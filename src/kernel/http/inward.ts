// A request that one service makes of another as a client would, from a request or from a due job: version, contract, policy and wording are the other's.
import { callerOf, type Caller } from '../auth/caller.ts';
import { isWithin } from '../db/transaction.ts';
import { notFound } from '../fault.ts';
import type { Call, Card, Reply, Service, Work } from '../model.ts';
import { Query } from '../query.ts';
import { actorOf, inCentral } from '../work.ts';
import { failWithin } from './failing.ts';
import { noted } from './journal.ts';
import { choose } from './service.ts';

/** What is asked of the other service, as a client would ask it. */
export interface InwardRequest {
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
 * Asks another service for the actor of the work, with its own checks, rules and handler, and gives back what it replies. A service of
 * the region answers in the work's transaction: what it writes is kept or undone with the rest. A central service that is asked from a
 * region answers in a transaction of its own, which is kept.
 * @throws Fault where it refuses, in its own words; Error where work in the central database asks a region's service (see `inRegion`)
 */
export async function askWithin<V extends string>(work: Work, card: Card<V>, request: InwardRequest): Promise<Reply> {
  const service = work.cloud.services.find((one) => one.card.name === card.name)!;
  const { central, faults } = work.cloud;
  if (service.card.home === 'region' && isWithin(work.db, central))
    throw new Error(`${card.name} belongs to a region: ask it within inRegion.`);
  if (faults.rules.length) {
    const call = { ...innerCall(service, work, request), body: request.body };
    await noted(call, () => failWithin(work, call));
  }
  if (service.card.home === 'central' && !isWithin(work.db, central))
    return inCentral(work, (inner) => answer(service, inner, request));
  return answer(service, work, request);
}

function answer(service: Service, work: Work, request: InwardRequest): Promise<Reply> {
  const call = innerCall(service, work, request);
  return noted(call, () => answerCall(call));
}

async function answerCall(call: Call): Promise<Reply> {
  const { service } = call;
  for (const step of service.card.checks) {
    const done = await step(call);
    if (done) return done;
  }
  return call.route.handler(call);
}

function innerCall(service: Service, work: Work, request: InwardRequest): Call {
  const { method, path, query = [], body, type, version } = request;
  const { card } = service;
  const at = version === undefined ? card.versions.max : card.versions.find(version)!;
  const place = service.find(path);
  const route = place && choose(place, method, at, card.versions).route;
  if (!place || !route) throw notFound(`${card.name} has no ${method} ${path}`, { case: 'path' });
  const text = new URLSearchParams(query.map(([key, value]): [string, string] => [key, value])).toString();
  const { cloud, region, db, now, attempt, actor, requestId } = work;
  const outer = work as Partial<Call>;
  const caller = outer.caller ?? callerFor(work);
  return {
    cloud, region, db, now, attempt, requestId, caller, service, method, path, at, route,
    actor: actor.isService ? actor : actorOf(caller, service.policy),
    remote: outer.remote ?? '',
    origin: outer.origin ?? `http://${cloud.config.host}:${cloud.config.port}`,
    prefix: neighbourPrefix(work, card.prefix),
    query: new Query(text),
    headers: body === undefined ? {} : { 'content-type': type ?? 'application/json' },
    raw: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    body: undefined,
    params: place.params,
    operation: service.contract.operation(method, route.path, at),
  }; // prettier-ignore
}

/** The actor of a job as services see a caller: no token, and nothing that expires. */
function callerFor({ actor }: Work): Caller {
  const { userId, projectId, roles, credentials } = actor;
  const caller = callerOf({ token: '', userId, ...(projectId === undefined ? {} : { projectId }), roles, expiresAt: Infinity });
  return { ...caller, credentials };
}

/** The prefix of another service as the client of the work would write it; a job's as the catalog has it. */
export function neighbourPrefix(work: Work, prefix: string): string {
  const { prefix: own, service, cloud, region } = work as Work & Partial<Call>;
  if (own === undefined || !service) return (region === cloud.firstRegion ? '' : `/${region.name}`) + prefix;
  return (own.endsWith(service.card.prefix) ? own.slice(0, -service.card.prefix.length) : own) + prefix;
}
