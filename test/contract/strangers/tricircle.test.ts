// Strangers at Tricircle, which is for administrators.
import { triesStrangers } from './strangers.ts';

triesStrangers('tricircle', { open: ['versions:list', 'versions:show'] });
