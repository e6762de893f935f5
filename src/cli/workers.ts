// Several processes on one port that share one MySQL. A worker that dies is replaced; a stop lets
// all of them finish.
import cluster, { type Worker } from 'node:cluster';
import { pause } from '../kernel/clock.ts';
import type { Config } from '../kernel/settings.ts';

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

/**
 * How many workers in a row may end before they listen. Where none listens, a new one would fail as
 * well.
 */
const tries = 3;

/**
 * How long the next worker waits after one that ended before it listened, in milliseconds: twice as
 * long each time, up to the last.
 */
const shortest = 50;
const longest = 5_000;

/** Where the workers are: those that listen, and how many in a row ended before they did. */
interface Crew {
  readonly config: Config;
  readonly greet: (addresses: Addresses) => void;
  readonly ready: Map<Worker, Addresses>;
  failures: number;
  stopping: boolean;
  greeted: boolean;
}

/**
 * Starts the workers, replaces those that die, and ends them once `told` resolves.
 * @param greet is called once with where they listen, when all do, or when some do and others
 *   cannot
 * @throws Error where no worker can start
 */
export async function superviseWorkers(
  config: Config,
  greet: (addresses: Addresses) => void,
  told: Promise<void>,
): Promise<void> {
  if (config.database.kind !== 'mysql') {
    throw new Error(
      '--workers needs a database that several processes can share: --database mysql://user:password@host:port/name. SQLite is served by one process.',
    );
  }
  const crew: Crew = {
    config,
    greet,
    ready: new Map(),
    failures: 0,
    stopping: false,
    greeted: false,
  };
  await new Promise<void>((resolve, reject) => {
    void told.then(() => stop(crew));
    cluster.on('message', (worker: Worker, { listening }: Listening) => {
      crew.ready.set(worker, listening);
      crew.failures = 0;
      greetOnce(crew, config.workers);
    });
    cluster.on('exit', (worker) => {
      if (!crew.ready.delete(worker)) crew.failures++;
      if (crew.failures >= tries && !crew.stopping) {
        greetOnce(crew, 1);
        if (!crew.ready.size) {
          stop(crew);
          reject(new Error('The workers end before they listen. What they said stands above.'));
        }
      }
      if (!crew.stopping) void replace(crew);
      else if (!Object.keys(cluster.workers ?? {}).length) resolve();
    });
    for (let count = 0; count < config.workers; count++) fork();
  });
}

function greetOnce(crew: Crew, enough: number): void {
  const [addresses] = crew.ready.values();
  if (crew.greeted || addresses === undefined || crew.ready.size < enough) return;
  crew.greeted = true;
  crew.greet(addresses);
}

function stop(crew: Crew): void {
  crew.stopping = true;
  for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGTERM');
}

/**
 * Starts a worker in the place of one that ended: at once where it had listened, and later and
 * later where one after the other cannot.
 */
async function replace(crew: Crew): Promise<void> {
  if (crew.failures) await pause(Math.min(shortest * 2 ** crew.failures, longest));
  if (!crew.stopping) fork();
}

/** What Node hands a connection to a worker with; it answers that it has taken it. */
type Send = (
  message: { readonly act?: string },
  handle?: { close(): void },
  ...rest: unknown[]
) => boolean;

/**
 * Starts a worker. A connection that it was handed and had not taken when it died is reset: Node
 * itself would keep it, and its client would wait for ever
 * (lib/internal/cluster/round_robin_handle.js: nobody answers `newconn`).
 */
function fork(): void {
  const worker = cluster.fork();
  const { process: child } = worker;
  let handed: { close(): void } | undefined;
  const send = child.send.bind(child) as Send;
  child.send = ((message, handle, ...rest) => {
    if (message.act === 'newconn') handed = handle;
    return send(message, handle, ...rest);
  }) as Send as typeof child.send;
  worker.once('exit', () => handed?.close()); // to close one twice does nothing
}

/** Whether this process is one of the workers. */
export const isWorker = (): boolean => cluster.isWorker;

/** Reports to the primary process that this worker listens. */
export function reportListening(addresses: Addresses): void {
  process.send?.({ listening: addresses } satisfies Listening);
}

/** Ends this process where it is a worker: its line to the primary would keep it. */
export function endWorker(): void {
  if (cluster.isWorker) process.disconnect();
}
