// All hosts of a region as one picture: a cell each, filled by what is in use.
import type { Hypervisor } from '../../core/compute.ts';
import { hrefOf } from '../../core/router.ts';
import { compact, counted } from '../../parts/text.ts';

/** The share of a host that is in use: of its memory or its disk, whichever is larger. */
const shareOf = ({ memory_mb, memory_mb_used, local_gb, local_gb_used }: Hypervisor): number =>
  Math.min(1, Math.max(memory_mb_used / (memory_mb || 1), local_gb_used / (local_gb || 1)));

const isDown = ({ state, status }: Hypervisor): boolean => state !== 'up' || status !== 'enabled';

const titleOf = (host: Hypervisor): string =>
  `${host.hypervisor_hostname}: ${counted(host.running_vms, 'server')}, ` +
  `${compact(host.vcpus_used)} of ${host.vcpus} vCPUs, ` +
  `${compact(host.memory_mb_used)} of ${compact(host.memory_mb)} MB` +
  (isDown(host) ? `, ${host.state}, ${host.status}` : '');

/** From this number on, the cells are small and have no names. */
const manyFrom = 40;

export function HostGrid({ hosts }: { readonly hosts: readonly Hypervisor[] }) {
  const isMany = hosts.length >= manyFrom;
  return (
    <div class={`hosts-grid ${isMany ? 'many' : ''}`}>
      {hosts.map((host) => (
        <a
          key={host.id}
          class={`host-cell ${isDown(host) ? 'down' : ''}`}
          href={hrefOf('hosts', { host: host.hypervisor_hostname })}
          title={titleOf(host)}
          aria-label={isMany ? titleOf(host) : undefined}
        >
          <span class="level" style={{ height: `${Math.round(shareOf(host) * 100)}%` }} />
          {!isMany && (
            <span class="label">
              <strong>{host.hypervisor_hostname}</strong>
              <span>{counted(host.running_vms, 'server')}</span>
            </span>
          )}
        </a>
      ))}
    </div>
  );
}
