// The status of a port, which follows from its binding.
import { deviceOwners, isTrusted, type ResourceStatus } from '../../model.ts';

/**
 * Returns the status of a port. It is ACTIVE once the port is bound to a host; the ports of
 * Network's own devices need no host.
 */
export function portStatus(owner: string, host: string, up: boolean): ResourceStatus {
  if (owner === deviceOwners.floatingip) return 'N/A';
  return up && (host !== '' || isTrusted(owner)) ? 'ACTIVE' : 'DOWN';
}
