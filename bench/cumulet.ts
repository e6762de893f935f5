// Starts the compiled Cumulet for the benchmarks: with the given number of processes, and without
// Keystone.
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface Peer {
  readonly name: string;
  readonly origin: string;
  readonly version: string;
  /**
   * False if a process serves one connection until the client closes it, so that kept-alive
   * connections would wait for each other.
   */
  readonly keepsConnections?: boolean;
  /** The process that serves requests, if there is only one. */
  readonly pid?: number | undefined;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..');

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/**
 * Starts the compiled Cumulet; the origin is that of Placement.
 * @param folder the checkout whose build it is, by default this one
 * @param nodeFlags flags of Node
 */
export async function startCumulet(
  mysql: string,
  database: string,
  processes: number,
  more: readonly string[] = [],
  folder = root,
  nodeFlags: readonly string[] = [],
): Promise<Peer> {
  const port = await freePort();
  const flags = [
    '--port',
    String(port),
    '--workers',
    String(processes),
    '--database',
    new URL(`/${database}`, mysql).href,
    '--auth',
    'noauth2',
    '--log-level',
    'error',
    ...more,
  ];
  const child = spawn(
    process.execPath,
    ['--max-semi-space-size=32', ...nodeFlags, join(folder, 'dist/main.js'), ...flags],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await new Promise<void>((resolve) =>
    child.stdout.on(
      'data',
      (chunk: Buffer) => chunk.toString().includes('listens at') && resolve(),
    ),
  );
  return {
    name: 'Cumulet',
    origin: `http://127.0.0.1:${port}/placement`,
    version: 'this checkout',
    pid: processes === 1 ? child.pid : undefined,
    stop: () => end(child, 'SIGTERM'),
  };
}

export function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
