// Hosts: where services run, and what each project has there. Upstream: cinder/api/contrib/hosts.py.
import { ok } from '../../../kernel/http/reply.ts';
import { backend, zone } from '../domain/records.ts';
import { serviceFor, services, statesOf } from '../domain/services.ts';
import { sumsByProject } from '../store/quotas.ts';
import { timeView } from '../views/times.ts';
import { allow } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const rule = 'volume_extension:hosts';

/** GET /v3/os-hosts: those that are enabled */
export async function list(call: VolumeCall): Promise<Reply> {
  allow(call, rule);
  const stateOf = await statesOf(call.db);
  const asked = call.query.last('zone');
  const shown = services.filter((service) => !stateOf(service).disabled && (!asked || asked === zone));
  return ok({
    hosts: shown.map(({ host, binary }) => ({
      host_name: host,
      service: binary,
      zone,
      'service-status': 'available',
      'service-state': 'enabled',
      'last-update': timeView(call.now),
    })),
  });
}

/** GET /v3/os-hosts/{host_name} */
export async function show(call: VolumeCall): Promise<Reply> {
  allow(call, rule);
  const host = call.params['host_name']!;
  serviceFor('cinder-volume', host);
  const volumes = await sumsByProject(call.db, 'volume_volumes', backend);
  const snapshots = await sumsByProject(call.db, 'volume_snapshots', backend);
  const total = (sums: typeof volumes, what: 'count' | 'size'): number => sums.reduce((sum, one) => sum + one[what], 0);
  const resource = (project: string, own: typeof volumes, ownSnapshots: typeof volumes): object => ({
    resource: {
      host,
      project,
      volume_count: String(total(own, 'count')),
      total_volume_gb: String(total(own, 'size')),
      snapshot_count: String(total(ownSnapshots, 'count')),
      total_snapshot_gb: String(total(ownSnapshots, 'size')),
    },
  });
  const of = (sums: typeof volumes, id: string): typeof volumes => sums.filter(({ projectId }) => projectId === id);
  const each = volumes.map(({ projectId }) => resource(projectId, of(volumes, projectId), of(snapshots, projectId)));
  const shared = snapshots.filter(({ projectId }) => volumes.some((one) => one.projectId === projectId));
  return ok({ host: [resource('(total)', volumes, shared), ...each] });
}
