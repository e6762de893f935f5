// Runs the tests of the API by which tempest's plugin tests Identity. Those of its policy are left
// out: in Debian's release, they expect what Keystone allowed in 2021.
import { declarePlugin } from './tempest.ts';

declarePlugin('keystone', ['tests.api']);
