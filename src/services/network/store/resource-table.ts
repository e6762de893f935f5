// The tables of resources, each row with a revision that clients see.
import type { Columns, Field } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint, SerializationFailure } from '../../../kernel/db/errors.ts';
import { guarded } from '../../../kernel/db/guarded.ts';
import { whereOneOf, type Condition, type Where } from '../../../kernel/db/listing.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { Standard } from '../model.ts';
import { beingChanged } from './conflicts.ts';

/**
 * A table of resources. Its writes throw a SerializationFailure on a conflict with another
 * transaction: if the record has changed since it was read, or if a unique or a foreign key rejects
 * the write. The transaction then runs again and sees the row that was in the way.
 */
export class ResourceTable<T extends Standard> extends RevisionTable<T> {
  private readonly refusal: () => ApiError;

  /** @param noun what a row is called in error messages */
  constructor(name: string, noun: string, columns: Columns<T>) {
    super(name, columns, { revision: 'revision_number' });
    this.refusal = () => beingChanged(noun);
  }

  /** The resource with this id, if the conditions hold for it. */
  findById(db: Db, id: string, conditions: readonly Condition[]): Promise<T | undefined> {
    if (!conditions.length) return this.find(db, { id } as Where<T>);
    const hasId: Condition = (query) => void query.where(this.column('id'), id);
    return this.find(db, {}, [hasId, ...conditions]);
  }

  /** Inserts a record. MySQL gets it with the next statement, which throws if a key rejects it. */
  create(db: Db, record: T): Promise<void> {
    return guarded(this.insert(db, record), () => new SerializationFailure(this.refusal()));
  }

  /** Updates fields of a record. @returns it with the new values and revision */
  async change(db: Db, record: T, fields: Partial<T>, now: number): Promise<T> {
    const changed = { ...fields, updated_at: now };
    return retryOnConstraint(
      this.updateAtRevision(db, record, changed, this.refusal),
      this.refusal,
    );
  }

  /**
   * Increments the revision of a resource because something that belongs to it changes, so that two
   * transactions cannot both make such a change on the same state.
   */
  touch(db: Db, record: T, now: number): Promise<T> {
    return this.change(db, record, {}, now);
  }

  /**
   * Locks a resource, so that no other transaction changes it before this one ends. Its revision
   * stays the same.
   */
  checkUnchanged(db: Db, record: T): Promise<void> {
    return this.checkRevision(db, record, this.refusal);
  }

  async delete(db: Db, record: T): Promise<void> {
    await retryOnConstraint(this.removeAtRevision(db, record, this.refusal), this.refusal);
  }

  /**
   * Restricts a list to resources whose attribute has one of the values. The values come from a
   * query string; `convert` of the attribute has given them the attribute's type.
   */
  withValue(attribute: string, values: readonly unknown[]): Condition {
    const field = this.fieldFor(attribute);
    const stored = values.map((value) => this.stored({ [field]: value } as Partial<T>, field));
    return (query) => whereOneOf(query, this.column(field), stored);
  }

  /** The field of an attribute. @throws Error if the attribute has no column */
  fieldFor(attribute: string): Field<T> {
    const field = this.fieldOf(attribute);
    if (field === undefined) throw new Error(`${this.name} has no column for ${attribute}`);
    return field;
  }
}
