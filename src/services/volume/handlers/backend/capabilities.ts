// The handler of capabilities, which describes the backend. Upstream:
// cinder/api/contrib/capabilities.py.
import { notFound } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { driverCapabilities } from '../../domain/backend/scheduling.ts';
import { isHost, volumeService } from '../../domain/backend/services.ts';
import { defaultTypeName } from '../../model.ts';
import { authorize } from '../../policy.ts';

const property = (title: string, description: string): object => ({
  title,
  description,
  type: 'boolean',
});

/** GET /v3/capabilities/{hostname} */
export function show(call: VolumeCall): Reply {
  authorize(call, 'volume_extension:capabilities');
  const name = call.params['hostname']!;
  if (!isHost(volumeService.host, name)) throw notFound(`Can't find service: ${name}`);
  return ok({
    namespace: `OS::Storage::Capabilities::${volumeService.host}`,
    vendor_name: driverCapabilities['vendor_name'],
    volume_backend_name: defaultTypeName,
    pool_name: null,
    driver_version: driverCapabilities['driver_version'],
    storage_protocol: driverCapabilities['storage_protocol'],
    display_name: null,
    description: null,
    visibility: null,
    replication_targets: [],
    properties: {
      thin_provisioning: property('Thin Provisioning', 'Sets thin provisioning.'),
      compression: property('Compression', 'Enables compression.'),
      qos: property('QoS', 'Enables QoS.'),
      replication_enabled: property('Replication', 'Enables replication.'),
    },
  });
}
