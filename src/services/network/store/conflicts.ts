// The error for requests that conflict with other transactions at every attempt.
import { conflict, type ApiError } from '../../../kernel/errors.ts';

export const beingChanged = (what: string): ApiError =>
  conflict(`The ${what} is being changed by others at the same time. Please try again.`, {
    type: 'Conflict',
  });
