// Tricircle refuses in three shapes, and which one is part of its API. Upstream: the controllers in
// tricircle/api/controllers.
import { ApiError } from '../../../kernel/errors.ts';

/**
 * The shape of a refusal: what WebOb says, a sentence by itself, or an object by the kind of error.
 */
export type Shape = 'webob' | 'bare' | 'typed';

const shaped =
  (shape: Shape) =>
  (status: number, message: string): ApiError =>
    new ApiError(status, message, { shape });

/** As WebOb says it, in the client's media type: upstream's `pecan.abort`. */
export const aborted = shaped('webob');

/** The sentence itself, whatever the client accepts: upstream's `Response(message, status)`. */
export const bare = shaped('bare');

/** An object named by the kind of error: upstream's `format_api_error`. */
export const typed = shaped('typed');
