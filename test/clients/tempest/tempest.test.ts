// Tempest, OpenStack's own integration tests, against a started server: every module of `tempest.yaml` is a test.
import { prepare } from './prepare.ts';
import { declareSuite } from './suite.ts';

declareSuite('tempest', 'tempest.yaml', prepare);
