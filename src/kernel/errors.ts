// API errors: code of any layer throws them, and each service renders them in its own format.

/**
 * Why the kernel refused a request, if an error format depends on it. `plain` covers all errors
 * whose status and message say everything.
 */
export type ErrorReason =
  | { readonly kind: 'plain' }
  /** No route has the path. */
  | { readonly kind: 'no-such-path' }
  /** The route exists in other microversions only. */
  | { readonly kind: 'no-such-version' }
  | { readonly kind: 'malformed-microversion'; readonly requested: string }
  | { readonly kind: 'unsupported-microversion'; readonly requested: string }
  /** `outOfScope`: the token has a scope for which the policy rule is not meant. */
  | { readonly kind: 'policy'; readonly rule: string; readonly outOfScope: boolean };

export interface ErrorDetails {
  /** The service's own error code, such as `placement.concurrent_update`. */
  readonly code?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly reason?: ErrorReason;
}

const plain: ErrorReason = { kind: 'plain' };

/**
 * An error response. `status` is the HTTP status; the message is in the service's own words. A
 * service whose error format needs more than this has a subclass with further fields.
 */
export class ApiError extends Error implements ErrorDetails {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly reason: ErrorReason;
  constructor(status: number, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = details.code;
    this.headers = details.headers;
    this.reason = details.reason ?? plain;
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

/** No route has the path. */
export const noSuchPath = (message = ''): ApiError =>
  notFound(message, { reason: { kind: 'no-such-path' } });
