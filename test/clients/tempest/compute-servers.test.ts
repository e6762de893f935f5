// Runs tempest's tests of servers.
import { declareTempest } from './tempest.ts';

declareTempest('tempest.api.compute.servers');
