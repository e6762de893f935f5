// Telling what was thrown: as the service that was asked does.
import { asApiError, isDeadlock } from '../db/errors.ts';
import { ApiError } from '../errors.ts';
import type { Call, Reply } from '../model.ts';
import { reply } from './reply.ts';

/** The reply for a thrown error, in the service's error format. */
export function renderError(call: Call, error: unknown): Reply {
  let fault = asApiError(error);
  if (!(fault instanceof ApiError)) {
    call.cloud.log.error(
      { err: fault, request: call.requestId, method: call.method, path: call.path },
      'unexpected error',
    );
    fault = new ApiError(
      500,
      'An unexpected error prevented the server from fulfilling your request. The log of the emulator has the details.',
    );
  } else if (isDeadlock(error)) {
    call.cloud.log.warn({ err: error, request: call.requestId }, 'the database stayed busy');
  }
  return call.service
    ? call.service.definition.renderError(fault as ApiError, call)
    : renderPlainError(fault as ApiError);
}

/** The reply where no service has been found. */
function renderPlainError(error: ApiError): Reply {
  return reply(
    error.status,
    { error: { code: error.status, message: error.message } },
    error.headers,
  );
}
