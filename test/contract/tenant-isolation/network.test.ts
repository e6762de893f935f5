// Tests tenant isolation in Network.
import { testTenantIsolation } from './tenant-isolation.ts';

testTenantIsolation('network', {
  open: [
    'versions:list',
    'resources:list',
    'extensions:list',
    'extensions:show',
    'networks:list',
    'subnets:list',
    'subnetpools:list',
    'address_groups:list',
    'address_scopes:list',
    'rbac_policies:list',
    'qos_policies:list',
    'qos_rule_types:list',
    'ports:list',
    'trunks:list',
    'routers:list',
    'floatingips:list',
    'security_groups:list',
    'security_group_rules:list',
    'agents:list',
    'quotas:show_tenant',
    'quotas:show_project',
    'availability_zones:list',
    'service_providers:list',
    'network_ip_availabilities:list',
  ],
  forMembers: [
    'networks:create',
    'subnetpools:create',
    'address_groups:create',
    'address_scopes:create',
    'floatingips:create',
  ],
});
