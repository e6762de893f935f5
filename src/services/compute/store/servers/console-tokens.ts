// The table of the tokens that open consoles.
import type { Micros } from '../../../../kernel/clock.ts';
import { integer, micros, nullable, text, textOf } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { deferred } from '../../../../kernel/db/transaction.ts';
import { consoleTypes, type ConsoleToken } from '../../model.ts';

const tokens = new Table<ConsoleToken>(
  'compute_console_tokens',
  {
    tokenHash: text,
    serverUuid: text,
    consoleType: textOf(consoleTypes),
    host: text,
    port: integer,
    tlsPort: nullable(integer),
    expiresAt: micros,
  },
  { key: 'tokenHash' },
);

export async function insertConsoleToken(db: Db, token: ConsoleToken): Promise<void> {
  await tokens.insert(db, token);
}

/** Finds a token that has not expired. */
export const findConsoleToken = (
  db: Db,
  tokenHash: string,
  now: Micros,
): Promise<ConsoleToken | undefined> =>
  tokens.find(db, { tokenHash }, [(query) => void query.where('expires_at', '>', now)]);

/** Deletes the tokens of a server. */
export async function deleteConsoleTokens(db: Db, serverUuid: string): Promise<void> {
  await deferred(tokens.remove(db, { serverUuid }));
}

/** Deletes the tokens of a server that have expired. */
export async function deleteExpiredTokens(db: Db, serverUuid: string, now: Micros): Promise<void> {
  await db(tokens.name).where({ server_uuid: serverUuid }).where('expires_at', '<=', now).delete();
}

/** Deletes the tokens that expired before a time. */
export async function purgeConsoleTokens(db: Db, before: Micros): Promise<void> {
  await db(tokens.name).where('expires_at', '<', before).delete();
}
