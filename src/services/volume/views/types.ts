// Volume types in replies. Only administrators see most extra specs.
import type { Metadata, VolumeType } from '../model.ts';
import { may } from '../policy.ts';
import type { VolumeCall } from '../call.ts';

/** The extra specs that all callers see. Upstream: USER_VISIBLE_EXTRA_SPECS in extra_specs.py. */
const visibleToAll = ['multiattach', 'RESKEY:availability_zones', 'replication_enabled'];

/** Returns the extra specs that the caller may see. */
export function visibleSpecs(call: VolumeCall, specs: Metadata): Metadata {
  if (may(call, 'volume_extension:types_extra_specs:read_sensitive')) return specs;
  return Object.fromEntries(Object.entries(specs).filter(([name]) => visibleToAll.includes(name)));
}

/** The form in replies to POST and PUT. Upstream: cinder/api/views/types.py. */
export const typeWritten = (type: VolumeType): object => ({
  id: type.id,
  name: type.name,
  is_public: type.isPublic,
  description: type.description,
  extra_specs: type.extraSpecs,
});

/** The form in replies to GET. Upstream: cinder/api/v3/views/types.py. */
export const typeView = (call: VolumeCall, type: VolumeType): object => ({
  id: type.id,
  name: type.name,
  is_public: type.isPublic,
  description: type.description,
  ...(may(call, 'volume_extension:access_types_extra_specs')
    ? { extra_specs: visibleSpecs(call, type.extraSpecs) }
    : {}),
  ...(may(call, 'volume_extension:access_types_qos_specs_id')
    ? { qos_specs_id: type.qosSpecsId }
    : {}),
  ...typeAccess(call, type),
});

/** The field that all replies have, except those to PUT. */
export const typeAccess = (call: VolumeCall, type: VolumeType): object =>
  may(call, 'volume_extension:volume_type_access')
    ? { 'os-volume-type-access:is_public': type.isPublic }
    : {};
