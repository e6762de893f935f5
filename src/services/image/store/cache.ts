// The table of the image cache.
import { boolean, integer, micros, named, text } from '../../../kernel/db/columns.ts';
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
