// The operations on a server that nodes and clusters offer.
import * as compute from '../../clients/compute.ts';
import { findImage } from '../../clients/image.ts';
import type { Json } from '../../model.ts';
import { DriverFailure, type Physical, type Progress } from './types.ts';
import { awaited, firstPoll } from './nova-waiting.ts';

interface Request {
  readonly body: Json;
  readonly version?: string;
  /**
   * The status that the operation ends in, where upstream waits for it, and Compute's name for how
   * long it takes.
   */
  readonly until?: string;
  readonly latency?: string;
}

const simple = (name: string): Request => ({ body: { [name]: null } });

/**
 * @returns undefined where there is nothing to ask.
 * @throws DriverFailure for an image that is not there
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
        until: 'ACTIVE',
        latency: 'server.reboot',
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
        until: 'ACTIVE',
        latency: 'server.rebuild',
      };
    }
    case 'change_password':
      return { body: { changePassword: { adminPass: parameters['admin_pass'] ?? '' } } };
    case 'start':
    case 'stop':
      return simple(`os-${operation}`);
    case 'rescue': {
      const image = parameters['image_ref'];
      // Upstream rescues by an image only.
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
  const { body, version, until, latency } = request;
  if (!memory['asked']) {
    await compute.actOnServer(context, node.physicalId!, body, version);
    if (until === undefined) return { changes: {} };
    memory['asked'] = true;
    return { nextCheckAt: firstPoll(physical, latency!) };
  }
  const failure = `Failed in ${operation} server '${node.physicalId}'`;
  return (await awaited(physical, until!, failure)) ?? { changes: {} };
}
