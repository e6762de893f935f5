// Runs `tenant.py`: a tenant uses the central region with openstacksdk.
import { readFileSync } from 'node:fs';
import { declare } from '../suites/declare.ts';
import { tenantEnvironment } from './tenant.ts';

declare({
  title: 'openstacksdk in the central region',
  distribution: 'openstacksdk',
  inside: 'openstack',
  packages: ['tenant'],
  flags: ['--profile', 'six-pods'],
  async configure(origin) {
    const files = { 'tenant.py': readFileSync(new URL('tenant.py', import.meta.url), 'utf8') };
    return { files, environment: { ...tenantEnvironment(origin), CUMULET_URL: origin } };
  },
});
