// The steps that run before a handler of Compute, in upstream's order: version, media type, body,
// project in the URL, contract, policy.
import type { Target } from '../../kernel/oslo/policy.ts';
import { badRequest, notAcceptable, unsupportedMedia } from '../../kernel/errors.ts';
import { authorize, mediaType, readJson } from '../../kernel/http/steps.ts';
import type { ComputeCall, ProjectRequest } from './call.ts';
import { bodyError, queryError } from './errors.ts';
import { computeVersions } from './versions.ts';
import type { IncomingRequest, LocatedRequest, RoutedRequest, Step } from '../../kernel/model.ts';
import { requireAction } from '../../kernel/http/actions.ts';
import { versionEntry } from '../../kernel/microversion.ts';

/**
 * Removes the project from a path such as `/v2.1/<project>/servers`. Like upstream, it accepts any
 * hexadecimal digits and dashes as a project.
 */
export const stripProject: Step<ProjectRequest> = (call) => {
  const [, project, rest] = /^\/v2\.1\/([0-9a-f-]+)(\/.+)$/.exec(call.path) ?? [];
  if (project === undefined) return;
  call.urlProject = project;
  call.path = `/v2.1${rest}`;
};

/** Whether the path is outside of the versioned API. Only version documents have such paths. */
export const isAboveApi = (call: LocatedRequest): boolean => !/^\/v2\.1\/./.test(call.path);

/**
 * Negotiates the microversion from `OpenStack-API-Version`, or from the older header that only
 * Compute has. The error messages are Nova's.
 * @throws 400, 406
 */
export const negotiateCompute: Step = (call) => {
  if (isAboveApi(call)) return;
  const requested = requestedComputeVersion(call);
  if (requested === undefined) call.version = computeVersions.min;
  else if (requested === 'latest') call.version = computeVersions.max;
  else call.version = versionNamed(requested);
};

/** The requested version, from the header of all services or from the older one. */
export function requestedComputeVersion({ headers }: LocatedRequest): string | undefined {
  const header = headers['openstack-api-version'];
  const entry = versionEntry(['compute'], Array.isArray(header) ? header.join(',') : header);
  if (entry !== undefined) return entry;
  const legacy = headers['x-openstack-nova-api-version'];
  return (Array.isArray(legacy) ? legacy.at(-1) : legacy)?.trim() || undefined;
}

function versionNamed(requested: string): ComputeCall['version'] {
  if (!/^[1-9]\d*\.([1-9]\d*|0)$/.test(requested)) {
    throw badRequest(
      `API Version String ${requested} is of invalid format. Must be of format MajorNum.MinorNum.`,
    );
  }
  const version = computeVersions.find(requested);
  if (version) return version;
  const { min, max } = computeVersions;
  throw notAcceptable(
    `Version ${requested} is not supported by the API. Minimum is ${min.name} and maximum is ` +
      `${max.name}.`,
    {
      headers: {
        'openstack-api-version': `compute ${requested}`,
        'x-openstack-nova-api-version': requested,
      },
    },
  );
}

const mediaTypes: readonly (string | undefined)[] = [
  undefined,
  'text/plain',
  'application/json',
  'application/vnd.openstack.compute+json',
];

/** @throws 415 for a media type other than JSON or plain text, with any method */
export const requireKnownMediaType: Step = (call) => {
  if (!mediaTypes.includes(mediaType(call))) throw unsupportedMedia('Unsupported Content-Type');
};

/**
 * Reads the body of a POST or PUT. A missing body becomes null, which most schemas reject.
 * @throws 400
 */
export const readBody: Step<RoutedRequest> = (call) => {
  if (call.method !== 'POST' && call.method !== 'PUT') return;
  const malformed = () => badRequest('Malformed request body');
  call.body = call.raw?.length ? readJson(call.raw, malformed) : null;
  requireAction(call);
};

/** @throws 400 if the project in the URL differs from the token's */
export const requireOwnProject: Step<ProjectRequest> = ({ caller, urlProject }) => {
  const own = caller?.projectId;
  if (urlProject === undefined || urlProject === own) return;
  throw badRequest(
    `Malformed request URL: URL's project_id '${urlProject}' doesn't match Context's project_id ` +
      `'${own ?? 'None'}'`,
  );
};

/** Validates the query and the body against the contract. @throws 400 */
export const checkContract: Step = async (call) => {
  const { operation, query } = call;
  if (query.garbled) throw badRequest('Query string is not UTF-8 encoded');
  const queryFailure = operation?.checkQuery(query);
  if (queryFailure) throw queryError(queryFailure);
  const bodyFailure = operation?.takesBody ? await operation.checkBody(call.body) : undefined;
  if (bodyFailure) throw bodyError(bodyFailure);
};

/**
 * Enforces the policy rule of the route, with the caller's own project and user as the target.
 * @throws 403
 */
export const enforceRoutePolicy: Step<RoutedRequest> = (call) => {
  if (call.route.policy) authorize(call, call.route.policy, ownTarget(call));
};

/** The target of a rule that concerns no existing resource: the caller's own project and user. */
export function ownTarget({ caller }: Pick<IncomingRequest, 'caller'>): Target {
  return { project_id: caller?.projectId, user_id: caller?.userId };
}
