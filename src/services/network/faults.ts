// How the Network tells a fault: upstream's name for it, and a sentence.
import { reply } from '../../kernel/http/reply.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Call, Reply } from '../../kernel/model.ts';

/** The names of refusals that have none of their own. */
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
};

/** Tells a fault; a 401 is told as Keystone's middleware tells it. */
export function tellNetwork(fault: Fault, call: Call): Reply {
  const { status, details } = fault;
  if (status === 401) {
    const error = { code: 401, title: 'Unauthorized', message: 'The request you have made requires authentication.' };
    return reply(401, { error }, { 'www-authenticate': `Keystone uri="${call.origin}/identity"` });
  }
  const error = {
    type: (details['type'] as string | undefined) ?? names[status] ?? 'HTTPInternalServerError',
    message: messageOf(fault),
    detail: '',
  };
  return reply(status, { NeutronError: error }, details.headers);
}

function messageOf({ status, message, details }: Fault): string {
  if (details['case'] !== undefined) return 'The resource could not be found.';
  if (status === 405) return 'The server could not comply with the request since it is either malformed or otherwise incorrect.';
  if (status === 500) return 'Request Failed: internal server error while processing your request.';
  return message;
}
