// The quotas of the volumes that a pod makes for a new server from images, snapshots or nothing.
import { ApiError, forbidden } from '../../../kernel/errors.ts';
import type { GatewayCall, Json } from '../call.ts';
import { showInPod } from '../clients/routed-resources.ts';
import type { Pod } from '../clients/tricircle.ts';
import { defaultType, type VolumeDemand } from '../clients/volume.ts';
import { newVolumesOfServer } from './references.ts';
import { withinVolumeQuota } from './volume-quotas.ts';

/**
 * Runs the creation of servers if the quotas allow their new volumes. In a pod, Nova would notice
 * that later, and set the server to ERROR.
 * @throws 403 with Cinder's message
 */
export async function withinBootVolumeQuota<Result>(
  call: GatewayCall,
  pod: Pod,
  { server, count }: { readonly server: Json; readonly count: number },
  run: () => Promise<Result>,
): Promise<Result> {
  const demands = await demandsOf(call, pod, server, count);
  const runWithin = demands.reduceRight<() => Promise<Result>>(
    (inner, demand) => () => withinVolumeQuota(call, demand, inner),
    run,
  );
  try {
    return await runWithin();
  } catch (error) {
    throw error instanceof ApiError && error.status === 413 ? forbidden(error.message) : error;
  }
}

/** What the new volumes of servers add to the usage, for each volume type. */
async function demandsOf(
  call: GatewayCall,
  pod: Pod,
  server: Json,
  count: number,
): Promise<VolumeDemand[]> {
  const projectId = call.caller?.projectId ?? '';
  const demands = new Map<string, VolumeDemand>();
  for (const device of newVolumesOfServer(server)) {
    const { volume_type: type, volume_size: size } = device;
    const typeName = typeof type === 'string' ? type : (await defaultType(call)).name;
    const gigabytes = Number(size ?? (await sizeOfSource(call, pod, device)));
    const before = demands.get(typeName);
    demands.set(typeName, {
      projectId,
      typeName,
      volumes: (before?.volumes ?? 0) + count,
      gigabytes: (before?.gigabytes ?? 0) + count * gigabytes,
      volumeSize: Math.max(before?.volumeSize ?? 0, gigabytes),
    });
  }
  return [...demands.values()];
}

/** The size of the snapshot that a volume is made from; 0 for an image, which has no default. */
async function sizeOfSource(
  call: GatewayCall,
  pod: Pod,
  { source_type: source, uuid }: Json,
): Promise<number> {
  const snapshot =
    source === 'snapshot' && typeof uuid === 'string'
      ? await showInPod(call, pod, 'snapshot', uuid)
      : undefined;
  return Number(snapshot?.['size'] ?? 0);
}
