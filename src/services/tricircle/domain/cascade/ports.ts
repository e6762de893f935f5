// Carries the ports of servers to pods, and takes them back.
import { ApiError, unavailable } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listRecords, readRecord } from '../../clients/network.ts';
import { PodFailure } from '../../clients/pods.ts';
import type { Pod } from '../../model.ts';
import { Carrier } from './carrier.ts';
import { scheduleRetry } from './retries.ts';

/** Carries a port, and the floating IPs of one that is not new. @throws ApiError */
export async function carryPort(
  context: Context,
  pod: Pod,
  portId: string,
  { isNew }: { readonly isNew: boolean },
): Promise<string> {
  const carrier = new Carrier(context, pod);
  try {
    const id = await carrier.ensure({ type: 'port', id: portId });
    const floating = isNew
      ? []
      : await listRecords(context, 'centre', 'floatingip', [['port_id', portId]]);
    for (const address of floating) await carrier.ensure({ type: 'floatingip', id: address.id });
    return id;
  } catch (error) {
    if (!(error instanceof PodFailure)) throw error;
    context.cloud.log.warn({ err: error, pod: pod.regionName }, 'a port could not be carried');
    throw unavailable(`The pod ${pod.regionName} does not answer. Please try again later.`, {
      code: 'tricircle.pod_down',
    });
  }
}

/** Deletes a port from a pod, now or later. */
export async function discardPort(
  context: Context,
  pod: Pod,
  { id, projectId }: { readonly id: string; readonly projectId: string },
): Promise<void> {
  const reference = { type: 'port', id } as const;
  try {
    await new Carrier(context, pod).remove(reference, projectId);
  } catch (error) {
    if (!(error instanceof PodFailure || error instanceof ApiError)) throw error;
    context.cloud.log.warn({ err: error, pod: pod.regionName }, 'a port could not be taken back');
    await scheduleRetry(context, { ...reference, projectId, podId: pod.id });
  }
}

/** The device of a port in a pod; undefined if the port is not there. @throws PodFailure */
export async function deviceInPod(
  context: Context,
  pod: Pod,
  portId: string,
): Promise<string | undefined> {
  const id = await new Carrier(context, pod).find({ type: 'port', id: portId });
  const record = id === undefined ? undefined : await readRecord(context, pod, 'port', id);
  return record?.['device_id'] as string | undefined;
}
