// How volumes and snapshots are written: a row that is changed only where it is still as it was read, and its metadata beside it.
import type { Micros } from '../../../kernel/clock.ts';
import { Contention } from '../../../kernel/db/errors.ts';
import { conflict } from '../../../kernel/fault.ts';
import type { Metadata } from '../domain/records.ts';
import { writeMetadata } from './metadata.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Written {
  readonly id: string;
  readonly revision: number;
  readonly updatedAt: Micros | null;
  readonly metadata: Metadata;
}

export interface Writer<T> {
  readonly insert: (db: Db, thing: T) => Promise<void>;
  /** Writes a thing over what was read. @throws Contention where another writer was faster */
  readonly update: (db: Db, before: T, change: Partial<T>, now: Micros) => Promise<T>;
  readonly remove: (db: Db, id: string) => Promise<void>;
}

/** Writes one kind of thing to its table. */
export const writerOf = <T extends Written>(noun: string, rowOf: (thing: T) => object): Writer<T> => ({
  async insert(db, thing) {
    await db(`volume_${noun}s`).insert(rowOf(thing));
    await writeMetadata(db, thing.id, thing.metadata);
  },

  async update(db, before, change, now) {
    const { id, revision } = before;
    const saved: T = { ...before, ...change, revision: revision + 1, updatedAt: now };
    const changed = await db(`volume_${noun}s`).where({ id, revision }).update(rowOf(saved));
    if (!changed) throw new Contention(conflict(`The ${noun} was changed by somebody else.`));
    if (change.metadata) await writeMetadata(db, id, change.metadata);
    return saved;
  },

  async remove(db, id) {
    await writeMetadata(db, id, {});
    await db(`volume_${noun}s`).where({ id }).delete();
  },
});
