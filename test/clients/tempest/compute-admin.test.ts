// Tempest: what an administrator does in Compute, and what only one test at a time may do.
import { declareTempest } from './tempest.ts';

declareTempest('tempest.api.compute.admin', 'tempest.serial_tests');
