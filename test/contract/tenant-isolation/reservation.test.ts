// Strangers at Reservation.
import { triesStrangers } from './tenant-isolation.ts';

triesStrangers('reservation', {
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
  ofMembers: ['leases:create'],
});
