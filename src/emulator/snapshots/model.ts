// The records of snapshots: their list, the contents of databases, and the document that holds
// both.
import type { Micros } from '../../kernel/clock.ts';
import type { Cloud } from '../../kernel/model.ts';

/** A snapshot in the list. */
export interface Snapshot {
  readonly id: number;
  /** Null while the snapshot is being taken or exported, and for the seed file's snapshot. */
  readonly name: string | null;
  /** The digest of the seed file, if it is the seed's. */
  readonly digest: string | null;
  /** The header of the document, as JSON. */
  readonly header: string;
  /** The size of its parts in bytes. */
  readonly size: number;
  readonly rowCount: number;
  /** The machine's time. */
  readonly createdAt: Micros;
}

/** Compressed lines of a snapshot, all of the same database. */
export interface Part {
  readonly database: string;
  readonly bytes: Buffer;
}

/** A value in a row, on either kind of database. */
export type Value = string | number | null | Uint8Array;

/** Some rows of one table, in the order of its primary key. */
export interface Rows {
  readonly table: string;
  readonly columns: readonly string[];
  /** The next auto-increment id, if the table has assigned any. */
  readonly next?: number | undefined;
  readonly rows: readonly (readonly Value[])[];
}

/** A database in the header. */
export interface DatabaseHead {
  readonly name: string;
  /** The migrations that define its tables, in order. */
  readonly migrations: readonly string[];
}

export interface RegionHead extends DatabaseHead {
  readonly central: boolean;
}

/** The first line of a document. */
export interface Header {
  /** The version of the emulator that wrote the document. */
  readonly cumulet: string;
  readonly format: number;
  /** The machine's time. */
  readonly taken_at: string;
  /** The emulated time. */
  readonly now: string;
  readonly clock: { readonly frozen_at: number | null; readonly offset: number };
  readonly central: DatabaseHead;
  /** In the order in which the regions were added. */
  readonly regions: readonly RegionHead[];
}

/** The state of a cloud, ready to be restored. */
export interface Source {
  readonly header: Header;
  /**
   * Reads the contents of a database, from the start at each call. `central` is a connection to the
   * central database, or a transaction on it.
   */
  contents(database: string, central: Cloud['central']['db']): AsyncIterable<Rows>;
}

/** A state that is not stored in the cloud yet. */
export interface CheckedSource extends Source {
  /** The size of its databases in bytes. */
  readonly size: number;
}

/** A line of a document and its number, from 1 on. */
export interface Line {
  readonly number: number;
  readonly text: string;
}
