// Steps that services share. Each service definition lists its steps in its own order.
import { allowedBy, type RuledRequest } from '../auth/access-rules.ts';
import { noauthCaller } from '../auth/noauth.ts';
import type { Policy, Target } from '../oslo/policy.ts';
import type { Failure } from '../contract/contract.ts';
import { badRequest, forbidden, unauthorized, unsupportedMedia, type ApiError } from '../errors.ts';
import { actorOf, anonymous } from '../context.ts';
import { requestedVersion } from '../microversion.ts';
import { explain, pythonJsonError } from '../contract/jsonschema-messages.ts';
import type { Caller } from '../auth/caller.ts';
import type {
  Actor,
  IncomingRequest,
  LocatedRequest,
  Reply,
  RoutedRequest,
  Step,
  TimedRequest,
} from '../model.ts';

/** Runs steps until one replies. It awaits only the steps that return a promise. */
export async function runSteps<Request>(
  steps: readonly Step<Request>[],
  request: Request,
): Promise<Reply | undefined> {
  for (const step of steps) {
    const result = step(request);
    const replied = result instanceof Promise ? await result : result;
    if (replied) return replied;
  }
  return undefined;
}

/**
 * Sets the caller. `open` selects the requests that need no token.
 * @throws 401 for a missing or invalid token
 */
export function authenticate(open: (request: TimedRequest) => boolean = () => false): Step {
  return async (call) => {
    const token = call.headers['x-auth-token'];
    const isOpen = open(call);
    if (typeof token !== 'string' || !token) {
      if (isOpen) return;
      throw unauthorized('The request you have made requires authentication.');
    }
    call.caller = await callerFor(call, token);
    if (call.caller) call.actor = actorOf(call.caller, call.service.policy);
    else if (!isOpen) throw unauthorized('The request you have made requires authentication.');
  };
}

/**
 * The caller of the token; undefined if it is invalid. A token with access rules is valid only for
 * requests that the rules allow, or that a service makes on the caller's behalf.
 */
async function callerFor(call: TimedRequest, token: string): Promise<Caller | undefined> {
  if (call.cloud.config.auth === 'noauth2') return noauthCaller(token, call.headers);
  const caller = await call.cloud.authenticate(token, call.now);
  if (!caller?.accessRules || allowedBy(caller.accessRules, ruledRequestOf(call))) return caller;
  return (await isSentByService(call, token)) ? caller : undefined;
}

/**
 * Whether a service sends the request: it adds its own token, which has the role `service`.
 * Upstream: keystonemiddleware/auth_token/__init__.py, service_token_roles and
 * service_token_roles_required.
 */
async function isSentByService(call: TimedRequest, token: string): Promise<boolean> {
  const own = call.headers['x-service-token'];
  if (typeof own !== 'string' || own === token) return false;
  const service = await call.cloud.authenticate(own, call.now);
  return service !== undefined && !service.accessRules && service.roles.includes('service');
}

const ruledRequestOf = ({ service, method, path, prefix }: TimedRequest): RuledRequest => ({
  service: service.definition.type,
  method,
  paths: [path, prefix + path],
});

/**
 * Receives the body. A service that needs the body before routing lists this step itself.
 * @returns whether there was a body @throws 413, 415
 */
export async function receiveBody(call: LocatedRequest): Promise<boolean> {
  const { received, service } = call;
  if (call.route?.streams) return false;
  const raw = await received?.read(service.definition.bodyLimit);
  if (raw) call.raw = raw;
  return raw !== undefined;
}

/** Negotiates the microversion from `OpenStack-API-Version`. @throws 400, 406 */
export const negotiate: Step = (call) => {
  const header = call.headers['openstack-api-version'];
  call.version = requestedVersion(
    Array.isArray(header) ? header.join(',') : header,
    call.service.definition.versions,
  );
};

/** Enforces the policy rule of the route, with the path's parameters as the target. @throws 403 */
export const enforcePolicy: Step<RoutedRequest> = (call) => {
  if (call.route.policy) authorize(call, call.route.policy, call.params);
};

