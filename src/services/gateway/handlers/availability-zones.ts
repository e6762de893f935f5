// Handlers for availability zones, which are those of the pods.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import { bottomPods } from '../clients/tricircle.ts';

/**
 * Whether each zone is available, by name: it is, unless all of its pods are under maintenance.
 */
async function readZones(call: GatewayCall): Promise<[name: string, available: boolean][]> {
  const zones = new Map<string, boolean>();
  for (const { azName, isUnderMaintenance } of await bottomPods(call))
    zones.set(azName, zones.get(azName) === true || !isUnderMaintenance);
  return [...zones].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

async function listZones(call: GatewayCall, more: Json): Promise<Reply> {
  const zones = (await readZones(call)).map(([zoneName, available]) => ({
    zoneName,
    zoneState: { available },
    ...more,
  }));
  return ok({ availabilityZoneInfo: zones });
}

/** GET /os-availability-zone of Nova. Hosts belong to pods, so the detailed list shows none. */
export const listComputeZones = (call: GatewayCall): Promise<Reply> =>
  listZones(call, { hosts: null });

/** GET /os-availability-zone of Cinder. */
export const listVolumeZones = (call: GatewayCall): Promise<Reply> => listZones(call, {});
