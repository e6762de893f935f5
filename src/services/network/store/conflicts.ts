// The error for requests that conflict with other transactions at every attempt.
import type { ApiError } from '../../../kernel/errors.ts';
import { NetworkError } from '../network-error.ts';

export const beingChanged = (what: string): ApiError =>
  new NetworkError(
    409,
    'Conflict',
    `The ${what} is being changed by others at the same time. Please try again.`,
  );
