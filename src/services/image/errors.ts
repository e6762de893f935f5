// The error format of Image: WebOb's, which is HTML, plain text or JSON, depending on the Accept
// header.
import { STATUS_CODES } from 'node:http';
import { reply } from '../../kernel/http/reply.ts';
import type { Failure } from '../../kernel/contract/contract.ts';
import { badRequest, type ApiError } from '../../kernel/errors.ts';
import { wwwAuthenticate } from '../../kernel/http/unauthorized.ts';
import { explain } from '../../kernel/contract/jsonschema-messages.ts';
import { versionList } from './views/versions.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

const explanations: Readonly<Record<number, string>> = {
  401:
    'This server could not verify that you are authorized to access the document you ' +
    'requested. Either you supplied the wrong credentials (e.g., bad password), or your ' +
    'browser does not understand how to supply the credentials required.',
  403: 'Access was denied to this resource.',
  404: 'The resource could not be found.',
};

/**
 * The reply to an error. A path outside `/v2` gets the list of versions, as from upstream's version
 * negotiation.
 */
export function renderImageError(error: ApiError, call: LocatedRequest): Reply {
  const { status, reason } = error;
  if (reason.kind === 'no-such-path' && !isVersioned(call.path)) return versionList(call, 300);
  const title = titles[status] ?? STATUS_CODES[status] ?? 'Error';
  const headers = status === 401 ? wwwAuthenticate(call) : error.headers;
  return inAcceptedType(call, `${status} ${title}`, title, bodyOf(error, call), headers);
}

const titles: Readonly<Record<number, string>> = {
  413: 'Request Entity Too Large',
  416: 'Requested Range Not Satisfiable',
};

/** Whether a path belongs to the v2 API. */
export const isVersioned = (path: string): boolean => /^\/v2(\/|$)/.test(path);

function bodyOf(
  error: ApiError,
  call: LocatedRequest,
): readonly [explanation: string, detail: string] {
  const { status, message, reason } = error;
  switch (reason.kind) {
    case 'policy':
      return [notAuthorized(reason.rule), ''];
    case 'no-such-path':
    case 'no-such-version': // Image has no microversions
    case 'malformed-microversion':
    case 'unsupported-microversion':
    case 'plain':
      break;
  }
  if (status === 405 && !message)
    return [`The method ${call.method} is not allowed for this resource. `, ''];
  if (status === 415)
    return [
      `The request media type ${call.headers['content-type'] ?? ''} is not supported by ` +
        'this server.',
      message,
    ];
  return [(status === 401 ? '' : message) || (explanations[status] ?? ''), ''];
}

/** The message for a request that a policy rule denies. */
export const notAuthorized = (rule: string): string =>
  `You are not authorized to complete ${rule} action.`;

type Headers = ApiError['headers'];

function inAcceptedType(
  call: LocatedRequest,
  status: string,
  title: string,
  [explanation, detail]: readonly [string, string],
  headers: Headers,
): Reply {
  const code = Number(status.slice(0, 3));
  const accept = call.headers.accept ?? '';
  const html = `${escaped(explanation)}<br /><br />\n${escaped(detail)}\n\n`;
  if (/text\/(html|\*)|\*\/\*/.test(accept)) {
    const page =
      `<html>\n <head>\n  <title>${status}</title>\n </head>\n <body>\n  ` +
      `<h1>${status}</h1>\n  ${html}\n </body>\n</html>`;
    return reply(code, page, { ...headers, 'content-type': 'text/html; charset=UTF-8' });
  }
  // A request that could not be parsed as HTTP has no headers, and gets JSON.
  if (/application\/(json|\*)/.test(accept) || call.headers.host === undefined)
    return reply(
      code,
      { message: `${explanation}<br /><br />\n${detail}\n\n`, code: status, title },
      headers,
    );
  return reply(code, `${status}\n\n${explanation}\n\n ${detail}  `, {
    ...headers,
    'content-type': 'text/plain; charset=UTF-8',
  });
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** The error for a body that does not fit the schema. Upstream: glance/schema.py. */
export const schemaError = (failure: Failure, schema = 'image'): ApiError =>
  badRequest(
    `Provided object does not match schema '${schema}': ${explain(failure, { pick: 'best' }).text}`,
  );
