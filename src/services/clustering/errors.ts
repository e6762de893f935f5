// The error format of Clustering: code, title and explanation around an error with the exception's
// name.
import { STATUS_CODES } from 'node:http';
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import type { ApiError } from '../../kernel/errors.ts';
import type { Reply } from '../../kernel/model.ts';
import type { ClusteringCall } from './call.ts';
import {
  ClusteringError,
  forbiddenHere,
  FrameworkError,
  genericRefusal,
} from './domain/refusals.ts';
import { clusteringVersions } from './versions.ts';
import { chooseVersion } from './views/versions.ts';

const explanations: Readonly<Record<number, string>> = {
  400: genericRefusal,
  403: 'Access was denied to this resource.',
  404: 'The resource could not be found.',
  406: genericRefusal,
  409: 'There was a conflict when trying to complete your request.',
  500: 'The server has either erred or is incapable of performing the requested operation.',
};

/** Upstream: senlin/api/middleware/fault.py. */
export function renderClusteringError(error: ApiError, given: unknown): Reply {
  const call = given as ClusteringCall;
  call.isRefused = true;
  if (error.status === 401) return renderUnauthorized(call);
  const { reason } = error;
  switch (reason.kind) {
    case 'malformed-microversion':
      return webob(400, malformedVersion(reason.requested));
    case 'unsupported-microversion':
      return envelope(406, unsupportedVersion(reason.requested), 'InvalidGlobalAPIVersion');
    case 'no-such-version':
      return envelope(
        400,
        `API version '${call.version.name}' is not supported on this method.`,
        'MethodVersionNotFound',
      );
    case 'no-such-path':
      return renderNoPath(call);
    case 'policy':
      return render(forbiddenHere(), call);
    case 'plain':
      return render(error, call);
  }
}

/** Renders an error whose status and message say everything. */
function render(error: ApiError, call: ClusteringCall): Reply {
  const { status } = error;
  if (error instanceof FrameworkError) return webob(status, error.message);
  if (status === 405) return renderNoPath(call);
  if (status === 413)
    return envelope(
      400,
      'Request limit exceeded: JSON body size exceeds the maximum of 1048576 bytes.',
      'RequestLimitExceeded',
    );
  return envelope(
    status,
    error.message || (explanations[status] ?? STATUS_CODES[status]!),
    typeOf(error),
  );
}

/** The name of upstream's exception; by default, WebOb's for the status. */
const typeOf = (error: ApiError): string =>
  error instanceof ClusteringError
    ? error.type
    : `HTTP${(STATUS_CODES[error.status] ?? 'Error').replaceAll(/[^A-Za-z]/g, '')}`;

function envelope(code: number, message: string, type: string): Reply {
  const explanation = explanations[code] ?? STATUS_CODES[code] ?? '';
  return reply(code, {
    code,
    title: STATUS_CODES[code],
    explanation,
    error: { code, message, type },
  });
}

/**
 * The reply to an unknown path. A GET of an unknown major version gets the list of versions, unless
 * the client accepts one media type only.
 */
function renderNoPath(call: ClusteringCall): Reply {
  const accept = call.headers.accept ?? '*/*';
  if (!/^\/v1(\/|$)/.test(call.path) && accept.includes('*/*') && call.method === 'GET')
    return chooseVersion(call);
  return webob(404, 'The resource could not be found.<br /><br />\n\n\n');
}

const webob = (status: number, message: string): Reply =>
  reply(status, {
    message,
    code: `${status} ${STATUS_CODES[status]}`,
    title: STATUS_CODES[status],
  });

const malformedVersion = (requested: string): string =>
  `API Version String '${requested}' is of invalid format. It must be of format 'major.minor'.`;

const unsupportedVersion = (requested: string): string =>
  `Version '${requested}' is not supported by the API. Minimum is ` +
  `'${clusteringVersions.min.name}' and maximum is '${clusteringVersions.max.name}'.`;
