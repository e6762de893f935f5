// How Clustering tells a fault: code, title and explanation around an error that names the
// exception's type.
import { STATUS_CODES } from 'node:http';
import { reply } from '../../kernel/http/reply.ts';
import { renderUnauthorized } from '../../kernel/http/unauthorized.ts';
import type { ApiError } from '../../kernel/errors.ts';
import type { Reply } from '../../kernel/model.ts';
import type { ClusteringCall } from './call.ts';
import { genericRefusal } from './domain/refusals.ts';
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

/** Tells a fault. Upstream: senlin/api/middleware/fault.py. */
export function renderClusteringError(error: ApiError, given: unknown): Reply {
  const call = given as ClusteringCall;
  call.isRefused = true;
  const { status, details } = error;
  if (status === 401) return renderUnauthorized(call);
  if (details['microversion'] === 'malformed')
    return webob(400, malformedVersion(details['asked']));
  if (details['microversion'] === 'unsupported')
    return envelope(406, unsupportedVersion(details['asked']), 'InvalidGlobalAPIVersion');
  if (details['case'] === 'version')
    return envelope(
      400,
      `API version '${call.version.name}' is not supported on this method.`,
      'MethodVersionNotFound',
    );
  if (details['webob']) return webob(status, error.message);
  if (details['case'] === 'path' || status === 405) return renderNoPath(call);
  if (details['rule'] !== undefined)
    return envelope(403, 'You are not authorized to complete this operation.', 'Forbidden');
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

/** Where an exception has no name of its own, it has WebOb's. */
const typeOf = ({ status, details }: ApiError): string =>
  (details['type'] as string | undefined) ??
  `HTTP${(STATUS_CODES[status] ?? 'Error').replaceAll(/[^A-Za-z]/g, '')}`;

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
 * A path that is not there: a version that is not there is answered with those that are, unless the
 * client takes only one kind.
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

const malformedVersion = (asked: unknown): string =>
  `API Version String '${String(asked)}' is of invalid format. It must be of format 'major.minor'.`;

const unsupportedVersion = (asked: unknown): string =>
  `Version '${String(asked)}' is not supported by the API. Minimum is '${clusteringVersions.min.name}' and maximum is '${clusteringVersions.max.name}'.`;
