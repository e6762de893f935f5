// The error format of Volume: an object named after the status, with code and message.
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

export function renderVolumeError(error: ApiError, call: LocatedRequest): Reply {
  if (error.status === 401) return renderUnauthorized(call);
  // Upstream routes by method and path, so the wrong method for a path is a 404.
  const status = error.status === 405 ? 404 : error.status;
  const headers = error.headers?.['allow'] === undefined ? error.headers : undefined;
  const retry = status === 413 ? { retryAfter: error.headers?.['retry-after'] ?? '0' } : {};
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
  const { reason, message } = error;
  const { min, max } = volumeVersions;
  switch (reason.kind) {
    case 'unsupported-microversion':
      return (
        `Version ${reason.requested} is not supported by the API. Minimum is ${min.name} and ` +
        `maximum is ${max.name}.`
      );
    case 'malformed-microversion':
      return (
        `API Version String ${reason.requested} is of invalid format. Must be of format ` +
        'MajorNum.MinorNum.'
      );
    case 'policy':
      return `Policy doesn't allow ${reason.rule} to be performed.`;
    case 'no-such-path':
    case 'no-such-version':
    case 'plain':
      return (
        message ||
        (status === 404
          ? 'The resource could not be found.'
          : 'The server could not comply with the request.')
      );
  }
}

/**
 * The error for a body or a query that does not fit the schema. Upstream:
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
