// The error format of Identity: Keystone's envelope, and Flask's own replies if no route or method
// matches.
import { STATUS_CODES } from 'node:http';
import { reply } from '../../kernel/http/reply.ts';
import type { Failure } from '../../kernel/contract/contract.ts';
import { badRequest, type ApiError } from '../../kernel/errors.ts';
import { explain, pythonRepr } from '../../kernel/contract/jsonschema-messages.ts';
import { forbiddenAction, OAuth2Error, ReceiptError, SignInError } from './domain/refusals.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

/** Whether an operation takes a body in another format than JSON. */
export const takesOtherFormat = (path: string): boolean =>
  isOAuth2(path) || /^\/(?:Shibboleth\.sso|saml)\//.test(path);

/** Whether an operation has bodies and errors as OAuth 2.0 has them. */
export const isOAuth2 = (path: string): boolean => /^\/(?:v3\/OS-OAUTH2|oidc)\//.test(path);

const titles: Readonly<Record<number, string>> = { 413: 'Request Entity Too Large' };

const page404 = `<!doctype html>
<html lang=en>
<title>404 Not Found</title>
<h1>Not Found</h1>
<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>
`;

/**
 * The reply to an error. A 401 has the URL of Keystone in a header, and in `identity` what the
 * authentication method reports.
 */
export function renderIdentityError(error: ApiError, call: LocatedRequest): Reply {
  if (error instanceof ReceiptError)
    return reply(401, error.body, { 'openstack-auth-receipt': error.receiptId });
  if (error instanceof OAuth2Error) return oauth2Fault(error, error.error, call);
  const { reason } = error;
  switch (reason.kind) {
    case 'no-such-path':
      return reply(404, page404, { 'content-type': 'text/html; charset=utf-8' });
    case 'policy':
      return envelope(error, forbiddenAction(reason.rule).message, call);
    case 'no-such-version': // Identity has no microversions
    case 'malformed-microversion':
    case 'unsupported-microversion':
    case 'plain':
      if (error.status !== 405) return envelope(error, error.message, call);
      return isOAuth2(call.path)
        ? oauth2Fault(
            { status: 405, message: noMethod, headers: error.headers },
            'other_error',
            call,
          )
        : wrongMethod(error);
  }
}

const noMethod = 'The method is not allowed for the requested URL.';

const wrongMethod = ({ headers }: ApiError): Reply => reply(405, { message: noMethod }, headers);

const oauth2Fault = (
  { status, message, headers }: Pick<ApiError, 'status' | 'message' | 'headers'>,
  error: string,
  call: LocatedRequest,
): Reply =>
  reply(status, { error, error_description: message }, status === 401 ? challenge(call) : headers);

/** The header of a 401: where to get a token. */
const challenge = (call: LocatedRequest): Reply['headers'] => ({
  'www-authenticate': `Keystone uri="${call.origin}${call.prefix}/v3"`,
});

function envelope(error: ApiError, message: string, call: LocatedRequest): Reply {
  const { status } = error;
  const body = {
    code: status,
    message,
    title: titles[status] ?? STATUS_CODES[status] ?? 'Error',
    ...(error instanceof SignInError ? { identity: error.identity } : {}),
  };
  const { headers } = error;
  return reply(
    status,
    { error: body },
    status === 401 ? { ...challenge(call), ...headers } : headers,
  );
}

/**
 * The error for a body or a query that does not fit the contract, in the words of
 * keystone/api/validation/validators.py.
 */
export function schemaError(failure: Failure): ApiError {
  const { message, path, instance } = explain(failure, { pick: 'first' });
  if (!path.length) return badRequest(message);
  const value = typeof instance === 'string' ? instance : pythonRepr(instance);
  return badRequest(
    `Invalid input for field/attribute ${String(path.at(-1))}. Value: ${value}. ${message}`,
  );
}

/**
 * The same in the words of keystone/common/validation/validators.py, which names a field by its
 * path below `root`.
 */
export function legacySchemaError(failure: Failure, root: string): ApiError {
  const { message, path, text } = explain(failure, { pick: 'first' });
  const below = path[0] === root ? path.slice(1) : path;
  const named = /^(password|scope)/.exec(String(below[0] === 'identity' ? below[1] : below[0]));
  if (named && message.includes('is not valid under any of the given schemas')) {
    return badRequest(`Invalid input for field ${below.join('/')}: id or name must be present.`);
  }
  return badRequest(below.length ? `Invalid input for field '${below.join('/')}': ${text}` : text);
}
