// A volume type as a client sees it: most extra specs are for administrators.
import type { Metadata, VolumeType } from '../domain/records.ts';
import { allows } from '../handlers/requests.ts';
import type { VolumeCall } from '../call.ts';

const forAll = ['multiattach', 'RESKEY:availability_zones', 'replication_enabled'];

/** The extra specs that the caller may see. */
export function seenSpecs(call: VolumeCall, specs: Metadata): Metadata {
  if (allows(call, 'volume_extension:types_extra_specs:read_sensitive')) return specs;
  return Object.fromEntries(Object.entries(specs).filter(([name]) => forAll.includes(name)));
}

/** As making and changing answer with it. Upstream: cinder/api/views/types.py, which is older than the other. */
export const typeWritten = (type: VolumeType): object => ({
  id: type.id,
  name: type.name,
  is_public: type.isPublic,
  description: type.description,
  extra_specs: type.extraSpecs,
});

/** As showing and listing answer with it. */
export const typeView = (call: VolumeCall, type: VolumeType): object => ({
  id: type.id,
  name: type.name,
  is_public: type.isPublic,
  description: type.description,
  ...(allows(call, 'volume_extension:access_types_extra_specs') ? { extra_specs: seenSpecs(call, type.extraSpecs) } : {}),
  ...(allows(call, 'volume_extension:access_types_qos_specs_id') ? { qos_specs_id: type.qosSpecsId } : {}),
  ...typeAccess(call, type),
});

/** What all but changing add to it. */
export const typeAccess = (call: VolumeCall, type: VolumeType): object =>
  allows(call, 'volume_extension:volume_type_access') ? { 'os-volume-type-access:is_public': type.isPublic } : {};
