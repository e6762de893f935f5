// Faults: domain code throws them, and each service renders them in its own error format.

export interface FaultDetails {
  /** The service's own error code, such as `placement.concurrent_update`. */
  code?: string;
  headers?: Record<string, string>;
  /** Other details for a service's error format. */
  [key: string]: unknown;
}

/** An error response. `status` is the HTTP status; the message is in the service's own words. */
export class Fault extends Error {
  readonly status: number;
  readonly details: FaultDetails;
  constructor(status: number, message: string, details: FaultDetails = {}) {
    super(message);
    this.name = 'Fault';
    this.status = status;
    this.details = details;
  }
}

const fault =
  (status: number) =>
  (message: string, details?: FaultDetails): Fault =>
    new Fault(status, message, details);

export const badRequest = fault(400);
export const unauthorized = fault(401);
export const forbidden = fault(403);
export const notFound = fault(404);
export const methodNotAllowed = fault(405);
export const notAcceptable = fault(406);
export const conflict = fault(409);
export const tooLarge = fault(413);
export const unsupportedMedia = fault(415);
export const notImplemented = fault(501);
export const unavailable = fault(503);
