// A lock between the processes of a cloud, for operations of several transactions.
import { unavailable } from '../errors.ts';
import type { DatabaseUrl } from './database.ts';
import { connectionTo } from './open.ts';

/** How long to wait for the lock, in seconds. */
const timeout = 60;

/**
 * Runs a function while no other process runs one under the same name. SQLite needs no lock,
 * because a database has one process. The lock blocks no row, and uses its own connection, because
 * a pool may have only two, which the function needs. (On Galera, only processes that are connected
 * to the same node exclude each other.)
 * @throws 503 if another process has held the lock for a minute
 */
export async function withAdvisoryLock<T>(
  at: DatabaseUrl,
  name: string,
  run: () => Promise<T>,
): Promise<T> {
  if (at.kind !== 'mysql') return run();
  const connection = await connectionTo(at);
  connection.on('error', () => undefined); // if the server goes away, `run` fails by itself
  try {
    const [rows] = await connection.query('SELECT GET_LOCK(?, ?) AS got', [
      `cumulet.${at.name}.${name}`.slice(0, 64),
      timeout,
    ]);
    if ((rows as { got: number }[])[0]?.got !== 1)
      throw unavailable(
        'Another reset, snapshot, restore or import has been running for more than a minute. ' +
          'Please try again later.',
      );
    return await run();
  } finally {
    await connection.end().catch(() => undefined);
  }
}
