// Tempest: servers.
import { declareTempest } from './tempest.ts';

declareTempest('tempest.api.compute.servers');
