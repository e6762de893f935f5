// Strangers at Tricircle, which is for administrators.
import { triesStrangers } from './tenant-isolation.ts';

triesStrangers('tricircle', { open: ['versions:list', 'versions:show'] });
