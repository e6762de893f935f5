// The sentence that a route puts before what the domain refuses. Upstream's handlers catch the
// exception, and put its message after theirs.
import { ApiError } from '../../../kernel/errors.ts';
import type { RefusalCause } from '../domain/refusals.ts';

/**
 * For `catch`: words refusals of one cause as the route does, and throws everything else as it is.
 */
export const rewording =
  (cause: RefusalCause, word: (message: string) => ApiError) =>
  (error: unknown): never => {
    throw error instanceof ApiError && error.details['cause'] === cause
      ? word(error.message)
      : error;
  };
