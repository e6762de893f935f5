// The steps of a request to Identity, in the order of Flask's request hooks: token, body, path and
// method, contract, and finally a missing token.
import { stripEnd } from '../../kernel/bounded-text.ts';
import { authenticate, mediaType, readJson, receiveBody } from '../../kernel/http/steps.ts';
import type { TokenCaller } from './authenticator.ts';
import { ec2Method } from './domain/auth/methods.ts';
import { expecting, forbiddenWithoutReason, unauthenticated } from './domain/refusals.ts';
import { legacySchemaError, schemaError, takesOtherFormat } from './errors.ts';
import type { RoutedRequest, Step } from '../../kernel/model.ts';
import type { IdentityRoute } from './call.ts';

/**
 * Ignores slashes at the end of the path. Upstream:
 * server/flask/request_processing/middleware/url_normalize.py.
 */
export const stripSlashes: Step = (call) => {
  call.path = stripEnd(call.path, '/') || '/';
};

const authenticateByToken = authenticate((call) => !call.headers['x-auth-token']);

/**
 * Rejects an invalid token even on routes that need none; a missing token is rejected only after
 * the contract check. A token for a signed EC2 request is valid for other services only. Upstream:
 * middleware/auth_context.py.
 */
export const authenticateIfPresent: Step = async (call) => {
  await authenticateByToken(call);
  if ((call.caller as TokenCaller | undefined)?.info?.methods.includes(ec2Method))
    throw forbiddenWithoutReason();
};

/**
 * Reads the body, which must be a JSON object even if the route takes none, unless the operation
 * takes a form or XML. Upstream: server/flask/request_processing/json_body.py.
 */
export const readBody: Step = async (call) => {
  call.body = {};
  await receiveBody(call);
  if (!call.raw?.length || takesOtherFormat(call.path)) return;
  const type = mediaType(call);
  if (type !== undefined && type !== 'application/json' && !/^application\/.*\+json$/.test(type)) {
    throw expecting('application/json', 'Content-Type header');
  }
  const body = readJson(call.raw, () => expecting('valid JSON', 'request body'));
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw expecting('valid JSON', 'request body');
  call.body = body;
};

/** Checks the query and the body against the contract. */
export const checkContract: Step<RoutedRequest> = async (call) => {
  const { operation } = call;
  const badQuery = operation?.checkQuery(call.query);
  if (badQuery) throw schemaError(badQuery);
  const { legacySchemaRoot, checksBody } = call.route as IdentityRoute;
  if (!operation?.takesBody || checksBody) return;
  const badBody = await operation.checkBody(call.body);
  if (badBody)
    throw legacySchemaRoot === undefined
      ? schemaError(badBody)
      : legacySchemaError(badBody, legacySchemaRoot);
};

export const requireCaller: Step<RoutedRequest> = (call) => {
  if (!call.caller && !call.route.open) throw unauthenticated();
};
