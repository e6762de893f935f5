// Transfers of volumes to other projects. The volume stays in its pod, where both projects find it.
import type { GatewayCall, Json } from '../call.ts';
import { isSuccess, successBody, type ServiceReply } from '../clients/message.ts';
import { requestFromPod } from '../clients/pods.ts';
import { removeRoutingIfGone } from '../clients/routed-resources.ts';
import { assignRouting, type Pod, type ResourceType } from '../clients/tricircle.ts';
import type { VolumeDemand } from '../clients/volume.ts';
import { withinVolumeQuota } from './volume-quotas.ts';

/** A volume that is offered, with the snapshots that go with it. */
interface Offer {
  readonly volume: Json;
  readonly snapshots: readonly Json[];
}

/**
 * Accepts a transfer in a pod for the caller's project, if its quotas allow it.
 *
 * The caller's project is given the transfer's routing first, so that its lists include the pod. If
 * the process dies after the pod has accepted, they therefore show the volume.
 * @throws 413
 */
export async function acceptTransfer(
  call: GatewayCall,
  pod: Pod,
  id: string,
): Promise<ServiceReply> {
  const projectId = call.caller!.projectId!;
  const offer = await readOffer(call, pod, id);
  if (!offer) return requestFromPod(call, pod);
  const { volume, snapshots } = offer;
  const assign = (resourceType: ResourceType, topId: unknown, owner: unknown): Promise<void> =>
    assignRouting(call, { resourceType, topId: String(topId) }, String(owner));
  return withinVolumeQuota(call, demandOf(projectId, offer), async () => {
    await assign('transfer', id, projectId);
    const reply = await requestFromPod(call, pod);
    if (!isSuccess(reply)) {
      await assign('transfer', id, volume['os-vol-tenant-attr:tenant_id']);
      return reply;
    }
    await assign('volume', volume['id'], projectId);
    for (const snapshot of snapshots) await assign('snapshot', snapshot['id'], projectId);
    await removeRoutingIfGone(call, pod, 'transfer', id);
    return reply;
  });
}

/** Reads what a transfer offers; undefined if the pod does not have the transfer. */
async function readOffer(call: GatewayCall, pod: Pod, id: string): Promise<Offer | undefined> {
  const read = async (path: string, query = ''): Promise<Json | undefined> =>
    successBody(
      await requestFromPod(call, pod, {
        method: 'GET',
        path,
        query,
        version: 'volume 3.55',
        asAdmin: true,
      }),
    );
  const transfer = (await read(`/volume-transfers/${encodeURIComponent(id)}`))?.['transfer'] as
    { readonly volume_id: string; readonly no_snapshots: boolean } | undefined;
  const volume = transfer && (await read(`/volumes/${transfer.volume_id}`))?.['volume'];
  if (!volume) return undefined;
  const query = `all_tenants=1&volume_id=${transfer.volume_id}`;
  const listed = transfer.no_snapshots ? undefined : await read('/snapshots/detail', query);
  return { volume: volume as Json, snapshots: (listed?.['snapshots'] ?? []) as Json[] };
}

/** What an accepted offer adds to the usage of a project. */
const demandOf = (projectId: string, { volume, snapshots }: Offer): VolumeDemand => ({
  projectId,
  typeName: String(volume['volume_type']),
  volumes: 1,
  snapshots: snapshots.length,
  gigabytes: [volume, ...snapshots].reduce((sum, { size }) => sum + Number(size), 0),
});
