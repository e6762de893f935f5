// Runs tempest's tests of Identity, Image and Network.
import { declareTempest } from './tempest.ts';

declareTempest('tempest.api.identity', 'tempest.api.image', 'tempest.api.network');
