// Runs the operations of os.nova.server profiles on the server of a node.
import * as compute from '../../clients/compute.ts';
import { findImage } from '../../clients/image.ts';
import type { Json } from '../../model.ts';
import { firstPoll, pollForStatus } from './nova-polling.ts';
import { DriverFailure, type Physical, type Progress } from './types.ts';

/** An action on a server. */
interface Request {
  readonly body: Json;
  readonly version?: string;
  /** The status to wait for, if upstream waits, and Compute's name for the latency. */
  readonly until?: { readonly status: string; readonly latency: string };
}

const simple = (name: string): Request => ({ body: { [name]: null } });

/**
 * @returns undefined if the operation needs no request
 * @throws DriverFailure for an unknown image
 */
async function requestFor(
  { context, properties }: Physical,
  operation: string,
  parameters: Json,
): Promise<Request | undefined> {
  switch (operation) {
    case 'reboot':
      return {
        body: { reboot: { type: parameters['type'] ?? 'SOFT' } },
        until: { status: 'ACTIVE', latency: 'server.reboot' },
      };
    case 'rebuild': {
      const image = properties['image']
        ? await findImage(context, properties['image'] as string)
        : undefined;
      if (!image)
        throw new DriverFailure(
          'Failed in rebuilding server: the image of the profile could not be found.',
        );
      return {
        body: { rebuild: { imageRef: image.id } },
        until: { status: 'ACTIVE', latency: 'server.rebuild' },
      };
    }
    case 'change_password':
      return { body: { changePassword: { adminPass: parameters['admin_pass'] ?? '' } } };
    case 'start':
    case 'stop':
      return simple(`os-${operation}`);
    case 'rescue': {
      const image = parameters['image_ref'];
      // Upstream rescues a server only if there is an image.
      return image ? { body: { rescue: { rescue_image_ref: image } } } : undefined;
    }
    case 'evacuate': {
      const { host, force } = parameters;
      return {
        body: { evacuate: { ...(host ? { host } : {}), ...(force ? { force } : {}) } },
        version: '2.29',
      };
    }
    default:
      return simple(operation);
  }
}

export async function operate(
  physical: Physical,
  operation: string,
  parameters: Json,
): Promise<Progress> {
  const { context, node, memory } = physical;
  const request = await requestFor(physical, operation, parameters);
  if (!request) return { changes: {} };
  const { body, version, until } = request;
  const isRequested = Boolean(memory['asked']);
  if (!isRequested) await compute.actOnServer(context, node.physicalId!, body, version);
  if (!until) return { changes: {} };
  if (!isRequested)
    return firstPoll({ ...physical, memory: { ...memory, asked: true } }, until.latency);
  const failure = `Failed in ${operation} server '${node.physicalId}'`;
  return (await pollForStatus(physical, until.status, failure)) ?? { changes: {} };
}
