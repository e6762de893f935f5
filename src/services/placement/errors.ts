// The error format of Placement: an envelope, and the sentence that WebOb puts before the message.
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import { ApiError, badRequest } from '../../kernel/errors.ts';
import { stripTags } from '../../kernel/bounded-text.ts';
import type { Failure } from '../../kernel/contract/contract.ts';
import { mediaType, type Refusals } from '../../kernel/http/steps.ts';
import { explain } from '../../kernel/contract/jsonschema-messages.ts';
import { STATUS_CODES } from 'node:http';
import { MiddlewareError } from './domain/refusals.ts';
import { placementVersions, type PlacementVersion } from './versions.ts';
import type { Call, Reply } from '../../kernel/model.ts';

/** The values of `code`, which clients check. Upstream: placement/errors.py. */
export type ErrorCode =
  | 'placement.inventory.inuse'
  | 'placement.concurrent_update'
  | 'placement.duplicate_name'
  | 'placement.resource_provider.inuse'
  | 'placement.resource_provider.cannot_delete_parent'
  | 'placement.resource_provider.not_found'
  | 'placement.query.duplicate_key'
  | 'placement.query.bad_value'
  | 'placement.query.missing_value';

const sentences: Readonly<Record<number, string>> = {
  400:
    'The server could not comply with the request since it is either malformed or otherwise ' +
    'incorrect.',
  403: 'Access was denied to this resource.',
  404: 'The resource could not be found.',
  409: 'There was a conflict when trying to complete your request.',
  413: 'The body of your request was too large for this server.',
  500: 'The server has either erred or is incapable of performing the requested operation.',
  503: 'The server is currently unavailable. Please try again at a later time.',
};

/**
 * The reply to an error. It has no `code` before the version is negotiated; from 1.23 on it always
 * has one.
 */
export function renderPlacementError(error: ApiError, call: Call<PlacementVersion>): Reply {
  if (error.status === 401)
    return call.cloud.config.auth === 'noauth2' ? noauthUnauthorized : renderUnauthorized(call);
  const { status, reason } = error;
  const body = {
    status,
    title: STATUS_CODES[status] ?? 'Error',
    detail: detailOf(error, call),
    ...(call.version?.has('1.23') ? { code: error.code ?? 'placement.undefined_code' } : {}),
    request_id: call.requestId,
    ...(reason.kind === 'unsupported-microversion'
      ? { max_version: placementVersions.max.name, min_version: placementVersions.min.name }
      : {}),
  };
  const headers: Reply['headers'] = {
    ...error.headers,
    ...(isMiddlewareError(error) ? { vary: undefined } : {}),
  };
  if (call.method === 'HEAD')
    return reply(status, '', { ...headers, 'content-type': 'text/html; charset=UTF-8' });
  const page = pageFor(call.headers.accept, body);
  return page
    ? reply(status, page.text, { ...headers, 'content-type': page.type })
    : reply(status, { errors: [body] }, headers);
}

const isMiddlewareError = (error: ApiError): boolean =>
  error instanceof MiddlewareError || error.status === 403 || error.reason.kind === 'no-such-path';

/**
 * Whether a client with this `Accept` accepts JSON, as a client without the header does. It does
 * not use `negotiator`, which finds no JSON in `application/json;charset=utf-8` and takes three
 * times as long on every GET.
 */
export function takesJson(accept: string | undefined): boolean {
  if (!accept) return true;
  return accept
    .split(',')
    .some(
      (range) =>
        /^\s*(\*\/\*|application\/(\*|json))\s*(;|$)/i.test(range) &&
        !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range),
    );
}

/**
 * WebOb's page for clients that do not accept JSON: HTML if they accept that, otherwise plain text.
 */
function pageFor(
  accept: string | undefined,
  error: { status: number; title: string; detail: string },
): { type: string; text: string } | undefined {
  if (!accept || takesJson(accept)) return undefined;
  const heading = `${error.status} ${error.title}`;
  if (!/text\/(html|\*)/i.test(accept))
    return { type: 'text/plain; charset=UTF-8', text: `${heading}\n\n${error.detail}` };
  const escaped = error.detail
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace('\n\n ', '<br /><br />\n')
    .trimEnd();
  return {
    type: 'text/html; charset=UTF-8',
    text:
      `<html>\n <head>\n  <title>${heading}</title>\n </head>\n <body>\n  ` +
      `<h1>${heading}</h1>\n  ${escaped}\n\n\n </body>\n</html>`,
  };
}

/** The message, before WebOb puts it on one line and strips markup from it. */
function plainMessageOf({ reason, message }: ApiError): string {
  switch (reason.kind) {
    case 'malformed-microversion':
    case 'unsupported-microversion':
      return `Invalid microversion: ${message}`;
    case 'policy':
      return reason.outOfScope ? reason.rule : message;
    case 'no-such-path':
    case 'no-such-version':
    case 'plain':
      return message;
  }
}

function detailOf(error: ApiError, call: Call): string {
  const { status, reason } = error;
  const message = stripTags(plainMessageOf(error).replaceAll('\n', ' '));
  if (status === 405)
    return (
      `The method ${call.method} is not allowed for this resource. \n\n ` +
      (reason.kind === 'no-such-version'
        ? ''
        : 'The method specified is not allowed for this resource.')
    );
  if (status === 406) {
    const { accept = '*/*' } = call.headers;
    const type = accept === '*/*' ? 'application/json' : accept;
    return (
      'The resource could not be generated that was acceptable to your browser (content of ' +
      `type ${type}. \n\n ${message}`
    );
  }
  if (status === 415)
    return (
      `The request media type ${mediaType(call) ?? 'None'} is not supported by this server. ` +
      `\n\n ${message}`
    );
  return `${sentences[status] ?? STATUS_CODES[status] ?? ''}\n\n ${message}  `;
}

/**
 * The 401 without Keystone: Placement's own middleware answers, in WebOb's envelope. Upstream:
 * placement/auth.py NoAuthMiddleware.
 */
const noauthUnauthorized: Reply = reply(401, {
  message:
    'This server could not verify that you are authorized to access the document you ' +
    'requested. Either you supplied the wrong credentials (e.g., bad password), or your ' +
    'browser does not understand how to supply the credentials required.<br /><br />\n\n\n',
  code: '401 Unauthorized',
  title: 'Unauthorized',
});

const text = (failure: Failure): string => explain(failure, { pick: 'best' }).text;

/** The errors for bodies and queries that do not fit the contract. */
export const placementRefusals: Refusals = {
  malformed: (why) => badRequest(`Malformed JSON: ${why}`),
  body: (failure) => badRequest(`JSON does not validate: ${text(failure)}`),
  query: (failure) => badRequest(`Invalid query string parameters: ${text(failure)}`),
};
