// The steps that services build their order of refusals from: each service lists those it wants, in its own order.
import { allowedBy, type Asked } from '../auth/access-rules.ts';
import { noauthCaller } from '../auth/noauth.ts';
import type { Policy, Target } from '../auth/policy.ts';
import type { Failure } from './contract.ts';
import { badRequest, forbidden, unauthorized, unsupportedMedia, type Fault } from '../fault.ts';
import { actorOf, anonymous } from '../work.ts';
import { requestedVersion } from '../microversion.ts';
import { explain, pythonJsonError } from '../python/wording.ts';
import type { Actor, Call, Step } from '../model.ts';

/** Finds out who calls. `open` says which requests need no token. @throws 401 for no token, or one that is worth nothing */
export function authenticate(open: (call: Call) => boolean = () => false): Step {
  return async (call) => {
    const token = call.headers['x-auth-token'];
    const needless = open(call);
    if (typeof token !== 'string' || !token) {
      if (needless) return;
      throw unauthorized('The request you have made requires authentication.');
    }
    call.caller = await callerFor(call, token);
    if (call.caller) call.actor = actorOf(call.caller, call.service.policy);
    else if (!needless) throw unauthorized('The request you have made requires authentication.');
  };
}

/** A token that is bound to rules is worth something only for what they allow, or what a service does for it in turn. */
async function callerFor(call: Call, token: string): Promise<Call['caller']> {
  if (call.cloud.config.auth === 'noauth2') return noauthCaller(token, call.headers);
  const caller = await call.cloud.authenticate(token, call.now);
  if (!caller?.accessRules || allowedBy(caller.accessRules, askedOf(call))) return caller;
  const service = call.headers['x-service-token'];
  const isInTurn = typeof service === 'string' && (await call.cloud.authenticate(service, call.now)) !== undefined;
  return isInTurn ? caller : undefined;
}

const askedOf = ({ service, method, path, prefix }: Call): Asked => ({
  service: service.card.type,
  method,
  paths: [path, prefix + path],
});

/** Settles the version of the request by `OpenStack-API-Version`. @throws 400, 406 */
export const negotiate: Step = (call) => {
  const header = call.headers['openstack-api-version'];
  call.at = requestedVersion(Array.isArray(header) ? header.join(',') : header, call.service.card.versions);
};

/** Asks the rule in the table's line, with what the request itself says as the target. @throws 403 */
export const enforcePolicy: Step = (call) => {
  if (call.route.policy) authorize(call, call.route.policy, call.params);
};

/** Whether the actor may do what the rule is about. Who calls without a token may nothing. */
export function may({ actor, service: { policy } }: Asking, rule: string, target: Target): boolean {
  const { credentials } = actor;
  return actor !== anonymous && policy.scopeMatches(rule, credentials) && policy.allows(rule, credentials, target);
}

/** @throws 403 where the actor may not do what the rule is about */
export function authorize(asking: Asking, rule: string, target: Target): void {
  if (may(asking, rule, target)) return;
  const { actor, service } = asking;
  const inScope = actor !== anonymous && service.policy.scopeMatches(rule, actor.credentials);
  throw forbidden(`Policy does not allow ${rule} to be performed.`, { rule, reason: inScope ? 'rule' : 'scope' });
}

/** Whose rights are asked, and by the rules of which service. A request is one; work in a job names its service. */
export interface Asking {
  readonly actor: Actor;
  readonly service: { readonly policy: Policy };
}

/** The media type alone, lower case; undefined where none was sent. */
export const mediaType = (call: Call): string | undefined =>
  call.headers['content-type']?.split(';')[0]!.trim().toLowerCase() || undefined;

/** Whether there is a body to read, or ought to be. */
const readsBody = ({ operation, raw }: Call): boolean =>
  operation !== undefined && operation.takesBody && (operation.needsBody || raw !== undefined);

/** The body must be said to be JSON. @throws 415 */
export function expectJson(call: Call): void {
  const type = mediaType(call);
  if (type !== 'application/json')
    throw unsupportedMedia(`The media type ${type ?? 'None'} is not supported, use application/json`, { type: type ?? 'None' });
}

/** The same where the operation reads a body. @throws 415 */
export const requireJsonType: Step = (call) => {
  if (readsBody(call)) expectJson(call);
};

/** How a service says what is wrong with a request. */
export interface Refusals {
  /** A body that is no JSON; the argument is Python's message. */
  malformed: (why: string) => Fault;
  /** A body that the contract does not allow. */
  body: (failure: Failure) => Fault;
  query: (failure: Failure) => Fault;
}

/** Reads the body as JSON and holds body and query against the contract. */
export function enforceContract(refusals: Refusals): Step {
  return async (call) => {
    const { operation } = call;
    if (call.query.garbled) throw badRequest("Invalid query string parameters: 'utf-8' codec can't decode the percent-escapes");
    if (!operation) return;
    if (readsBody(call)) {
      call.body = readJson(call.raw, refusals.malformed);
      const failure = await operation.checkBody(call.body);
      if (failure) throw refusals.body(failure);
    }
    const failure = operation.checkQuery(call.query);
    if (failure) throw refusals.query(failure);
  };
}

/** The body as JSON; duplicate names: the last wins, as everywhere. @throws what `malformed` makes of Python's complaint */
export function readJson(raw: Buffer | undefined, malformed: (why: string) => Fault): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw ?? new Uint8Array());
  } catch {
    throw malformed("'utf-8' codec can't decode the body: invalid byte");
  }
  if (text.length > deepest && depthOf(text) > deepest)
    throw malformed('maximum recursion depth exceeded while decoding a JSON document');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed(pythonJsonError(text) || 'NaN and Infinity are no JSON');
  }
}

/** How many levels a body may have. Python gives up at about as many; here the stack would end later, in the midst of the work. */
const deepest = 900;

/** How many brackets are open at once at most, strings left out. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = endOfString(text, at);
    else if (char === 0x5b || char === 0x7b) most = Math.max(most, ++depth);
    else if (char === 0x5d || char === 0x7d) depth--;
  }
  return most;
}

/** Where the string that begins at a quote ends. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) return at;
    if (char === 0x5c) at++;
  }
  return text.length;
}

/** The usual wording of a service: jsonschema's one-line message behind a prefix. */
export const plainRefusals: Refusals = {
  malformed: (why) => badRequest(`Malformed JSON: ${why}`),
  body: (failure) => badRequest(explain(failure, { pick: 'best' }).message),
  query: (failure) => badRequest(explain(failure, { pick: 'best' }).message),
};
