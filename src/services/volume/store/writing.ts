// Writing volumes and snapshots: rows that change by compare-and-swap, with their metadata.
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { deleteAtRevision, updateAtRevision } from '../../../kernel/db/optimistic-lock.ts';
import { conflict, type ApiError } from '../../../kernel/errors.ts';
import type { Metadata } from '../model.ts';
import { writeMetadata } from './metadata.ts';

interface VersionedRecord {
  readonly id: string;
  readonly revision: number;
  readonly updatedAt: Micros | null;
  readonly metadata: Metadata;
}

export interface Writer<T> {
  readonly insert: (db: Db, record: T) => Promise<void>;
  /**
   * Writes a change over the record that was read.
   * @throws Contention where another writer was faster
   */
  readonly update: (db: Db, before: T, change: Partial<T>, now: Micros) => Promise<T>;
  /** Deletes the record that was read. @throws Contention where another writer was faster */
  readonly remove: (db: Db, record: T) => Promise<void>;
}

/** The writer of the table `volume_<noun>s`. */
export const writerOf = <T extends VersionedRecord>(
  noun: string,
  rowOf: (record: T) => object,
): Writer<T> => {
  const name = `volume_${noun}s`;
  const stale = (): ApiError => conflict(`The ${noun} was changed by somebody else.`);
  return {
    async insert(db, record) {
      await db(name).insert(rowOf(record));
      await writeMetadata(db, record.id, record.metadata);
    },

    async update(db, before, change, now) {
      const { id } = before;
      const after: T = { ...before, ...change, updatedAt: now };
      const revision = await updateAtRevision(
        db,
        { name },
        [id, before.revision],
        { ...rowOf(after) },
        stale,
      );
      if (change.metadata) await writeMetadata(db, id, change.metadata);
      return { ...after, revision };
    },

    async remove(db, { id, revision }) {
      await writeMetadata(db, id, {});
      await deleteAtRevision(db, { name }, [id, revision], stale);
    },
  };
};
