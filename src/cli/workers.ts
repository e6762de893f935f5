// Several processes that serve one port and share one MySQL database. The primary process replaces
// a worker that dies, and on a stop waits until all workers have finished.
import cluster, { type Worker } from 'node:cluster';
import { pause } from '../kernel/clock.ts';
import type { Config } from '../kernel/settings.ts';
import type { Summary } from './greeting.ts';

/** The message of a worker to the primary process once it listens. */
interface Listening {
  readonly listening: Summary;
}

/**
 * After this many workers in a row have ended before they listen, the primary process gives up
 * unless another worker listens: a new one would most likely fail for the same reason.
 */
const maxFailures = 3;

/**
 * Back-off before the next worker starts after one that ended before it listened, in milliseconds.
 * It doubles with each failure, up to the maximum.
 */
const minBackOff = 50;
const maxBackOff = 5_000;

/** The state of the workers: those that listen, and the number of failures in a row. */
interface Crew {
  readonly config: Config;
  readonly greet: (summary: Summary) => void;
  readonly ready: Map<Worker, Summary>;
  failures: number;
  stopping: boolean;
  greeted: boolean;
}

/**
 * Starts the workers, replaces those that die, and stops them once `stopped` resolves.
 * @param greet is called once with the summary: when all workers listen, or when some listen and
 *   the others fail
 * @throws Error if no worker can start
 */
export async function superviseWorkers(
  config: Config,
  greet: (summary: Summary) => void,
  stopped: Promise<void>,
): Promise<void> {
  if (config.database.kind !== 'mysql') {
    throw new Error(
      'More than one worker needs a database that several processes can share. Use ' +
        '--database mysql://user:password@host:port/name, or leave --workers out.',
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
    void stopped.then(() => stop(crew));
    cluster.on('message', (worker: Worker, { listening }: Listening) => {
      crew.ready.set(worker, listening);
      crew.failures = 0;
      greetOnce(crew, config.workers);
    });
    cluster.on('exit', (worker) => {
      if (!crew.ready.delete(worker)) crew.failures++;
      if (crew.failures >= maxFailures && !crew.stopping) {
        greetOnce(crew, 1);
        if (!crew.ready.size) {
          stop(crew);
          reject(new Error('The workers cannot start. See their errors above.'));
        }
      }
      if (!crew.stopping) void replace(crew);
      else if (!Object.keys(cluster.workers ?? {}).length) resolve();
    });
    for (let count = 0; count < config.workers; count++) fork();
  });
}

function greetOnce(crew: Crew, enough: number): void {
  const summaries = [...crew.ready.values()];
  const [first] = summaries;
  if (crew.greeted || first === undefined || summaries.length < enough) return;
  crew.greeted = true;
  crew.greet({ ...first, isNew: summaries.some(({ isNew }) => isNew) });
}

function stop(crew: Crew): void {
  crew.stopping = true;
  for (const worker of Object.values(cluster.workers ?? {})) worker?.kill('SIGTERM');
}

/** Replaces a worker that ended: immediately if it had listened, after a back-off if not. */
async function replace(crew: Crew): Promise<void> {
  if (crew.failures) await pause(Math.min(minBackOff * 2 ** crew.failures, maxBackOff));
  if (!crew.stopping) fork();
}

/** The function with which Node passes a connection to a worker. */
type Send = (
  message: { readonly act?: string },
  handle?: { close(): void },
  ...rest: unknown[]
) => boolean;

/**
 * Starts a worker. If it dies after Node has passed it a connection and before it has accepted that
 * connection, the connection is closed here. Node itself would keep it open, and its client would
 * wait forever (lib/internal/cluster/round_robin_handle.js: nobody answers `newconn`).
 */
function fork(): void {
  const worker = cluster.fork();
  const { process: child } = worker;
  let passed: { close(): void } | undefined;
  const send = child.send.bind(child) as Send;
  child.send = ((message, handle, ...rest) => {
    if (message.act === 'newconn') passed = handle;
    return send(message, handle, ...rest);
  }) as Send as typeof child.send;
  worker.once('exit', () => passed?.close()); // closing it twice has no effect
}

/** Whether this process is one of the workers. */
export const isWorker = (): boolean => cluster.isWorker;

/** Whether this process speaks for all workers, or there are none. */
export const isFirstWorker = (): boolean => cluster.worker === undefined || cluster.worker.id === 1;

/** Reports to the primary process that this worker listens. */
export function reportListening(summary: Summary): void {
  process.send?.({ listening: summary } satisfies Listening);
}

/** Lets this process end if it is a worker: its channel to the primary would keep it running. */
export function endWorker(): void {
  if (cluster.isWorker) process.disconnect();
}
