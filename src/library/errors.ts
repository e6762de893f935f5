// The errors that the methods of a cloud throw.
import type { FailedAssertion, JournalEntry } from './contract.ts';

/** A call that failed. The message says what happened, and what to do. */
export class CumuletError extends Error {
  override readonly name: string = 'CumuletError';
  /** The status of the reply; undefined without a reply. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/**
 * An assertion about requests that does not hold. Test runners show it like any failed assertion:
 * the message names what was expected, what was found, and the requests that nearly match.
 */
export class RequestAssertionError extends CumuletError {
  override readonly name = 'AssertionError';
  readonly code = 'ERR_ASSERTION';
  readonly generatedMessage = false;
  /** How many requests match. */
  readonly matched: number;
  /** The newest hundred of them. */
  readonly requests: readonly JournalEntry[];
  /** The newest ten requests that meet all conditions except one. */
  readonly nearMisses: FailedAssertion['near_misses'];

  constructor(reply: FailedAssertion) {
    super(reply.error.message, 409);
    this.matched = reply.matched;
    this.requests = reply.requests;
    this.nearMisses = reply.near_misses;
  }
}
