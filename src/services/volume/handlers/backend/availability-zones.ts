// The handler of availability zones. Upstream: cinder/api/v3/availability_zones.py.
import { ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { backendsOf } from '../../domain/backend/backends.ts';
import { serviceStates } from '../../domain/backend/services.ts';
import { zone } from '../../model.ts';

/** GET /v3/os-availability-zone */
export async function list(call: VolumeCall): Promise<Reply> {
  const stateOf = await serviceStates(call);
  const available = backendsOf(call).some(({ service }) => !stateOf(service).disabled);
  return ok({ availabilityZoneInfo: [{ zoneName: zone, zoneState: { available } }] });
}
