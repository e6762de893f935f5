// Tests tenant isolation in Reservation.
import { testTenantIsolation } from './tenant-isolation.ts';

testTenantIsolation('reservation', {
  open: [
    'versions:show',
    'versions:list',
    'leases:list',
    'floatingips:list',
    'floatingips:show',
    'availability:list',
    'availability:find_next',
    'availability:explain',
  ],
  forMembers: ['leases:create'],
});
