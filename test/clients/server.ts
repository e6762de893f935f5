// Starts the emulator as its users do: a process of its own, on a free port, with an empty cloud in memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Server {
  readonly authUrl: string;
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START = ['--import', 'tsx', 'src/main.ts', 'start', '--port', '0', '--database', 'memory:'];
const READY = /http:\/\/127\.0\.0\.1:\d+/;

/** The server that CUMULET_TEST_SERVER names, for instance a real OpenStack, or else a new one. */
export async function startServer(): Promise<Server> {
  const given = process.env['CUMULET_TEST_SERVER'];
  if (given !== undefined && given !== '') return { authUrl: `${given}/identity/v3`, stop: async () => {} };
  const child = spawn(process.execPath, START, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'exit');
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    const listen = (data: Buffer) => {
      said += data.toString();
      const found = READY.exec(said);
      if (found !== null) resolve(found[0]);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${String(code)} before it was ready:\n${said}`)));
  });
  return {
    authUrl: `${url}/identity/v3`,
    async stop() {
      child.kill('SIGTERM');
      await gone;
      process.off('exit', kill);
    },
  };
}
