// Several processes on one port that share one MySQL. A worker that dies is replaced; a stop lets all of them finish.
import cluster, { type Worker } from 'node:cluster';
import type { Config } from './kernel/settings.ts';

/** Where an emulator listens. */
export interface Addresses {
  /** `http://host:port` of the port with all services. */
  readonly origin: string;
  /** The ports of single services. */
  readonly alone: readonly Alone[];
}

/** A service at the root of a port of its own. */
export interface Alone {
  readonly service: string;
  readonly origin: string;
}

/** A worker's message to the primary process, once it listens. */
interface Listening {
  readonly listening: Addresses;
}

/** How many workers in a row may end before they listen. After that a new one would fail as well. */
const tries = 3;

/**
 * Starts the workers, replaces those that die, and ends on SIGINT or SIGTERM.
 * @param greet is called once, when all of them listen, with where
 * @throws Error where a worker cannot start
 */
export async function superviseWorkers(config: Config, greet: (addresses: Addresses) => void): Promise<void> {
  if (config.database.kind !== 'mysql') {
    throw new Error(
      '--workers needs a database that several processes can share: --database mysql://user:password@host:port/name. SQLite is served by one process.',
    );
  }
  const state = { failures: 0, stopping: false, greeted: false };
  const ready = new Set<Worker>();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      state.stopping = true;
      for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGTERM');
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    cluster.on('message', (worker: Worker, { listening }: Listening) => {
      ready.add(worker);
      state.failures = 0;
      if (state.greeted || ready.size < config.workers) return;
      state.greeted = true;
      greet(listening);
    });
    cluster.on('exit', (worker) => {
      const failed = !ready.delete(worker);
      if (!state.stopping && failed && ++state.failures >= tries) {
        stop();
        reject(new Error('The workers end before they listen. What they said stands above.'));
      }
      if (!state.stopping) cluster.fork();
      else if (!Object.keys(cluster.workers ?? {}).length) resolve();
    });
    for (let count = 0; count < config.workers; count++) cluster.fork();
  });
}

/** Whether this process is one of the workers. */
export const isWorker = (): boolean => cluster.isWorker;

/** Reports to the primary process that this worker listens. */
export function reportListening(addresses: Addresses): void {
  process.send?.({ listening: addresses } satisfies Listening);
}
