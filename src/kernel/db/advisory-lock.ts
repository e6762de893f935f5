// A lock between the processes of a cloud, for work that takes several transactions.
import { unavailable } from '../errors.ts';
import type { DatabaseUrl } from './database.ts';
import { connectionTo } from './open.ts';

/** How long it is waited for, in seconds. */
const patience = 60;

/**
 * Does something while no other process does anything under the same name. On SQLite there is no
 * other. It holds no row, and a connection of its own: a pool may have two, which the work needs.
 * (On Galera it holds among the processes of one node.)
 * @throws 503 where another has had it for a minute
 */
export async function withAdvisoryLock<T>(
  at: DatabaseUrl,
  name: string,
  run: () => Promise<T>,
): Promise<T> {
  if (at.kind !== 'mysql') return run();
  const connection = await connectionTo(at);
  connection.on('error', () => undefined); // the work fails by itself where the server has gone
  try {
    const [rows] = await connection.query('SELECT GET_LOCK(?, ?) AS got', [
      `cumulet.${at.name}.${name}`.slice(0, 64),
      patience,
    ]);
    if ((rows as { got: number }[])[0]?.got !== 1)
      throw unavailable(
        'Another snapshot, restore or import has been going on for a minute. Please try again later.',
      );
    return await run();
  } finally {
    await connection.end().catch(() => undefined);
  }
}
