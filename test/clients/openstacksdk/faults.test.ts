// Runs `faults.py`, which tests how openstacksdk handles injected faults, against a started server.
import { readFileSync } from 'node:fs';
import { clientEnvironment } from '../../../src/emulator/client-configuration/configuration.ts';
import { defaultPassword } from '../../../src/kernel/settings.ts';
import { declare } from '../suites/declare.ts';

declare({
  title: 'openstacksdk and faults',
  distribution: 'openstacksdk',
  inside: 'openstack',
  packages: ['faults'],
  flags: [],
  async configure(origin) {
    const files = { 'faults.py': readFileSync(new URL('faults.py', import.meta.url), 'utf8') };
    const passwords = { admin: defaultPassword, demo: defaultPassword };
    const { variables } = clientEnvironment({
      origin,
      regions: ['RegionOne'],
      signIn: { kind: 'password', passwords },
    });
    return { files, environment: { ...variables, CUMULET_URL: origin } };
  },
});
