// Calls other services of the region through their APIs, and translates their errors into those of
// Compute.
import { STATUS_CODES } from 'node:http';
import { ApiError } from '../../../kernel/errors.ts';
import { callService, type ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { ServiceDefinition, Context } from '../../../kernel/model.ts';

/** The errors that Compute returns in place of another service's, by the status of the latter. */
export type ErrorTranslations = Readonly<Record<number, (error: ApiError) => ApiError>>;

/**
 * Calls another service as the actor.
 * @returns the body of its reply
 * @throws ApiError of `translations`, or else an error with the other service's status and message.
 *   Upstream returns 500 for most of the latter
 */
export async function callApi<T, V extends string>(
  context: Context,
  definition: ServiceDefinition<V>,
  request: ServiceRequest,
  translations: ErrorTranslations = {},
): Promise<T> {
  try {
    const { body } = await callService(context, definition, request);
    return (typeof body === 'string' ? JSON.parse(body) : body) as T;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, message, reason } = error;
    const details = reason.kind === 'policy' ? { reason } : {};
    throw (
      translations[status]?.(error) ??
      new ApiError(status, message || STATUS_CODES[status]!, details)
    );
  }
}
