// How Tricircle tells a fault: in one of three shapes, each of which its clients know.
import { STATUS_CODES } from 'node:http';
import { stripTags } from '../../kernel/bounded-text.ts';
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized, wwwAuthenticate } from '../../kernel/http/unauthorized.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';
import type { Shape } from './domain/refusals.ts';
import { errorMedia } from './media.ts';

export function renderTricircleError(error: ApiError, call: LocatedRequest): Reply {
  if (error.status === 401 && !error.details['shape']) return renderUnauthorized(call);
  const told = known(error, call);
  const shape = (told.details['shape'] as Shape | undefined) ?? shapeOf(call.path);
  if (shape === 'bare')
    return reply(told.status, told.message, { 'content-type': 'text/html; charset=UTF-8' });
  if (shape === 'typed')
    return reply(told.status, {
      [typeOf(told.status)]: { message: told.message, code: told.status },
    });
  const { body, headers } = webob(told, call);
  return reply(told.status, body, {
    ...headers,
    ...told.details.headers,
    ...(told.status === 401 ? wwwAuthenticate(call) : {}),
  });
}

/** Routings, jobs and tags speak of errors otherwise than pods and bindings. */
const shapeOf = (path: string): Shape =>
  /^\/v1\.0\/(routings|jobs|pod-affinity-tag)(\/|$)/.test(path) ? 'typed' : 'webob';

const typeOf = (status: number): string =>
  ({
    400: 'badRequest',
    403: 'forbidden',
    404: 'itemNotFound',
    409: 'conflictingRequest',
    500: 'internalServerError',
  })[status] ?? 'Error';

/** What the framework refuses before Tricircle is asked: paths and methods. */
function known(error: ApiError, call: LocatedRequest): ApiError {
  const { status, details } = error;
  if (details['case'] === 'path')
    return new ApiError(404, '', { shape: 'webob', description: null });
  if (status !== 405) return error;
  const [, collection, id] = /^\/v1\.0\/([^/]+)(\/.*)?$/.exec(call.path) ?? [];
  // A POST goes to no member of a collection.
  if (call.method === 'POST' && id !== undefined)
    return new ApiError(404, '', { shape: 'webob', description: null });
  return new ApiError(405, '', { shape: 'webob', headers: { allow: methodsOf(call, collection) } });
}

/**
 * Allow names the methods of a collection and of its members together, as upstream's one controller
 * has them.
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
  'The server could not comply with the request since it is either malformed or otherwise incorrect.';

/** Upstream: webob/exc.py. */
const explanations: Readonly<Record<number, string>> = {
  401: 'This server could not verify that you are authorized to access the document you requested. Either you supplied the wrong credentials (e.g., bad password), or your browser does not understand how to supply the credentials required.',
  404: 'The resource could not be found.',
  413: 'The body of your request was too large for this server.',
  500: 'The server has either erred or is incapable of performing the requested operation.',
  503: 'The server is currently unavailable. Please try again at a later time.',
};

/** The text of the error, in HTML, with a place for what is particular to it. */
function frame(status: number, call: LocatedRequest, escaped: (text: string) => string): string {
  if (status === 405)
    return `The method ${escaped(call.method)} is not allowed for this resource. <br /><br />\n`;
  if (status === 406)
    return `The resource could not be generated that was acceptable to your browser\n(content of type ${escaped(call.headers.accept ?? '')}. <br /><br />\n`;
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

/** An error as WebOb says it, in JSON, HTML or text. */
function webob({ status, message, details }: ApiError, call: LocatedRequest): Rendered {
  const media = errorMedia(call.headers.accept);
  const title = STATUS_CODES[status] ?? '';
  const description = details['description'] === undefined ? message : details['description'];
  if (media === 'application/json')
    return { body: { code: status, title, description }, headers: { 'content-type': media } };
  const headers = { 'content-type': `${media}; charset=UTF-8` };
  const tail = status === 405 || status === 406 ? '' : '\n\n';
  if (media === 'text/html') {
    const text = frame(status, call, escapeHtml) + escapeHtml(message) + tail;
    const head = `${status} ${title}`;
    const body = `<html>\n <head>\n  <title>${head}</title>\n </head>\n <body>\n  <h1>${head}</h1>\n  ${text}\n </body>\n</html>`;
    return { body, headers };
  }
  const text = `${frame(status, call, (one) => one)}${message}${tail}`
    .replaceAll('\n', ' ')
    .replaceAll('<br />', '\n');
  return { body: `${status} ${title}\n\n${stripTags(text)}`, headers };
}
