// The handlers of hosts, where services run, and their usage by each project. Upstream:
// cinder/api/contrib/hosts.py.
import { ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { backendAt } from '../../domain/backend/backends.ts';
import { hostUsage } from '../../domain/backend/hosts.ts';
import { zone } from '../../model.ts';
import { serviceFor, serviceStates, servicesOf } from '../../domain/backend/services.ts';
import { authorize } from '../../policy.ts';
import { hostUsageView, hostView } from '../../views/services.ts';

const rule = 'volume_extension:hosts';

/** GET /v3/os-hosts. Lists the hosts of enabled services. */
export async function list(call: VolumeCall): Promise<Reply> {
  authorize(call, rule);
  const stateOf = await serviceStates(call);
  const zoneFilter = call.query.last('zone') || zone;
  const enabled = servicesOf(call).filter(
    (service) => !stateOf(service).disabled && zoneFilter === zone,
  );
  return ok({ hosts: enabled.map((service) => hostView(service, call.now)) });
}

/** GET /v3/os-hosts/{host_name} */
export async function show(call: VolumeCall): Promise<Reply> {
  authorize(call, rule);
  const host = call.params['host_name']!;
  const service = serviceFor(call, 'cinder-volume', host);
  const { pool } = backendAt(call, service.host)!;
  return ok({ host: hostUsageView(host, await hostUsage(call, pool)) });
}
