// Runs tempest's tests of Block Storage, and the scenarios that need no guest.
import { declareTempest } from './tempest.ts';

declareTempest('tempest.api.volume', 'tempest.scenario');
