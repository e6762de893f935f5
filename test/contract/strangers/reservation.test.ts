// Strangers at Reservation.
import { triesStrangers } from './strangers.ts';

triesStrangers('reservation', {
  open: ['versions:show', 'versions:list', 'leases:list', 'floatingips:list', 'floatingips:show', 'availability:list', 'availability:find_next', 'availability:explain'],
  ofMembers: ['leases:create'],
}); // prettier-ignore
