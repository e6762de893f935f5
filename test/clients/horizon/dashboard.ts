// Starts Debian's Horizon (the package openstack-dashboard) on top of an emulator.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startServer } from '../../support/processes.ts';

export interface Dashboard {
  readonly origin: string;
  /** The latest errors in its log. */
  errors(): string;
  stop(): Promise<unknown>;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const python = '/usr/bin/python3';

/** Whether Horizon is installed: `apt-get install openstack-dashboard`. */
export const hasDashboard = (): boolean =>
  spawnSync(python, ['-c', 'import openstack_dashboard']).status === 0;

/**
 * Starts Horizon for the Keystone at an address.
 * @throws Error with its output if it exits before it listens
 */
export async function startDashboard(keystoneUrl: string): Promise<Dashboard> {
  const server = await startServer('Horizon', [python, '-W', 'ignore', `${here}serve.py`], {
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      DJANGO_SETTINGS_MODULE: 'horizon_settings',
      KEYSTONE_URL: keystoneUrl,
    },
  });
  return {
    origin: server.origin,
    errors: () => {
      const lines = server
        .output()
        .split('\n')
        .filter((line) => /^ERROR|Recoverable error/.test(line));
      return lines.slice(-10).join('\n');
    },
    stop: () => server.stop(),
  };
}