/** Whether the policy rule allows the actor. It never allows a caller without a token. */
export function may(
  { actor, service: { policy } }: Subject,
  rule: string,
  target: Target,
): boolean {
  const { credentials } = actor;
  return (
    actor !== anonymous &&
    policy.scopeMatches(rule, credentials) &&
    policy.allows(rule, credentials, target)
  );
}

/** Enforces a policy rule. @throws 403 */
export function authorize(subject: Subject, rule: string, target: Target): void {
  if (may(subject, rule, target)) return;
  const { actor, service } = subject;
  const inScope = actor !== anonymous && service.policy.scopeMatches(rule, actor.credentials);
  throw forbidden(`Policy does not allow ${rule} to be performed.`, {
    reason: { kind: 'policy', rule, outOfScope: !inScope },
  });
}

/** The actor whose rights are checked, and the service with the policy. A request has both. */
export interface Subject {
  readonly actor: Actor;
  readonly service: { readonly policy: Policy };
}

/** The media type in lower case, without parameters; undefined without a Content-Type. */
export const mediaType = ({ headers }: IncomingRequest): string | undefined =>
  headers['content-type']?.split(';')[0]!.trim().toLowerCase() || undefined;

/** Whether the operation takes a body, and the body is required or has been sent. */
const readsBody = ({ operation, raw }: IncomingRequest): boolean =>
  operation !== undefined && operation.takesBody && (operation.needsBody || raw !== undefined);

/** Requires a Content-Type of JSON. @throws 415 */
export function expectJson(call: IncomingRequest): void {
  const type = mediaType(call);
  if (type !== 'application/json')
    throw unsupportedMedia(
      `The media type ${type ?? 'None'} is not supported, use application/json`,
    );
}

/** Requires a Content-Type of JSON if the operation reads a body. @throws 415 */
export const requireJsonType: Step = (call) => {
  if (readsBody(call)) expectJson(call);
};

/** The errors of a service for malformed bodies and for violations of the contract. */
export interface Refusals {
  /** For a body that is not JSON. The argument is the message of Python's parser. */
  malformed: (why: string) => ApiError;
  /** For a body that violates the contract. */
  body: (failure: Failure) => ApiError;
  query: (failure: Failure) => ApiError;
}

/** Parses the body as JSON and validates body and query against the contract. */
export function enforceContract(refusals: Refusals): Step<RoutedRequest> {
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

/** Decodes whole bodies, and so keeps nothing from one to the next. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a body as JSON. The last one of duplicate names wins.
 * @throws the error that `malformed` creates from Python's message
 */
export function readJson(raw: Buffer | undefined, malformed: (why: string) => ApiError): unknown {
  let text: string;
  try {
    text = utf8.decode(raw ?? new Uint8Array());
  } catch {
    throw malformed("'utf-8' codec can't decode the body: invalid byte");
  }
  if (text.length > maxDepth && depthOf(text) > maxDepth)
    throw malformed('maximum recursion depth exceeded while decoding a JSON document');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed(pythonJsonError(text) || 'NaN and Infinity are no JSON');
  }
}

/**
 * The maximum depth of a body. Python's parser fails at about this depth; here the stack would
 * overflow later, in the handler.
 */
const maxDepth = 900;

/** The maximum number of open brackets, outside of strings. */
function depthOf(text: string): number {
  let depth = 0;
  let max = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = endOfString(text, at);
    else if (char === 0x5b || char === 0x7b) max = Math.max(max, ++depth);
    else if (char === 0x5d || char === 0x7d) depth--;
  }
  return max;
}

/** The end of the string that begins at this quote. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) return at;
    if (char === 0x5c) at++;
  }
  return text.length;
}

/** Errors with jsonschema's one-line message. */
export const plainRefusals: Refusals = {
  malformed: (why) => badRequest(`Malformed JSON: ${why}`),
  body: (failure) => badRequest(explain(failure, { pick: 'best' }).message),
  query: (failure) => badRequest(explain(failure, { pick: 'best' }).message),
};
