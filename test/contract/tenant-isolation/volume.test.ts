// Tests tenant isolation in Volume.
import { testTenantIsolation } from './tenant-isolation.ts';

testTenantIsolation('volume', {
  open: [
    'versions:choose',
    'versions:list',
    'volumes:list',
    'volumes:list_detail',
    'volumes:summarize',
    'snapshots:list',
    'snapshots:list_detail',
    'types:list',
    'types:show',
    'type_extra_specs:list',
    'attachments:list',
    'attachments:list_detail',
    'volume_transfers:list',
    'volume_transfers:list_detail',
    'os_volume_transfer:list',
    'os_volume_transfer:list_detail',
    'messages:list',
    'resource_filters:list',
    'limits:show',
    'availability_zones:list',
    'extensions:list',
    'extensions:show',
  ],
  forMembers: ['volumes:create', 'volume_transfers:accept', 'os_volume_transfer:accept'],
});
