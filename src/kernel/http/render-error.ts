// Renders what was thrown as a reply, in the error format of the request's service.
import { asApiError, isDeadlock } from '../db/errors.ts';
import { ApiError } from '../errors.ts';
import { redactPath } from '../redaction/texts.ts';
import type { IncomingRequest, Reply } from '../model.ts';
import { reply } from './reply.ts';
import { isLocated } from './request.ts';

/**
 * The reply for a thrown error. Anything but an ApiError is a bug: it is logged, and becomes 500.
 */
export function renderError(request: IncomingRequest, error: unknown): Reply {
  const { cloud, requestId, method, path } = request;
  let apiError = asApiError(error);
  if (!(apiError instanceof ApiError)) {
    const shown = { err: apiError, request: requestId, method, path: redactPath(path) };
    cloud.log.error(shown, 'unexpected error');
    apiError = new ApiError(
      500,
      'An unexpected error prevented the server from fulfilling your request. The log of ' +
        'the emulator has the details.',
    );
  } else if (isDeadlock(error)) {
    cloud.log.warn({ err: error, request: requestId }, 'the database stayed busy');
  }
  const { headers = {} } = apiError as ApiError;
  const rendered = isLocated(request)
    ? request.service.definition.renderError(apiError as ApiError, request)
    : renderPlainError(apiError as ApiError);
  // Not every service has errors with headers of their own.
  const retry = headers['retry-after'];
  return retry === undefined
    ? rendered
    : { ...rendered, headers: { 'retry-after': retry, ...rendered.headers } };
}

/** The reply if the path leads to no service. */
function renderPlainError(error: ApiError): Reply {
  return reply(
    error.status,
    { error: { code: error.status, message: error.message } },
    error.headers,
  );
}
