// The error format of Network: the name of upstream's exception, and a message.
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import type { ApiError } from '../../kernel/errors.ts';
import { NetworkError } from './network-error.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

/** The names of errors that have no exception of their own upstream. */
const names: Readonly<Record<number, string>> = {
  400: 'HTTPBadRequest',
  403: 'HTTPForbidden',
  404: 'HTTPNotFound',
  405: 'HTTPMethodNotAllowed',
  409: 'HTTPConflict',
  412: 'HTTPPreconditionFailed',
  413: 'HTTPRequestEntityTooLarge',
  415: 'HTTPUnsupportedMediaType',
  501: 'HTTPNotImplemented',
  503: 'HTTPServiceUnavailable',
  507: 'HTTPInsufficientStorage',
};

export function renderNetworkError(error: ApiError, call: LocatedRequest): Reply {
  const { status, headers } = error;
  if (status === 401) return renderUnauthorized(call);
  const body = {
    type: error instanceof NetworkError ? error.type : (names[status] ?? 'HTTPInternalServerError'),
    message: messageOf(error),
    detail: '',
  };
  return reply(status, { NeutronError: body }, headers);
}

function messageOf({ status, message, reason }: ApiError): string {
  switch (reason.kind) {
    case 'no-such-path':
    case 'no-such-version':
      return 'The resource could not be found.';
    case 'policy': // Network has its own checks, which word their errors themselves
    case 'malformed-microversion':
    case 'unsupported-microversion':
    case 'plain':
      break;
  }
  if (status === 405)
    return (
      'The server could not comply with the request since it is either malformed or ' +
      'otherwise incorrect.'
    );
  if (status === 500) return 'Request Failed: internal server error while processing your request.';
  return message;
}
