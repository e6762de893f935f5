// The error format of Identity: Keystone's envelope, and Flask's own replies where no route or
// method matches.
import { STATUS_CODES } from 'node:http';
import { reply } from '../../kernel/http/reply.ts';
import type { Failure } from '../../kernel/contract/contract.ts';
import { badRequest, type ApiError } from '../../kernel/errors.ts';
import { explain, pythonRepr } from '../../kernel/contract/jsonschema-messages.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

const titles: Readonly<Record<number, string>> = { 413: 'Request Entity Too Large' };

const page404 = `<!doctype html>
<html lang=en>
<title>404 Not Found</title>
<h1>Not Found</h1>
<p>The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.</p>
`;

/**
 * The reply for a fault. A 401 has the URL of Keystone in a header, and in `identity` what the
 * method of authentication says.
 */
export function renderIdentityError(apiError: ApiError, call: LocatedRequest): Reply {
  const { status, details } = apiError;
  if (details['case'] === 'path')
    return reply(404, page404, { 'content-type': 'text/html; charset=utf-8' });
  if (status === 405)
    return reply(
      405,
      { message: 'The method is not allowed for the requested URL.' },
      details.headers,
    );
  const message = details['rule']
    ? `You are not authorized to perform the requested action: ${details['rule'] as string}.`
    : apiError.message;
  const error = {
    code: status,
    message,
    title: titles[status] ?? STATUS_CODES[status] ?? 'Error',
    ...(details['identity'] ? { identity: details['identity'] } : {}),
  };
  const headers =
    status === 401
      ? { 'www-authenticate': `Keystone uri="${call.origin}${call.prefix}/v3"` }
      : details.headers;
  return reply(status, { error }, headers);
}

/**
 * The fault for a body or a query that the contract refuses, in the words of
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
 * The same in the words of keystone/common/validation/validators.py, where paths start below
 * `root`.
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
