// The errors of Tricircle, which have one of three formats. Upstream: the controllers in
// tricircle/api/controllers.
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

/** An error in WebOb's format, in the client's media type: upstream's `pecan.abort`. */
export const aborted = shaped('webob');

/** An error of the message alone, in HTML: upstream's `Response(message, status)`. */
export const bare = shaped('bare');

/** An error as an object named after its kind: upstream's `format_api_error`. */
export const typed = shaped('typed');
