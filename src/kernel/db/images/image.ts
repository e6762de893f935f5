// Copies of the rows of a database, which a process keeps to put them back quickly: the seed that
// resets restore, and snapshots that have been restored before.
import type { Micros } from '../../clock.ts';
import type { Db } from '../database.ts';

/** A copy of all rows of some tables of a database, which exists as long as the process. */
export interface Image {
  /**
   * Replaces all rows of the tables with the copy, in the caller's transaction, and writes only
   * what differs if the database can tell.
   * @param later what is added to the times in the rows, if they are to begin at another time
   */
  restore(db: Db, later?: Micros): Promise<void>;
  /** Frees the memory of the copy, in a transaction. The image cannot be used afterwards. */
  drop(db: Db): Promise<void>;
}

/** Whether a column holds times. */
export type IsTime = (table: string, column: string) => boolean;
