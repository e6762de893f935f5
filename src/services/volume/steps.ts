// Volume's order of refusals: token, version, path, the project in the path, body, and only then policy, which the handlers ask.
import { badRequest, unsupportedMedia } from '../../kernel/fault.ts';
import { mediaType, readJson } from '../../kernel/http/steps.ts';
import { volumeRefusals } from './faults.ts';
import type { Step } from '../../kernel/model.ts';
import type { VolumeCall } from './call.ts';

/** What follows `/v3` where no project does. */
const collections = new Set([
  'volumes', 'snapshots', 'types', 'attachments', 'os-quota-sets', 'limits', 'os-availability-zone', 'os-quota-class-sets', 'qos-specs',
  'volume-transfers', 'os-volume-transfer', 'messages', 'os-services', 'os-hosts', 'scheduler-stats', 'capabilities', 'extensions',
]); // prettier-ignore

/** Takes the project out of `/v3/{project_id}/volumes`: the rest is the same with and without it. */
export const takeProject: Step = (call) => {
  const match = /^\/v3\/([^/]+)(\/.*)$/.exec(call.path);
  if (call.path === '/v3/') call.path = '/v3';
  if (!match || collections.has(match[1]!)) return;
  (call as VolumeCall).projectInPath = match[1]!;
  call.path = `/v3${match[2]}`;
};

/** The project of the path must be the caller's. @throws 400 */
export const checkProject: Step = (call) => {
  const { projectInPath } = call as VolumeCall;
  if (projectInPath !== undefined && projectInPath !== call.caller?.projectId) throw badRequest('Malformed request url');
};

/** Holds body and query against the contract. Of an action, its name is looked at first. */
export const checkContract: Step = async (call) => {
  const { operation } = call;
  if (operation?.takesBody) {
    const type = mediaType(call);
    if (type !== undefined && type !== 'application/json') throw unsupportedMedia('Unsupported Content-Type');
    call.body = readJson(call.raw, volumeRefusals.malformed);
    const { actionNames } = (call as VolumeCall).route;
    if (actionNames) checkAction(call.body, actionNames);
    const failure = await operation.checkBody(call.body);
    if (failure) throw volumeRefusals.body(failure);
  }
  const failure = operation?.checkQuery(call.query);
  if (failure) throw volumeRefusals.query(failure);
};

function checkAction(body: unknown, actions: readonly string[]): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw badRequest('Malformed request body');
  const [name] = Object.keys(body);
  if (name === undefined) throw badRequest('Malformed request body');
  if (!actions.includes(name)) throw badRequest(`There is no such action: ${name}`);
}
