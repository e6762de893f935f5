// One process of the floor: repeats a task and reports its rate per second.
import { randomUUID } from 'node:crypto';
import { createPool, type Pool, type PoolConnection, type ResultSetHeader } from 'mysql2/promise';
import type { Job } from './floor.ts';

type Piece = (connection: PoolConnection) => Promise<number>;

process.once('message', (job: Job) => {
  void run(job).then((rate) => process.send!(rate, () => process.exit(0)));
});

async function run({ mysql, database, seconds, inFlight, replay, write }: Job): Promise<number> {
  const { port, username } = new URL(mysql);
  const pool = createPool({
    host: '127.0.0.1',
    port: Number(port),
    user: username,
    database,
    connectionLimit: inFlight,
    decimalNumbers: true,
  });
  const read = replay && reader(replay);
  const piece =
    write === 'trees'
      ? tree
      : write === 'claims'
        ? claimer(await hostIds(pool))
        : write === 'mixed'
          ? mixed(read!, claimer(await hostIds(pool)))
          : read!;
  let done = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      const connection = await pool.getConnection();
      while (performance.now() - began < seconds * 1000) {
        // A deadlock loses the repetition, for Cumulet as well.
        done += await piece(connection).catch((error: { code?: string }) => {
          if (error.code !== 'ER_LOCK_DEADLOCK') throw error;
          return connection.query('ROLLBACK').then(() => 0);
        });
      }
      connection.release();
    }),
  );
  const rate = (done / (performance.now() - began)) * 1000;
  await pool.end();
  return rate;
}

/** Sends the statements of a read and serializes its reply. */
function reader({ statements, reply }: NonNullable<Job['replay']>): Piece {
  const body = JSON.parse(reply) as unknown;
  return async (connection) => {
    for (const { sql, bindings } of statements) await connection.query(sql, [...bindings]);
    JSON.stringify(body);
    return 1;
  };
}

async function hostIds(pool: Pool): Promise<number[]> {
  const [rows] = await pool.query(
    'SELECT provider_id AS id FROM placement_inventories GROUP BY provider_id HAVING COUNT(*) = 3',
  );
  return (rows as { id: number }[]).map(({ id }) => id);
}

/** Claims three classes on one host with a compare-and-swap, then releases them: a pair. */
function claimer(hosts: readonly number[]): Piece {
  let turn = Math.floor(performance.now()) % hosts.length;
  const amounts = [
    [0, 2],
    [1, 512],
    [2, 5],
  ] as const;
  return async (connection) => {
    const host = hosts[(turn = (turn + 7919) % hosts.length)]!;
    const query = (sql: string, bindings: unknown[] = []): Promise<unknown> =>
      connection.query(sql, bindings).then(([result]) => result);
    await query('BEGIN');
    await query('SELECT * FROM placement_consumers WHERE uuid = ?', [randomUUID()]);
    const [provider] = (await query('SELECT * FROM placement_providers WHERE id = ?', [host])) as {
      generation: number;
    }[];
    await query(
      'SELECT * FROM placement_inventories WHERE provider_id = ? AND class_id IN (0, 1, 2)',
      [host],
    );
    const swapped = (await query(
      'UPDATE placement_providers SET generation = generation + 1 WHERE id = ? AND generation = ?',
      [host, provider!.generation],
    )) as ResultSetHeader;
    if (!swapped.affectedRows) {
      await query('ROLLBACK');
      return 0;
    }
    const made = (await query(
      'INSERT INTO placement_consumers (uuid, project_id, user_id, generation, created_at) ' +
        "VALUES (?, 'p', 'u', 1, 0)",
      [randomUUID()],
    )) as ResultSetHeader;
    await query(
      'UPDATE placement_inventories ' +
        'SET used = used + CASE class_id WHEN 0 THEN 2 WHEN 1 THEN 512 ELSE 5 END ' +
        'WHERE provider_id = ? AND class_id IN (0, 1, 2)',
      [host],
    );
    await query(
      'INSERT INTO placement_allocations ' +
        '(consumer_id, provider_id, class_id, used, created_at) VALUES ?',
      [amounts.map(([id, used]) => [made.insertId, host, id, used, 0])],
    );
    await query('COMMIT');
    await query('BEGIN');
    await query('SELECT * FROM placement_consumers WHERE id = ?', [made.insertId]);
    await query('SELECT * FROM placement_allocations WHERE consumer_id = ?', [made.insertId]);
    await query(
      'UPDATE placement_inventories ' +
        'SET used = used - CASE class_id WHEN 0 THEN 2 WHEN 1 THEN 512 ELSE 5 END ' +
        'WHERE provider_id = ? AND class_id IN (0, 1, 2)',
      [host],
    );
    await query('DELETE FROM placement_allocations WHERE consumer_id = ?', [made.insertId]);
    await query('DELETE FROM placement_consumers WHERE id = ? AND generation = 1', [made.insertId]);
    await query('COMMIT');
    return 1;
  };
}

/** The mixed load: one read for every three pairs. */
function mixed(read: Piece, claim: Piece): Piece {
  let turn = 0;
  return (connection) => (turn++ % 4 ? claim(connection) : read(connection));
}

const classes = [[2], [0, 1], [16], [10], [0, 1], [16], [16]] as const;

/** Creates seven providers with inventories, three with traits: seventeen requests. */
async function tree(connection: PoolConnection): Promise<number> {
  const query = (sql: string, bindings: unknown[] = []): Promise<unknown> =>
    connection.query(sql, bindings).then(([result]) => result);
  let root: number | undefined;
  for (const [index, ids] of classes.entries()) {
    const uuid = randomUUID();
    await query('BEGIN');
    if (root !== undefined) await query('SELECT * FROM placement_providers WHERE id = ?', [root]);
    const { insertId } = (await query(
      'INSERT INTO placement_providers ' +
        '(uuid, name, generation, root_id, parent_id, created_at) VALUES (?, ?, 0, ?, ?, 0)',
      [uuid, uuid, root ?? null, root ?? null],
    )) as ResultSetHeader;
    if (root === undefined)
      await query('UPDATE placement_providers SET root_id = id, updated_at = 0 WHERE id = ?', [
        insertId,
      ]);
    await query('SELECT * FROM placement_providers WHERE uuid = ?', [uuid]);
    await query('COMMIT');
    root ??= insertId;
    await query('BEGIN');
    await query('SELECT * FROM placement_providers WHERE uuid = ?', [uuid]);
    await query('UPDATE placement_providers SET generation = 1 WHERE id = ? AND generation = 0', [
      insertId,
    ]);
    await query('SELECT * FROM placement_inventories WHERE provider_id = ?', [insertId]);
    const columns =
      'provider_id, class_id, root_id, total, reserved, min_unit, max_unit, step_size, ' +
      'allocation_ratio, used, created_at';
    await query(`INSERT INTO placement_inventories (${columns}) VALUES ?`, [
      ids.map((id) => [insertId, id, root, 4, 0, 1, 4, 1, 1, 0, 0]),
    ]);
    await query('COMMIT');
    if (![0, 1, 4].includes(index)) continue;
    await query('BEGIN');
    await query('SELECT * FROM placement_providers WHERE uuid = ?', [uuid]);
    await query('SELECT * FROM placement_provider_traits WHERE provider_id = ?', [insertId]);
    await query('UPDATE placement_providers SET generation = 2 WHERE id = ? AND generation = 1', [
      insertId,
    ]);
    await query('INSERT INTO placement_provider_traits (provider_id, trait_id) VALUES (?, 5)', [
      insertId,
    ]);
    await query('COMMIT');
  }
  return 17;
}
