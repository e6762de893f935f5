// Tempest: Block Storage, and the scenarios that need no guest.
import { declareTempest } from './tempest.ts';

declareTempest('tempest.api.volume', 'tempest.scenario');
