// Asking another service of the region as its clients do, and saying its refusals in Compute's
// words.
import { STATUS_CODES } from 'node:http';
import { ApiError } from '../../../kernel/errors.ts';
import { callService, type ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { ServiceDefinition, Context } from '../../../kernel/model.ts';

/** What Compute says in the place of a refusal, by the refusal's status. */
export type Rewording = Readonly<Record<number, (error: ApiError) => ApiError>>;

/**
 * Asks another service for the actor of the work.
 * @returns the body of its reply
 * @throws Fault as `rewording` has it; else with the status and the words of the other service:
 *   upstream answers 500 to most of those
 */
export async function askAs<T, V extends string>(
  context: Context,
  definition: ServiceDefinition<V>,
  request: ServiceRequest,
  rewording: Rewording = {},
): Promise<T> {
  try {
    const { body } = await callService(context, definition, request);
    return (typeof body === 'string' ? JSON.parse(body) : body) as T;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, message, reason } = error;
    const details = reason.kind === 'policy' ? { reason } : {};
    throw (
      rewording[status]?.(error) ?? new ApiError(status, message || STATUS_CODES[status]!, details)
    );
  }
}
