// Starts the `openstack` command once for all pages: see forking_client.py.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const python = '/usr/bin/python3';
const program = fileURLToPath(new URL('forking_client.py', import.meta.url));

export interface ForkingClient {
  /** The command line that runs `openstack`, without its arguments. */
  readonly command: string;
  stop(): void;
}

/** @throws Error with the server's output if it ends before it is ready */
export async function startForkingClient(): Promise<ForkingClient> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-client-'));
  const path = join(folder, 'socket');
  const child = spawn(python, [program, 'serve', path], { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdout.once('data', () => resolve());
    child.once('exit', () => reject(new Error(`The client's server ended: ${output}`)));
  });
  return {
    command: `${python} -S -E '${program}' run '${path}'`,
    stop: () => {
      process.off('exit', kill);
      child.removeAllListeners('exit');
      kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
