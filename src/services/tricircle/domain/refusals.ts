// Tricircle's errors have one of three formats, which are part of its API. Upstream: the
// controllers in tricircle/api/controllers.
import { ApiError, type ErrorDetails } from '../../../kernel/errors.ts';

/** WebOb's format, the message alone, or an object named after the kind of error. */
export type Shape = 'webob' | 'bare' | 'typed';

export class TricircleError extends ApiError {
  readonly shape: Shape;
  constructor(shape: Shape, status: number, message: string, details?: ErrorDetails) {
    super(status, message, details);
    this.shape = shape;
  }
}

const shaped =
  (shape: Shape) =>
  (status: number, message: string): ApiError =>
    new TricircleError(shape, status, message);

/** In WebOb's format, in the client's media type: upstream's `pecan.abort`. */
export const aborted = shaped('webob');

/** The message alone, whatever the client accepts: upstream's `Response(message, status)`. */
export const bare = shaped('bare');

/** An object named after the kind of error: upstream's `format_api_error`. */
export const typed = shaped('typed');
