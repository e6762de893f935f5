// The handler of capabilities, which describes a backend. Upstream:
// cinder/api/contrib/capabilities.py.
import { notFound } from '../../../../kernel/errors.ts';
import { ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { driverCapabilities } from '../../domain/backend/scheduling.ts';
import { backendsOf } from '../../domain/backend/backends.ts';
import { isHost } from '../../domain/backend/services.ts';
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
  const backend = backendsOf(call).find(({ service }) => isHost(service.host, name));
  if (!backend) throw notFound(`Can't find service: ${name}`);
  return ok({
    namespace: `OS::Storage::Capabilities::${backend.service.host}`,
    ...driverCapabilities,
    volume_backend_name: backend.name,
    pool_name: null,
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
