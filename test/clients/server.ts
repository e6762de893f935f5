// Starts the emulator as its users do: a process of its own, on a free port, with an empty cloud in memory.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface Server {
  readonly authUrl: string;
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START = ['--import', 'tsx', 'src/main.ts', 'start', '--port', '0', '--database', 'memory:'];
const READY = /http:\/\/127\.0\.0\.1:\d+(?=\D)/;

/** The server that CUMULET_TEST_SERVER names, for instance a real OpenStack, or else a new one with these flags. */
export async function startServer(flags: readonly string[] = []): Promise<Server> {
  const given = process.env['CUMULET_TEST_SERVER'];
  if (given !== undefined && given !== '') return { authUrl: `${given}/identity/v3`, stop: async () => {} };
  const child = spawn(process.execPath, [...START, ...flags], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'exit');
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const url = await readyAt(child);
  return {
    authUrl: `${url}/identity/v3`,
    async stop() {
      child.kill('SIGTERM');
      await gone;
      process.off('exit', kill);
    },
  };
}

/** The address that the server prints once it can be asked. */
async function readyAt(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const listen = (data: Buffer) => {
      said += data.toString();
      const found = READY.exec(said);
      if (found === null) return;
      for (const stream of [child.stdout, child.stderr]) stream.off('data', listen).resume();
      resolve(found[0]);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${String(code)} before it was ready:\n${said}`)));
  });
}
