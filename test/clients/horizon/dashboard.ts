// Starts Debian's Horizon (the package openstack-dashboard) on top of an emulator.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
  const child = spawn(python, ['-W', 'ignore', `${here}serve.py`], {
    env: {
      ...process.env,
      PYTHONDONTWRITEBYTECODE: '1',
      DJANGO_SETTINGS_MODULE: 'horizon_settings',
      KEYSTONE_URL: keystoneUrl,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  let output = '';
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-100_000));
  child.stderr.on('data', keep);
  const ended = new Promise<unknown>((resolve) => child.once('exit', resolve));
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      keep(chunk);
      const found = /listens at (\S+)\n/.exec(output);
      if (found) resolve(found[1]!);
    });
    void ended.then((code) => reject(new Error(`Horizon ended with ${String(code)}: ${output}`)));
  });
  return {
    origin,
    errors: () => {
      const lines = output.split('\n').filter((line) => /^ERROR|Recoverable error/.test(line));
      return lines.slice(-10).join('\n');
    },
    stop: () => {
      process.off('exit', kill);
      child.kill('SIGTERM');
      return ended;
    },
  };
}
