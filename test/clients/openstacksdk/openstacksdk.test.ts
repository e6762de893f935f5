// Runs the functional tests of openstacksdk against a started server, with the same clouds.yaml as
// on DevStack.
import { declare } from '../suites/declare.ts';
import { prepare } from './prepare.ts';

const services = [
  'block_storage.v3',
  'compute',
  'identity',
  'image',
  'network',
  'placement',
  'clustering',
];

declare({
  title: 'openstacksdk',
  distribution: 'openstacksdk',
  inside: 'openstack.tests.functional',
  packages: ['cloud', ...services].map((name) => `openstack.tests.functional.${name}`),
  exceptions: [new URL('exceptions.yaml', import.meta.url)],
  flags: [],
  configure: prepare,
});
