// How Network tells a fault: the name of upstream's exception, and a sentence.
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import type { ApiError } from '../../kernel/errors.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

/** The names of faults that have none of their own. */
const names: Readonly<Record<number, string>> = {
  400: 'HTTPBadRequest',
  403: 'HTTPForbidden',
  404: 'HTTPNotFound',
  405: 'HTTPMethodNotAllowed',
  409: 'HTTPConflict',
  412: 'HTTPPreconditionFailed',
  413: 'HTTPRequestEntityTooLarge',
  415: 'HTTPUnsupportedMediaType',
  503: 'HTTPServiceUnavailable',
  507: 'HTTPInsufficientStorage',
};

/** The reply to a fault. */
export function renderNetworkError(apiError: ApiError, call: LocatedRequest): Reply {
  const { status, details } = apiError;
  if (status === 401) return renderUnauthorized(call);
  const error = {
    type: (details['type'] as string | undefined) ?? names[status] ?? 'HTTPInternalServerError',
    message: messageOf(apiError),
    detail: '',
  };
  return reply(status, { NeutronError: error }, details.headers);
}

function messageOf({ status, message, details }: ApiError): string {
  if (details['case'] !== undefined) return 'The resource could not be found.';
  if (status === 405)
    return 'The server could not comply with the request since it is either malformed or otherwise incorrect.';
  if (status === 500) return 'Request Failed: internal server error while processing your request.';
  return message;
}
