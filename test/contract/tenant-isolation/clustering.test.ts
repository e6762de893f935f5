// Tests tenant isolation in Clustering.
import { testTenantIsolation } from './tenant-isolation.ts';

testTenantIsolation('clustering', {
  open: [
    'versions:choose',
    'versions:list',
    'versions:show',
    'versions:show_root',
    'build_info:show',
    'profile_types:list',
    'profile_types:show',
    'profile_types:list_operations',
    'policy_types:list',
    'policy_types:show',
    'profiles:list',
    'profiles:create',
    'profiles:validate',
    'policies:list',
    'policies:create',
    'policies:validate',
    'clusters:list',
    'nodes:list',
    'actions:list',
    'receivers:list',
    'webhooks:trigger',
    'events:list',
  ],
});
