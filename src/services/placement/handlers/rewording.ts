// Rewords errors of the domain, as upstream's handlers catch exceptions and put a sentence before
// their messages.
import type { ApiError } from '../../../kernel/errors.ts';

/** Returns a handler for `catch` that rewords errors of one class, and rethrows all others. */
export const rewording =
  (kind: new (...args: never) => ApiError, reword: (message: string) => ApiError) =>
  (error: unknown): never => {
    throw error instanceof kind ? reword(error.message) : error;
  };
