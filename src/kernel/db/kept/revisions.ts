// The revisions of tables of which processes keep something in memory.
import { newUuid } from '../../ids.ts';
import type { Db } from '../database.ts';
import { Recurring } from '../drivers/recurring.ts';
import { beforeCommit, deferred, once } from '../transaction.ts';

const recurring = new Recurring();

const table = 'cumulet_revisions';

/** The revision that changes when all tables of a database get other rows. */
export const everything = 'everything';

/** The name of the revision of a part, or of all parts. */
export const nameOf = (revision: string, part: number | undefined): string =>
  part === undefined ? revision : `${revision}.${part}`;

/**
 * Gives tables a new revision when the transaction commits. Call it before the write.
 * @param part the part of the tables that changes; all of them, if it is absent
 */
export function changeRevision(db: Db, revision: string, part?: number): void {
  const name = nameOf(revision, part);
  // A UUID, because a counter could reach a value again after a restore.
  beforeCommit(db, name, (trx) =>
    deferred(
      recurring.statement(trx, 'change', [name, newUuid()], ([key, revision]) =>
        trx(table).insert({ name: key, revision }).onConflict('name').merge(['revision']),
      ),
    ),
  );
}

/** Gives all tables of a database a new revision, because they are emptied or replaced. */
export const changeAllRevisions = (db: Db): void => changeRevision(db, everything);

type Revisions = ReadonlyMap<string, string>;

/** The revisions as the transaction sees them, by name: one statement reads all. */
export const revisionsOf = (db: Db): Promise<Revisions> =>
  once(db, 'revisions', () => readRevisions(db));

async function readRevisions(db: Db): Promise<Revisions> {
  const rows = await recurring.statement<{ name: string; revision: string }[]>(
    db,
    'revisions',
    [],
    () => db(table).select('name', 'revision'),
  );
  return new Map(rows.map(({ name, revision }) => [name, revision]));
}
