// Apache libcloud's OpenStack driver against a started server: the stories of `stories.py`.
import { readFileSync } from 'node:fs';
import { declare } from '../suites/declare.ts';

declare({
  title: 'libcloud',
  distribution: 'apache-libcloud',
  inside: 'libcloud.compute.drivers.openstack',
  packages: ['stories'],
  flags: [],
  async configure(origin) {
    const files = { 'stories.py': readFileSync(new URL('stories.py', import.meta.url), 'utf8') };
    return { files, environment: { CUMULET_AUTH_URL: `${origin}/identity` } };
  },
});
