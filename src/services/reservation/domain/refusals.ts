// The errors for leases that are impossible or not allowed, with what their explanation needs.
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Question } from './explanation/question.ts';

/** Why a lease is refused. */
export type Refusal =
  | {
      readonly refused: 'resources';
      /**
       * Reads what the decision has read, and later reservations, in the transaction of the
       * decision.
       */
      ask(context: Context): Promise<Question>;
    }
  | DurationRefusal
  | {
      readonly refused: 'external_service';
      readonly url: string;
      /** The status of its reply; 0 if there was none. */
      readonly status: number;
      readonly message: string | null;
    };

/** A lease is longer than the operator allows. */
export interface DurationRefusal {
  readonly refused: 'max_lease_duration';
  /** The duration of the lease and the maximum, in seconds. */
  readonly seconds: number;
  readonly longest: number;
}

/** The error for a refused lease. */
export class RefusedReservation extends ApiError {
  readonly refusal: Refusal;

  constructor(status: number, message: string, code: string | undefined, refusal: Refusal) {
    super(status, message, { code });
    this.refusal = refusal;
  }
}
