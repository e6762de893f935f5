// Handlers for volume types: the central region's volume types are copied to all pods by name.
import type { GatewayCall, Handler } from '../call.ts';
import { readVolumeType, requestFromCentre, type VolumeType } from '../clients/centre.ts';
import { isSuccess, successBody } from '../clients/message.ts';
import { volumeTypeStep } from '../domain/plan.ts';
import { carryOutInPods, inEveryPod } from '../domain/replication.ts';
import { pathBelowVersion } from '../clients/routed-resources.ts';
import { writeTypeInPod } from '../domain/volumes.ts';
import { replyOf } from '../views/replies.ts';

/** POST /types */
export const create: Handler = async (call) => {
  const reply = await requestFromCentre(call);
  const type = successBody(reply)?.['volume_type'] as VolumeType | undefined;
  if (type) await copyToPods(call, type.id);
  return replyOf(reply);
};

/** Writes to a volume type: in the central region by its id, in a pod by its name. */
export const write: Handler = async (call) => {
  const id = call.params['type_id']!;
  const type = await readVolumeType(call, id);
  const reply = await requestFromCentre(call);
  if (!type || !isSuccess(reply)) return replyOf(reply);
  if (pathBelowVersion(call).startsWith(`/types/${id}/extra_specs`))
    await copyToPods(call, type.fields.id);
  else await inEveryPod(call, (pod) => writeTypeInPod(call, pod, { id, name: type.fields.name }));
  return replyOf(reply);
};

const copyToPods = (call: GatewayCall, id: string): Promise<void> =>
  carryOutInPods(call, async () => {
    const type = await readVolumeType(call, id);
    return type ? [volumeTypeStep(type)] : [];
  });
