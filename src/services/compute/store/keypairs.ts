// The table of keypairs, which holds the public keys of users.
import type { Micros } from '../../../kernel/clock.ts';
import { integer, micros, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import { keypairTypes, type Keypair } from '../model.ts';

const keypairs = new Table<Keypair, 'id'>(
  'compute_keypairs',
  {
    id: integer,
    userId: text,
    name: text,
    type: textOf(keypairTypes),
    fingerprint: text,
    publicKey: text,
    createdAt: micros,
  },
  { key: ['userId', 'name'] },
);

/** Lists a user's keypairs by name. The list begins after a name and has at most `limit` items. */
export const listKeypairs = (
  db: Db,
  userId: string,
  { after, limit }: { after?: string; limit?: number } = {},
): Promise<Keypair[]> =>
  keypairs.list(db, {
    where: { userId },
    conditions: after === undefined ? [] : [(query) => void query.where('name', '>', after)],
    sort: ['name'],
    limit,
  });

export const findKeypair = (db: Db, userId: string, name: string): Promise<Keypair | undefined> =>
  keypairs.find(db, { userId, name });

export const countKeypairs = (db: Db, userId: string): Promise<number> =>
  keypairs.count(db, { where: { userId } });

/** @throws the driver's duplicate error for the name */
export async function insertKeypair(
  db: Db,
  keypair: Omit<Keypair, 'id' | 'createdAt'>,
  now: Micros,
): Promise<void> {
  await keypairs.insert(db, { ...keypair, createdAt: now });
}

/** @returns false if the keypair does not exist */
export const deleteKeypair = async (db: Db, userId: string, name: string): Promise<boolean> =>
  (await keypairs.remove(db, { userId, name })) > 0;
