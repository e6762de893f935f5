// The steps before a handler, in the order of their errors: token, version, path, the project in
// the path, the body. The handlers then enforce policy.
import { badRequest, unsupportedMedia } from '../../kernel/errors.ts';
import { requireAction, requireActionInSpan } from '../../kernel/http/actions.ts';
import { mediaType, readJson } from '../../kernel/http/steps.ts';
import { requestedVersion } from '../../kernel/microversion.ts';
import { volumeRefusals } from './errors.ts';
import { volumeVersions } from './versions.ts';
import type { LocatedRequest, RoutedRequest, Step } from '../../kernel/model.ts';
import type { VolumeCall } from './call.ts';

/** The collections below `/v3`. Any other segment at that position is a project. */
const collections = new Set([
  'volumes',
  'snapshots',
  'types',
  'attachments',
  'os-quota-sets',
  'limits',
  'os-availability-zone',
  'os-quota-class-sets',
  'qos-specs',
  'volume-transfers',
  'os-volume-transfer',
  'messages',
  'os-services',
  'os-hosts',
  'os-volume-manage',
  'os-snapshot-manage',
  'manageable_volumes',
  'manageable_snapshots',
  'clusters',
  'workers',
  'scheduler-stats',
  'capabilities',
  'extensions',
  'default-types',
  'resource_filters',
  'backups',
  'group_types',
  'groups',
  'group_snapshots',
  'consistencygroups',
  'cgsnapshots',
]);

/**
 * Negotiates the microversion from the first entry of the header that contains `volume`, so clients
 * may send `volumev3 3.27`. Upstream: set_api_version_request in cinder/api/openstack/wsgi.py.
 * @throws 406 for an unsupported version; 400 for a malformed one, or if no entry contains `volume`
 */
export const negotiateVolume: Step = (call) => {
  const words = versionWords(call);
  if (call.headers['openstack-api-version'] !== undefined && words?.length !== 2)
    throw badRequest('');
  call.version = requestedVersion(words && `volume ${words[1]}`, volumeVersions);
};

function versionWords({ headers }: LocatedRequest): readonly string[] | undefined {
  const sent = headers['openstack-api-version'];
  const header = Array.isArray(sent) ? sent.join(',') : sent;
  return header
    ?.split(',')
    .find((entry) => entry.includes('volume'))
    ?.trim()
    .split(/\s+/);
}

/** Returns the version that a request names. */
export const requestedVersionOf = (call: LocatedRequest): string | undefined =>
  versionWords(call)?.[1];

/**
 * Removes the project from a path such as `/v3/{project_id}/volumes`. The routes are the same with
 * and without it.
 */
export const extractProject: Step = (call) => {
  const match = /^\/v3\/([^/]+)(\/.*)$/.exec(call.path);
  if (call.path === '/v3/') call.path = '/v3';
  if (!match || collections.has(match[1]!)) return;
  (call as VolumeCall).projectInPath = match[1]!;
  call.path = `/v3${match[2]}`;
};

/** Checks that the project in the path is the caller's. @throws 400 */
export const checkProject: Step = (call) => {
  const { projectInPath } = call as VolumeCall;
  if (projectInPath !== undefined && projectInPath !== call.actor.projectId)
    throw badRequest('Malformed request url');
};

/**
 * Validates body and query against the contract. The name of an action is checked before its body.
 * @throws 400, 415
 */
export const checkContract: Step<RoutedRequest> = async (call) => {
  const { operation } = call;
  if (operation?.takesBody) {
    const type = mediaType(call);
    if (type !== undefined && type !== 'application/json')
      throw unsupportedMedia('Unsupported Content-Type');
    call.body = readJson(call.raw, volumeRefusals.malformed);
    requireAction(call, { several: true });
    await requireActionInSpan(call);
    const failure = await operation.checkBody(call.body);
    if (failure) throw volumeRefusals.body(failure);
  }
  const failure = operation?.checkQuery(call.query);
  if (failure) throw volumeRefusals.query(failure);
};
