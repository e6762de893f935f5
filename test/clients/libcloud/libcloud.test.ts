// Runs `scenarios.py`, which uses Apache libcloud's OpenStack driver, against a started server.
import { readFileSync } from 'node:fs';
import { declare } from '../suites/declare.ts';

declare({
  title: 'libcloud',
  distribution: 'apache-libcloud',
  inside: 'libcloud.compute.drivers.openstack',
  packages: ['scenarios'],
  flags: [],
  async configure(origin) {
    const files = {
      'scenarios.py': readFileSync(new URL('scenarios.py', import.meta.url), 'utf8'),
    };
    return { files, environment: { CUMULET_AUTH_URL: `${origin}/identity` } };
  },
});
