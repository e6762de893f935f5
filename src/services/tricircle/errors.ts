// The error formats of Tricircle: WebOb's, the message alone, or an object named after the kind of
// error.
import { STATUS_CODES } from 'node:http';
import { stripTags } from '../../kernel/bounded-text.ts';
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized, wwwAuthenticate } from '../../kernel/http/unauthorized.ts';
import type { ApiError } from '../../kernel/errors.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';
import { TricircleError, type Shape } from './domain/errors.ts';
import { errorMedia } from './media.ts';

export function renderTricircleError(thrown: ApiError, call: LocatedRequest): Reply {
  if (thrown.status === 401 && !(thrown instanceof TricircleError)) return renderUnauthorized(call);
  const error = frameworkError(thrown, call) ?? thrown;
  const { status, message } = error;
  const shape = error instanceof TricircleError ? error.shape : shapeOf(call.path);
  switch (shape) {
    case 'bare':
      return reply(status, message, { 'content-type': 'text/html; charset=UTF-8' });
    case 'typed':
      return reply(status, { [typeOf(status)]: { message, code: status } });
    case 'webob': {
      const { body, headers } = webob(error, call);
      return reply(status, body, {
        ...headers,
        ...error.headers,
        ...(status === 401 ? wwwAuthenticate(call) : {}),
      });
    }
  }
}

/** The format of errors that have none of their own, which depends on the controller. */
const shapeOf = (path: string): Shape =>
  /^\/v1\.0\/(routings|jobs|migrations|pod-affinity-tag|volume-placement)(\/|$)/.test(path)
    ? 'typed'
    : 'webob';

const typeOf = (status: number): string =>
  ({
    400: 'badRequest',
    403: 'forbidden',
    404: 'itemNotFound',
    409: 'conflictingRequest',
    500: 'internalServerError',
  })[status] ?? 'Error';

/** The framework's error for an unknown path or method, which it rejects before Tricircle runs. */
function frameworkError({ status, reason }: ApiError, call: LocatedRequest): ApiError | undefined {
  switch (reason.kind) {
    case 'no-such-path':
      return new NoPathError('webob', 404, '');
    case 'no-such-version': // Tricircle has no microversions
    case 'malformed-microversion':
    case 'unsupported-microversion':
    case 'policy':
    case 'plain':
      break;
  }
  if (status !== 405) return undefined;
  const [, collection, id] = /^\/v1\.0\/([^/]+)(\/.*)?$/.exec(call.path) ?? [];
  // No member of a collection accepts POST.
  if (call.method === 'POST' && id !== undefined) return new NoPathError('webob', 404, '');
  const headers = { allow: methodsOf(call, collection) };
  return new TricircleError('webob', 405, '', { headers });
}

/** An error whose description is null in JSON. */
class NoPathError extends TricircleError {}

/**
 * The value of Allow: the methods of a collection and of its members, because one controller serves
 * both upstream.
 */
function methodsOf({ service, path }: LocatedRequest, collection: string | undefined): string {
  const below = `/v1.0/${collection}`;
  const isOf = (route: string): boolean =>
    collection === undefined ? route === path : route === below || route.startsWith(`${below}/`);
  return [
    ...new Set(
      service.definition.routes.filter((route) => isOf(route.path)).map(({ method }) => method),
    ),
  ]
    .toSorted()
    .join(', ');
}

const malformed =
  'The server could not comply with the request since it is either malformed or otherwise ' +
  'incorrect.';

/** Upstream: webob/exc.py. */
const explanations: Readonly<Record<number, string>> = {
  401:
    'This server could not verify that you are authorized to access the document you ' +
    'requested. Either you supplied the wrong credentials (e.g., bad password), or your ' +
    'browser does not understand how to supply the credentials required.',
  404: 'The resource could not be found.',
  413: 'The body of your request was too large for this server.',
  500: 'The server has either erred or is incapable of performing the requested operation.',
  503: 'The server is currently unavailable. Please try again at a later time.',
};

/** WebOb's explanation of the status, in HTML. */
function frame(status: number, call: LocatedRequest, escaped: (text: string) => string): string {
  if (status === 405)
    return `The method ${escaped(call.method)} is not allowed for this resource. <br /><br />\n`;
  if (status === 406)
    return (
      'The resource could not be generated that was acceptable to your browser\n(content of ' +
      `type ${escaped(call.headers.accept ?? '')}. <br /><br />\n`
    );
  return `${explanations[status] ?? malformed}<br /><br />\n`;
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

interface Rendered {
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

/** An error in WebOb's format, as JSON, HTML or text. */
function webob(error: ApiError, call: LocatedRequest): Rendered {
  const { status, message } = error;
  const media = errorMedia(call.headers.accept);
  const title = STATUS_CODES[status] ?? '';
  const description = error instanceof NoPathError ? null : message;
  if (media === 'application/json')
    return { body: { code: status, title, description }, headers: { 'content-type': media } };
  const headers = { 'content-type': `${media}; charset=UTF-8` };
  const tail = status === 405 || status === 406 ? '' : '\n\n';
  if (media === 'text/html') {
    const text = frame(status, call, escapeHtml) + escapeHtml(message) + tail;
    const head = `${status} ${title}`;
    const body =
      `<html>\n <head>\n  <title>${head}</title>\n </head>\n <body>\n  <h1>${head}</h1>\n  ` +
      `${text}\n </body>\n</html>`;
    return { body, headers };
  }
  const text = `${frame(status, call, (one) => one)}${message}${tail}`
    .replaceAll('\n', ' ')
    .replaceAll('<br />', '\n');
  return { body: `${status} ${title}\n\n${stripTags(text)}`, headers };
}
