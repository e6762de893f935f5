// The floor: the same SQL and JSON in a plain loop over mysql2, without HTTP, routing, checks and
// views. Reads replay recorded statements of Cumulet. Writes, whose statements depend on each
// other, are written by hand in floor-worker.ts.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { closeCloud, openCloud } from '../../src/cloud.ts';
import { configOf } from '../../src/config.ts';
import { parseDatabaseUrl } from '../../src/kernel/db/open.ts';
import { serverFor } from '../../src/kernel/http/server.ts';
import type { AddressInfo } from 'node:net';
import { clientFor } from '../client.ts';
import type { Load } from './loads.ts';

/** A recorded statement. */
export interface Statement {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/** The task that a worker of the floor repeats. */
export interface Job {
  readonly mysql: string;
  readonly database: string;
  readonly seconds: number;
  readonly inFlight: number;
  /** For reads: the statements to replay, and the reply to serialize each time. */
  readonly replay?: { readonly statements: readonly Statement[]; readonly reply: string };
  readonly write?: 'claims' | 'trees' | 'mixed';
}

/**
 * Repetitions per second of the plain loop, in the same number of processes; undefined for a load
 * without a floor. `path` is the request of a read load.
 */
export async function floorFor(
  load: Load,
  mysql: string,
  database: string,
  seconds: number,
  processes: number,
  path?: string,
): Promise<number | undefined> {
  if (path === undefined && !load.write) return undefined;
  const replay = path === undefined ? undefined : await record(mysql, database, path);
  const inFlight = Math.max(1, Math.round(load.inFlight / processes));
  const job: Job = {
    mysql,
    database,
    seconds,
    inFlight,
    ...(replay ? { replay } : {}),
    ...(load.write ? { write: load.write } : {}),
  };
  const rates = await Promise.all(Array.from({ length: processes }, () => runWorker(job)));
  return rates.reduce((sum, one) => sum + one, 0);
}

function runWorker(job: Job): Promise<number> {
  const child = fork(join(import.meta.dirname, 'floor-worker.ts'), {
    execArgv: ['--import', 'tsx'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (rate: number) => resolve(rate));
    child.once(
      'exit',
      (code) => code !== 0 && reject(new Error(`the floor's worker ended with ${code}`)),
    );
    child.send(job);
  });
}

/** Sends a request to a Cumulet in this process, and records its statements in the region. */
async function record(
  mysql: string,
  database: string,
  path: string,
): Promise<{ statements: Statement[]; reply: string }> {
  const url = new URL(`/${database.replace(/_RegionOne$/, '')}`, mysql);
  const cloud = await openCloud(
    configOf({ database: parseDatabaseUrl(url.href), auth: 'noauth2', logLevel: 'silent' }),
  );
  const server = serverFor({ cloud });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}/placement`);
  // The first request compiles and looks for due work; one right after it does neither, as most do
  // under load.
  for (let warm = 0; warm < 2; warm++) await client.must({ method: 'GET', path });
  const statements: Statement[] = [];
  cloud.firstRegion.database.db.on('query', (query: Statement) =>
    statements.push({ sql: query.sql, bindings: query.bindings ?? [] }),
  );
  const { text } = await client.ask({ method: 'GET', path });
  client.close();
  server.close();
  await closeCloud(cloud);
  return { statements, reply: text };
}
