// Volume's error dialect: Cinder's envelope, an object under the name of the status.
import { reply } from '../../kernel/http/reply.ts';
import type { Failure } from '../../kernel/contract/contract.ts';
import { badRequest, type ApiError } from '../../kernel/errors.ts';
import { pythonRepr } from '../../kernel/oslo/python-repr.ts';
import type { Refusals } from '../../kernel/http/steps.ts';
import { explain } from '../../kernel/contract/jsonschema-messages.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import { volumeVersions } from './versions.ts';
import type { LocatedRequest, Reply } from '../../kernel/model.ts';

const names: Readonly<Record<number, string>> = {
  400: 'badRequest',
  403: 'forbidden',
  404: 'itemNotFound',
  405: 'badMethod',
  409: 'conflictingRequest',
  413: 'overLimit',
  415: 'badMediaType',
  501: 'notImplemented',
  503: 'serviceUnavailable',
};

/** Writes a fault as a reply. */
export function renderVolumeError(error: ApiError, call: LocatedRequest): Reply {
  const { details } = error;
  if (error.status === 401) return renderUnauthorized(call);
  // Upstream routes by method and path, so that another method of a path is not found.
  const status = error.status === 405 ? 404 : error.status;
  const headers = details.headers?.['allow'] === undefined ? details.headers : undefined;
  const retry = status === 413 ? { retryAfter: details.headers?.['retry-after'] ?? '0' } : {};
  return reply(
    status,
    {
      [names[status] ?? 'computeFault']: {
        code: status,
        message: messageOf(error, status),
        ...retry,
      },
    },
    headers,
  );
}

function messageOf(error: ApiError, status: number): string {
  const { details, message } = error;
  const { min, max } = volumeVersions;
  if (details['microversion'] === 'unsupported')
    return `Version ${String(details['asked'])} is not supported by the API. Minimum is ${min.name} and maximum is ${max.name}.`;
  if (details['microversion'] === 'malformed')
    return `API Version String ${String(details['asked'])} is of invalid format. Must be of format MajorNum.MinorNum.`;
  if (details['rule'] !== undefined)
    return `Policy doesn't allow ${String(details['rule'])} to be performed.`;
  return (
    message ||
    (status === 404
      ? 'The resource could not be found.'
      : 'The server could not comply with the request.')
  );
}

/**
 * The fault for a body or a query that the schema does not allow. Upstream:
 * cinder/api/validation/validators.py.
 */
function schemaError(failure: Failure): ApiError {
  const { message, path, instance } = explain(failure, { pick: 'first' });
  if (!path.length) return badRequest(message);
  const value = typeof instance === 'string' ? instance : pythonRepr(instance);
  return badRequest(
    `Invalid input for field/attribute ${String(path.at(-1))}. Value: ${value}. ${message}`,
  );
}

export const volumeRefusals: Refusals = {
  malformed: () => badRequest('Malformed request body'),
  body: schemaError,
  query: schemaError,
};
