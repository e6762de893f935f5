// Runs the tests of the API by which tempest's plugin tests Network.
import { declarePlugin } from './tempest.ts';

declarePlugin('neutron', 'api');
