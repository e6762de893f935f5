// The error format of Compute: an object named after the status, with code and message.
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import type { Failure } from '../../kernel/contract/contract.ts';
import { badRequest, ApiError } from '../../kernel/errors.ts';
import { explain, pythonRepr } from '../../kernel/contract/jsonschema-messages.ts';
import { isGone } from './gone.ts';
import { choices } from './views/versions.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

const names: Readonly<Record<number, string>> = {
  400: 'badRequest',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  429: 'overLimit',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

// webob joins the words of its explanations with single spaces.
const gone = new ApiError(
  410,
  'This resource is no longer available. No forwarding address is given.',
);

/**
 * The media type of errors: unlike that of all other replies, it has a charset. Upstream:
 * api/openstack/wsgi.py Fault.
 */
const errorMediaType = 'application/json; charset=UTF-8';

/**
 * The reply to an error. A path that never existed gets the envelope too; upstream's framework
 * renders that error in a format of its own.
 */
export function renderComputeError(error: ApiError, call: LocatedRequest): Reply {
  if (error.status === 401) return renderUnauthorized(call);
  const noSuchPath = error.reason.kind === 'no-such-path';
  if (noSuchPath && !/^\/v2(\.1)?(\/|$)/.test(call.path)) return reply(300, choices(call));
  const hasExisted = (noSuchPath || error.status === 405) && isGone(call.method, call.path);
  const status = hasExisted ? 410 : error.status === 405 ? 404 : error.status;
  const retry = error.headers?.['retry-after'];
  const body = {
    code: status,
    message: messageOf(status === 410 ? gone : error),
    ...(retry !== undefined && (status === 413 || status === 429) ? { retryAfter: retry } : {}),
  };
  const headers = {
    'content-type': errorMediaType,
    ...(error.status === 405 ? undefined : error.headers),
  };
  return reply(status, { [names[status] ?? 'computeFault']: body }, headers);
}

function messageOf({ status, message, reason }: ApiError): string {
  switch (reason.kind) {
    case 'policy':
      return `Policy doesn't allow ${reason.rule} to be performed.`;
    case 'no-such-path':
    case 'no-such-version':
    case 'malformed-microversion': // Compute negotiates its microversion itself
    case 'unsupported-microversion':
    case 'plain':
      break;
  }
  if (status === 405 || (status === 404 && !message)) return 'The resource could not be found.';
  if (status === 500) return `Unexpected API Error. ${message}`;
  return message;
}

/** The patterns of names. Upstream has a format for each of them, with its own message. */
const namePatterns: ReadonlyMap<unknown, string> = new Map([
  [
    '^(?!\\p{Zs})[^\\p{C}\\p{Zl}\\p{Zp}]*(?<!\\p{Zs})$',
    'printable characters. Can not start or end with whitespace.',
  ],
  [
    '^(?!\\p{Zs})[^\\p{C}\\p{Zl}\\p{Zp}:]*(?<!\\p{Zs})$',
    'printable characters except :.Can not start or end with whitespace.',
  ],
]);

/** The error for a body that violates the contract. Upstream: api/validation/validators.py. */
export function bodyError(failure: Failure): ApiError {
  const { message, keyword, path, instance, schema } = explain(failure, {
    pick: 'first',
    wording: '4.10',
  });
  const reason =
    keyword === 'pattern' ? namePatterns.get((schema as { pattern?: unknown }).pattern) : undefined;
  if (reason !== undefined)
    return badRequest(`An invalid 'name' value was provided. The name must be: ${reason}`);
  return path.length ? fieldError(String(path.at(-1)), instance, message) : badRequest(message);
}

/** The error for a query that violates the contract. */
export function queryError(failure: Failure): ApiError {
  const { message, path, instance } = explain(failure, { pick: 'first', wording: '4.10' });
  if (!path.length) return badRequest(message);
  return badRequest(
    `Invalid input for query parameters ${path[0]}. Value: ${textOf(instance)}. ${message}`,
  );
}

/** The error for a field that fails a check beyond the contract, with the same wording. */
export function fieldError(field: string, value: unknown, message: string): ApiError {
  return badRequest(
    `Invalid input for field/attribute ${field}. Value: ${textOf(value)}. ${message}`,
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : pythonRepr(value));
