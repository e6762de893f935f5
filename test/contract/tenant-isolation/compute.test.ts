// Strangers at Compute.
import { triesStrangers } from './tenant-isolation.ts';

triesStrangers('compute', {
  open: ['versions:list', 'versions:show_legacy_without_slash', 'versions:show_legacy', 'versions:show_without_slash', 'versions:show', 'extensions:list', 'extensions:show', 'server_groups:list', 'flavors:list', 'flavors:detail', 'flavors:show', 'flavor_extra_specs:list', 'flavor_extra_specs:show', 'availability_zones:list', 'quota_sets:defaults', 'servers:list', 'images:list', 'images:detail', 'images:show', 'security_groups:list', 'floating_ip_pools:list', 'floating_ips:list', 'networks:list', 'networks:show', 'tenant_networks:list', 'tenant_networks:show', 'volumes:list', 'volumes:detail', 'snapshots:list', 'snapshots:detail'],
  ofMembers: ['server_groups:create', 'servers:create', 'security_groups:create', 'floating_ips:create', 'volumes:create'],
}); // prettier-ignore
