// Strangers at Placement.
import { triesStrangers } from './tenant-isolation.ts';

triesStrangers('placement', {
  open: ['versions:show'],
});
