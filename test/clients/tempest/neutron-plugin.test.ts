// Runs the tests of the API by which tempest's plugin tests Network.
import { prepareNetwork } from './prepare.ts';
import { declarePlugin } from './tempest.ts';

declarePlugin('neutron', ['api'], {
  exceptions: [new URL('neutron-exceptions.yaml', import.meta.url)],
  prepare: prepareNetwork,
});
