// Tables with optimistic locking: a column counts the updates of each row.
import type { Fault } from '../fault.ts';
import type { Columns, Field } from './columns.ts';
import type { Db } from './database.ts';
import { Table, type TableOptions } from './table.ts';
import { claimVersioned, deleteVersioned, holdVersioned, updateVersioned } from './versioned.ts';
import type { ReadRow, VersionedTable } from './versioned.ts';

export interface RevisionTableOptions<T, Generated extends keyof T> extends TableOptions<
  T,
  Generated
> {
  /** The field that counts the updates. */
  readonly revision: Field<T>;
}

/**
 * A table whose rows have a revision, and a key of one field. A write at a revision succeeds only
 * if no other transaction has changed the row since it was read. Otherwise it throws Contention,
 * and the whole transaction runs again; if that fails at every attempt, the client gets `refusal`.
 */
export class RevisionTable<T extends object, Generated extends Field<T> = never> extends Table<
  T,
  Generated
> {
  private readonly revision: Field<T>;

  constructor(name: string, columns: Columns<T>, options: RevisionTableOptions<T, Generated>) {
    super(name, columns, options);
    this.revision = options.revision;
  }

  /**
   * Updates fields of a record. @returns it with the new values and revision
   * @throws Contention with `refusal` if another transaction has changed it since it was read
   */
  async updateAtRevision<R extends T>(
    db: Db,
    record: R,
    fields: NoInfer<Readonly<Partial<R>>>,
    refusal: () => Fault,
  ): Promise<R> {
    const [table, row] = this.atRevision(record);
    const revision = await updateVersioned(db, table, row, this.row(fields), refusal);
    return { ...record, ...fields, [this.revision]: revision };
  }

  /** Deletes a record. @throws Contention as `updateAtRevision` */
  removeAtRevision(db: Db, record: T, refusal: () => Fault): Promise<void> {
    return deleteVersioned(db, ...this.atRevision(record), refusal);
  }

  /**
   * Increments the revision of a record that other writes depend on. @returns it with that revision
   * @throws Contention as `updateAtRevision`
   */
  async bumpRevision<R extends T>(db: Db, record: R, refusal: () => Fault): Promise<R> {
    const revision = await claimVersioned(db, ...this.atRevision(record), refusal);
    return { ...record, [this.revision]: revision };
  }

  /**
   * Locks a record without changing it, so that it stays as it was read until the transaction ends.
   * @throws Contention as `updateAtRevision`
   */
  checkRevision(db: Db, record: T, refusal: () => Fault): Promise<void> {
    return holdVersioned(db, ...this.atRevision(record), refusal);
  }

  private atRevision(record: T): [VersionedTable, ReadRow] {
    const [key] = this.key;
    const [keyColumn, revisionColumn] = [this.label(key!), this.label(this.revision)];
    const row: ReadRow = [this.stored(record, key!)!, Number(this.stored(record, this.revision))];
    return [{ name: this.name, key: keyColumn, version: revisionColumn }, row];
  }
}
