// How Reservation tells a fault: in one shape what Blazar says itself, in another what the
// framework around it says.
import { ApiError } from '../../kernel/errors.ts';
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

const noSuchUrl =
  'The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.';

/** Upstream: blazar/api/v1/utils.py and api/v1/app.py. */
export function renderReservationError(error: ApiError, call: LocatedRequest): Reply {
  const { status, details, message } = error;
  if (status === 401) {
    const refused = renderUnauthorized(call);
    // The document of the versions passes on the answer of keystonemiddleware without its header.
    // Upstream: blazar/api/app.py.
    return call.path === '/' || call.path === '/versions' ? reply(status, refused.body) : refused;
  }
  const framework = frameworkMessage(error);
  if (framework !== undefined)
    return reply(status, { error: status, error_message: framework }, headersOf(error));
  const rule = details['rule'];
  const text =
    rule === undefined ? message : `Policy doesn't allow ${String(rule)} to be performed`;
  const name =
    details.code === 'reservation.no_data' || isUnexpected(error)
      ? 'INTERNAL_SERVER_ERROR'
      : status;
  // Why there are not enough hosts is said beside what clients know.
  const reasons = details['reasons'] === undefined ? {} : { error_reasons: details['reasons'] };
  return reply(status, { error_code: status, error_message: text, error_name: name, ...reasons });
}

/** What is wrong before Blazar itself is asked: path, method, version, kind of body. */
function frameworkMessage({ status, details, message }: ApiError): string | undefined {
  if (details['case'] === 'path' || details['case'] === 'version') return noSuchUrl;
  if (status === 405) return 'The method is not allowed for the requested URL.';
  const asked = String(details['asked']);
  if (details['microversion'] === 'malformed')
    return `API Version String ${asked} is of invalid format. Must be of format MajorNum.MinorNum.`;
  if (details['microversion'] === 'unsupported')
    return `Version ${asked} is not supported by the API. Minimum is 1.0 and maximum is 1.0.`;
  return details['case'] === 'framework' || status === 413 ? message : undefined;
}

const headersOf = ({ status, details }: ApiError): Reply['headers'] =>
  status === 405 ? details.headers : undefined;

/** Errors that are nobody's refusal. */
const isUnexpected = ({ status, message }: ApiError): boolean =>
  status === 500 && message.startsWith('An unexpected error');

/** A refusal in the framework's shape. */
export const frameworkError = (status: number, message: string): ApiError =>
  new ApiError(status, message, { case: 'framework' });
