// Services and hosts in replies.
import type { Micros } from '../../../kernel/clock.ts';
import type { VolumeCall } from '../call.ts';
import type { HostUsage } from '../domain/backend/hosts.ts';
import { zone, type ServiceState, type VolumeService } from '../model.ts';
import { timeView } from './times.ts';

/** A service. It is always up, so its last report is the time of the request. */
export function serviceView(
  { version, now }: VolumeCall,
  service: VolumeService,
  { disabled, disabledReason, frozen }: ServiceState,
): object {
  const hasBackend = service.binary === 'cinder-volume';
  return {
    binary: service.binary,
    host: service.host,
    zone,
    status: disabled ? 'disabled' : 'enabled',
    state: 'up',
    updated_at: timeView(now),
    disabled_reason: disabledReason,
    ...(hasBackend ? { replication_status: 'disabled', active_backend_id: null, frozen } : {}),
    ...(hasBackend ? version.since('3.49', { backend_state: 'up' }) : {}),
    ...version.since('3.7', { cluster: null }),
  };
}

/** A host in the list of hosts. It is always up, as services are. */
export const hostView = ({ host, binary }: VolumeService, now: Micros): object => ({
  host_name: host,
  service: binary,
  zone,
  'service-status': 'available',
  'service-state': 'enabled',
  'last-update': timeView(now),
});

/** The usage of a host, in total and by each project. */
export function hostUsageView(host: string, usage: readonly HostUsage[]): object[] {
  const total = (resource: 'volumes' | 'snapshots', field: 'count' | 'size'): number =>
    usage.reduce((sum, one) => sum + one[resource][field], 0);
  const sums = {
    projectId: '(total)',
    volumes: { count: total('volumes', 'count'), size: total('volumes', 'size') },
    snapshots: { count: total('snapshots', 'count'), size: total('snapshots', 'size') },
  };
  return [sums, ...usage].map(({ projectId, volumes, snapshots }) => ({
    resource: {
      host,
      project: projectId,
      volume_count: String(volumes.count),
      total_volume_gb: String(volumes.size),
      snapshot_count: String(snapshots.count),
      total_snapshot_gb: String(snapshots.size),
    },
  }));
}
