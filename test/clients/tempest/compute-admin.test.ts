// Runs tempest's tests of Compute's admin operations, and its serial tests.
import { declareTempest } from './tempest.ts';

declareTempest('tempest.api.compute.admin', 'tempest.serial_tests');
