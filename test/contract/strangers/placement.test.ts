// Strangers at Placement.
import { triesStrangers } from './strangers.ts';

triesStrangers('placement', {
  open: ['versions:show'],
}); // prettier-ignore
