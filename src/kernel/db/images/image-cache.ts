// The images that a process keeps of its databases.
import type { Micros } from '../../clock.ts';
import type { Database, Db } from '../database.ts';
import { changeAllRevisions } from '../kept/revisions.ts';
import { shapesOf } from '../schema/shapes.ts';
import { Table } from '../table.ts';
import { afterCommit } from '../transaction.ts';
import type { Image, IsTime } from './image.ts';
import { takeMysqlImage } from './mysql-image.ts';
import { takeSqliteImage } from './sqlite-image.ts';

/** How many images of a database are kept: the least recently used one is dropped. */
const maxImages = 4;

interface KeptImage {
  readonly image: Image;
  readonly takenAt: Micros;
}

/** The images of all databases, by a key that says what they hold. */
export class ImageCache {
  private readonly databases = new WeakMap<Database, Map<string, KeptImage>>();

  /**
   * Replaces the rows of the tables of an image with the copy, in the caller's transaction.
   * @param now the time to which the times in the rows are moved, if they were taken at another one
   * @returns whether there is such an image
   */
  async restore(database: Database, db: Db, key: string, now?: Micros): Promise<boolean> {
    const images = this.databases.get(database);
    const kept = images?.get(key);
    if (!images || !kept) return false;
    images.delete(key); // and to the end, as the last one used
    images.set(key, kept);
    changeAllRevisions(db);
    await kept.image.restore(db, now === undefined ? 0 : now - kept.takenAt);
    return true;
  }

  /**
   * Takes an image of the current rows of tables, in the caller's transaction. It is kept once that
   * has been committed.
   */
  async take(
    database: Database,
    db: Db,
    { key, tables, now = 0 }: { key: string; tables: readonly string[]; now?: Micros },
  ): Promise<void> {
    const images = this.databases.get(database) ?? new Map<string, KeptImage>();
    this.databases.set(database, images);
    const [oldest] = images;
    const dropped = images.size < maxImages ? undefined : oldest;
    if (dropped) await dropped[1].image.drop(db);
    const names = new Set(tables);
    const shapes = (await shapesOf(database, db)).filter(({ name }) => names.has(name));
    const image =
      database.kind === 'sqlite'
        ? await takeSqliteImage(db, shapes, isTime)
        : await takeMysqlImage(db, shapes, isTime);
    afterCommit(db, () => {
      if (dropped) images.delete(dropped[0]);
      images.set(key, { image, takenAt: now });
    });
  }
}

const isTime: IsTime = (table, column) =>
  Table.declared.get(`${table}.${column}`)?.some((rules) => rules.isTime) ?? false;
