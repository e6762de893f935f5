// The refusals of a request for a pod.
import { ApiError, badRequest } from '../../../../kernel/errors.ts';

/** The error for any failure to choose a pod, with the message of upstream's gateways. */
export const noPod = (): ApiError =>
  new ApiError(500, 'Pod not configured or scheduling failure', { code: 'tricircle.no_pod' });

/** What a tenant and an administrator can do about a server and a volume in different pods. */
const remedy =
  'A volume that is created with the scheduler hint local_to_instance is in the pod of that ' +
  'server. An administrator can move one of them with POST /tricircle/v1.0/migrations.';

/**
 * The error for a server and a volume, or other resources of one request, in different pods:
 * upstream's message, followed by where they are and what to do.
 * @param places such as `the server is in Pod1, the volume in Pod2`
 */
export const podsDiffer = (places: string): ApiError =>
  badRequest(`Server and volume not in the same pod: ${places}. ${remedy}`, {
    code: 'tricircle.pods_differ',
  });
