// Faults: domain code throws them, and each service renders them in its own error format.

export interface ErrorDetails {
  /** The service's own error code, such as `placement.concurrent_update`. */
  code?: string;
  headers?: Record<string, string>;
  /** Other details for a service's error format. */
  [key: string]: unknown;
}

/** An error response. `status` is the HTTP status; the message is in the service's own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly details: ErrorDetails;
  constructor(status: number, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = 'Fault';
    this.status = status;
    this.details = details;
  }
}

const apiError =
  (status: number) =>
  (message: string, details?: ErrorDetails): ApiError =>
    new ApiError(status, message, details);

export const badRequest = apiError(400);
export const unauthorized = apiError(401);
export const forbidden = apiError(403);
export const notFound = apiError(404);
export const methodNotAllowed = apiError(405);
export const notAcceptable = apiError(406);
export const conflict = apiError(409);
export const tooLarge = apiError(413);
export const unsupportedMedia = apiError(415);
export const notImplemented = apiError(501);
export const unavailable = apiError(503);
