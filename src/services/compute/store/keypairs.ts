// Keypairs: the public keys of users.
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Keypair } from '../model.ts';

interface Row {
  id: number;
  user_id: string;
  name: string;
  type: 'ssh' | 'x509';
  fingerprint: string;
  public_key: string;
  created_at: number;
}

const record = (row: Row): Keypair => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  type: row.type,
  fingerprint: row.fingerprint,
  publicKey: row.public_key,
  createdAt: Number(row.created_at),
});

/** A user's keypairs by name, after a name and up to a number. */
export async function listKeypairs(
  db: Db,
  userId: string,
  { after, limit }: { after?: string; limit?: number } = {},
): Promise<Keypair[]> {
  const query = db('compute_keypairs').where({ user_id: userId }).orderBy('name');
  if (after !== undefined) query.where('name', '>', after);
  if (limit !== undefined) query.limit(limit);
  return ((await query) as Row[]).map(record);
}

export async function findKeypair(
  db: Db,
  userId: string,
  name: string,
): Promise<Keypair | undefined> {
  const row = (await db('compute_keypairs').where({ user_id: userId, name }).first()) as
    Row | undefined;
  return row && record(row);
}

export async function countKeypairs(db: Db, userId: string): Promise<number> {
  const [row] = (await db('compute_keypairs').where({ user_id: userId }).count('* as count')) as {
    count: number;
  }[];
  return Number(row!.count);
}

/** @throws the driver's duplicate error for the name */
export async function insertKeypair(
  db: Db,
  keypair: Omit<Keypair, 'id' | 'createdAt'>,
  now: Micros,
): Promise<void> {
  const { userId, name, type, fingerprint, publicKey } = keypair;
  await db('compute_keypairs').insert({
    user_id: userId,
    name,
    type,
    fingerprint,
    public_key: publicKey,
    created_at: now,
  });
}

/** @returns whether it was there */
export async function deleteKeypair(db: Db, userId: string, name: string): Promise<boolean> {
  return (await db('compute_keypairs').where({ user_id: userId, name }).delete()) > 0;
}
