// The steps from which services build their order of refusals. Each card lists its steps in its own
// order.
import { allowedBy, type RuledRequest } from '../auth/access-rules.ts';
import { noauthCaller } from '../auth/noauth.ts';
import type { Policy, Target } from '../oslo/policy.ts';
import type { Failure } from '../contract/contract.ts';
import { badRequest, forbidden, unauthorized, unsupportedMedia, type ApiError } from '../errors.ts';
import { actorOf, anonymous } from '../context.ts';
import { requestedVersion } from '../microversion.ts';
import { explain, pythonJsonError } from '../contract/jsonschema-messages.ts';
import type { Actor, Call, Step } from '../model.ts';

/**
 * Finds the caller. `open` names the requests that need no token.
 * @throws 401 for a missing or invalid token
 */
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

/**
 * The caller of the token. A token with access rules is valid only for requests that they allow, or
 * that a service makes on its behalf.
 */
async function callerFor(call: Call, token: string): Promise<Call['caller']> {
  if (call.cloud.config.auth === 'noauth2') return noauthCaller(token, call.headers);
  const caller = await call.cloud.authenticate(token, call.now);
  if (!caller?.accessRules || allowedBy(caller.accessRules, ruledRequestOf(call))) return caller;
  return (await isSentByService(call, token)) ? caller : undefined;
}

/**
 * Whether a service sends the request: it adds a token of its own, which has the role `service`.
 * Upstream: keystonemiddleware/auth_token/__init__.py, service_token_roles and
 * service_token_roles_required.
 */
async function isSentByService(call: Call, token: string): Promise<boolean> {
  const own = call.headers['x-service-token'];
  if (typeof own !== 'string' || own === token) return false;
  const service = await call.cloud.authenticate(own, call.now);
  return service !== undefined && !service.accessRules && service.roles.includes('service');
}

const ruledRequestOf = ({ service, method, path, prefix }: Call): RuledRequest => ({
  service: service.definition.type,
  method,
  paths: [path, prefix + path],
});

/**
 * Receives the body. A service whose order wants it before the path is looked up lists this step.
 * @returns whether there was one @throws 413, 415
 */
export async function receiveBody(call: Call): Promise<boolean> {
  const { received, service } = call;
  if (call.route?.streams) return false;
  const raw = await received?.read(service.definition.bodyLimit);
  if (raw) call.raw = raw;
  return raw !== undefined;
}

/** Negotiates the microversion by `OpenStack-API-Version`. @throws 400, 406 */
export const negotiate: Step = (call) => {
  const header = call.headers['openstack-api-version'];
  call.version = requestedVersion(
    Array.isArray(header) ? header.join(',') : header,
    call.service.definition.versions,
  );
};

/** Enforces the policy rule of the route, with the path's parameters as the target. @throws 403 */
export const enforcePolicy: Step = (call) => {
  if (call.route.policy) authorize(call, call.route.policy, call.params);
};

/** Whether the policy rule allows the actor. It never allows a caller without a token. */
export function may({ actor, service: { policy } }: Asking, rule: string, target: Target): boolean {
  const { credentials } = actor;
  return (
    actor !== anonymous &&
    policy.scopeMatches(rule, credentials) &&
    policy.allows(rule, credentials, target)
  );
}

/** Enforces a policy rule. @throws 403 */
export function authorize(asking: Asking, rule: string, target: Target): void {
  if (may(asking, rule, target)) return;
  const { actor, service } = asking;
  const inScope = actor !== anonymous && service.policy.scopeMatches(rule, actor.credentials);
  throw forbidden(`Policy does not allow ${rule} to be performed.`, {
    reason: { kind: 'policy', rule, outOfScope: !inScope },
  });
}

/** Whose rights are checked, and by the policy of which service. A request has both. */
export interface Asking {
  readonly actor: Actor;
  readonly service: { readonly policy: Policy };
}

/** The media type in lower case, without parameters; undefined without a Content-Type. */
export const mediaType = (call: Call): string | undefined =>
  call.headers['content-type']?.split(';')[0]!.trim().toLowerCase() || undefined;

/** Whether the operation reads a body that was sent or is required. */
const readsBody = ({ operation, raw }: Call): boolean =>
  operation !== undefined && operation.takesBody && (operation.needsBody || raw !== undefined);

/** Requires a Content-Type of JSON. @throws 415 */
export function expectJson(call: Call): void {
  const type = mediaType(call);
  if (type !== 'application/json')
    throw unsupportedMedia(
      `The media type ${type ?? 'None'} is not supported, use application/json`,
    );
}

/** The same where the operation reads a body. @throws 415 */
export const requireJsonType: Step = (call) => {
  if (readsBody(call)) expectJson(call);
};

/** A service's wording of malformed bodies and of failures against the contract. */
export interface Refusals {
  /** For a body that is not JSON; the argument is Python's message. */
  malformed: (why: string) => ApiError;
  /** For a body that fails the contract. */
  body: (failure: Failure) => ApiError;
  query: (failure: Failure) => ApiError;
}

/** Parses the body as JSON and validates body and query against the contract. */
export function enforceContract(refusals: Refusals): Step {
  return async (call) => {
    const { operation } = call;
    if (call.query.garbled)
      throw badRequest(
        "Invalid query string parameters: 'utf-8' codec can't decode the percent-escapes",
      );
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

/**
 * Parses a body as JSON. Of duplicate names the last wins.
 * @throws the fault that `malformed` makes of Python's message
 */
export function readJson(raw: Buffer | undefined, malformed: (why: string) => ApiError): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      raw ?? new Uint8Array(),
    );
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

/**
 * How many levels a body may have. Python refuses at about this depth; here the stack would
 * overflow later, during the work.
 */
const deepest = 900;

/** The greatest number of brackets open at once, outside of strings. */
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

/** The plain wording: jsonschema's one-line message. */
export const plainRefusals: Refusals = {
  malformed: (why) => badRequest(`Malformed JSON: ${why}`),
  body: (failure) => badRequest(explain(failure, { pick: 'best' }).message),
  query: (failure) => badRequest(explain(failure, { pick: 'best' }).message),
};
