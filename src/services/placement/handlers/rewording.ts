// Rewords errors of the domain. Upstream's handlers catch the exception, and put a sentence of
// their own before its message.
import type { ApiError } from '../../../kernel/errors.ts';

/** For `catch`: rewords errors of one class as the route does, and rethrows everything else. */
export const rewording =
  (kind: new (...args: never) => ApiError, word: (message: string) => ApiError) =>
  (error: unknown): never => {
    throw error instanceof kind ? word(error.message) : error;
  };
