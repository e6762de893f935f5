// The table of the image cache.
import { boolean, integer, micros, named, text } from '../../../kernel/db/columns.ts';
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { CachedImage } from '../model.ts';

export const cache = new Table<CachedImage>(
  'image_cache',
  {
    imageId: text,
    isQueued: named('queued', boolean),
    hits: integer,
    size: integer,
    lastAccessed: micros,
    lastModified: micros,
  },
  { key: 'imageId' },
);

/** Counts a download of a cached image. @returns whether it is cached */
export const countHit = async (db: Db, imageId: string, now: Micros): Promise<boolean> => {
  const cached = db(cache.name).where({ image_id: imageId, queued: 0 });
  return (await cached.update({ hits: db.raw('hits + 1'), last_accessed: now })) > 0;
};
