// The class of Network's errors, which stores and the domain throw.
import { ApiError } from '../../kernel/errors.ts';

/** An error under the name of upstream's exception, which clients read in `type`. */
export class NetworkError extends ApiError {
  readonly type: string;
  constructor(status: number, type: string, message: string) {
    super(status, message);
    this.type = type;
  }
}
