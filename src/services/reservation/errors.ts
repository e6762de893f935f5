// The error formats of Reservation: Blazar's own, and that of the framework around it.
import { ApiError } from '../../kernel/errors.ts';
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import { NotEnoughHosts } from './domain/candidates/refusals.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

const noSuchUrl =
  'The requested URL was not found on the server. If you entered the URL manually please ' +
  'check your spelling and try again.';

/** Upstream: blazar/api/v1/utils.py and api/v1/app.py. */
export function renderReservationError(error: ApiError, call: LocatedRequest): Reply {
  const { status, reason } = error;
  if (status === 401) {
    const refused = renderUnauthorized(call);
    // The version document passes on the reply of keystonemiddleware without its header. Upstream:
    // blazar/api/app.py.
    return call.path === '/' || call.path === '/versions' ? reply(status, refused.body) : refused;
  }
  switch (reason.kind) {
    case 'no-such-path':
    case 'no-such-version':
      return framework(error, noSuchUrl);
    case 'malformed-microversion':
      return framework(
        error,
        `API Version String ${reason.requested} is of invalid format. Must be of format ` +
          'MajorNum.MinorNum.',
      );
    case 'unsupported-microversion':
      return framework(
        error,
        `Version ${reason.requested} is not supported by the API. Minimum is 1.0 and ` +
          'maximum is 1.0.',
      );
    case 'policy':
      return own(error, `Policy doesn't allow ${reason.rule} to be performed`);
    case 'plain':
      if (status === 405)
        return framework(error, 'The method is not allowed for the requested URL.');
      return error instanceof FrameworkError || status === 413
        ? framework(error, error.message)
        : own(error, error.message);
  }
}

/**
 * The framework's format: it rejects paths, methods, versions and media types before Blazar runs.
 */
const framework = ({ status, headers }: ApiError, message: string): Reply =>
  reply(status, { error: status, error_message: message }, status === 405 ? headers : undefined);

function own(error: ApiError, message: string): Reply {
  const { status } = error;
  const name =
    error.code === 'reservation.no_data' || isUnexpected(error) ? 'INTERNAL_SERVER_ERROR' : status;
  // Beside what upstream returns, the reply explains why there are not enough hosts.
  const reasons = error instanceof NotEnoughHosts ? { error_reasons: error.reasons } : {};
  return reply(status, {
    error_code: status,
    error_message: message,
    error_name: name,
    ...reasons,
  });
}

/** Whether an error is a bug of the emulator. */
const isUnexpected = ({ status, message }: ApiError): boolean =>
  status === 500 && message.startsWith('An unexpected error');

/** An error in the framework's format. */
class FrameworkError extends ApiError {}

export const frameworkError = (status: number, message: string): ApiError =>
  new FrameworkError(status, message);
