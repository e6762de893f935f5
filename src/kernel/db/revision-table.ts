// Tables with optimistic locking: a column counts the updates of each row.
import type { ApiError } from '../errors.ts';
import type { Columns, Field } from './columns.ts';
import type { Db } from './database.ts';
import { groupedValues } from './grouping.ts';
import {
  bumpRevision,
  checkRevision,
  deleteAtRevision,
  updateAtRevision,
  updateRowsAtRevision,
} from './optimistic-lock.ts';
import type { ReadRow, RevisionedTable } from './optimistic-lock.ts';
import { Table, type TableOptions } from './table.ts';

export interface RevisionTableOptions<T, Generated extends keyof T> extends TableOptions<
  T,
  Generated
> {
  /** The field that counts the updates. */
  readonly revision: Field<T>;
}

/**
 * A table whose rows have a revision, and a key of one field. A write at a revision succeeds only
 * if no other transaction has changed the row since it was read. Otherwise it throws a
 * SerializationFailure, and the whole transaction runs again. If every attempt fails, the client
 * gets `refusal`.
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
   * @throws SerializationFailure with `refusal` if another transaction has changed it since it was
   *   read
   */
  async updateAtRevision<R extends T>(
    db: Db,
    record: R,
    fields: NoInfer<Readonly<Partial<R>>>,
    refusal: () => ApiError,
  ): Promise<R> {
    const [table, row] = this.atRevision(record);
    const revision = await updateAtRevision(db, table, row, this.row(fields), refusal);
    return { ...record, ...fields, [this.revision]: revision };
  }

  /**
   * Updates the same fields of several records, in one statement for all that have the same
   * revision. @returns them with the new values and revisions
   * @throws SerializationFailure as `updateAtRevision`
   */
  async updateAllAtRevision<R extends T>(
    db: Db,
    records: readonly R[],
    fields: NoInfer<Readonly<Partial<R>>>,
    refusal: () => ApiError,
  ): Promise<R[]> {
    const rows = records.map((record) => this.atRevision(record)[1]);
    const byRevision = groupedValues(
      rows,
      ([, revision]) => revision,
      ([id]) => id,
    );
    const changed = this.row(fields);
    for (const [revision, ids] of byRevision) {
      const [table] = this.atRevision(records[0]!);
      await updateRowsAtRevision(db, table, { ids, revision }, changed, refusal);
    }
    return records.map((record, index) => ({
      ...record,
      ...fields,
      [this.revision]: rows[index]![1] + 1,
    }));
  }

  /**
   * Deletes a record, of which only the key and the revision matter.
   * @throws SerializationFailure as `updateAtRevision`
   */
  removeAtRevision(db: Db, record: Readonly<Partial<T>>, refusal: () => ApiError): Promise<void> {
    return deleteAtRevision(db, ...this.atRevision(record), refusal);
  }

  /**
   * Increments the revision of a record that other writes depend on. @returns it with that revision
   * @throws SerializationFailure as `updateAtRevision`
   */
  async bumpRevision<R extends T>(db: Db, record: R, refusal: () => ApiError): Promise<R> {
    const revision = await bumpRevision(db, ...this.atRevision(record), refusal);
    return { ...record, [this.revision]: revision };
  }

  /**
   * Locks a record without changing it, so that no other transaction changes it before this one
   * ends.
   * @throws SerializationFailure as `updateAtRevision`
   */
  checkRevision(db: Db, record: T, refusal: () => ApiError): Promise<void> {
    return checkRevision(db, ...this.atRevision(record), refusal);
  }

  private atRevision(record: Readonly<Partial<T>>): [RevisionedTable, ReadRow] {
    const [key] = this.key;
    const [keyColumn, revisionColumn] = [this.label(key!), this.label(this.revision)];
    const row: ReadRow = [this.stored(record, key!)!, Number(this.stored(record, this.revision))];
    return [{ name: this.name, key: keyColumn, revision: revisionColumn }, row];
  }
}
