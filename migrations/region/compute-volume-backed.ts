// Whether a server's root disk is on a volume: one that starts from an image with block devices has
// the image and is on a volume.
import type { Migration } from '../../src/kernel/db/database.ts';

export const computeVolumeBacked: Migration = {
  name: 'compute-volume-backed-1',
  async up(db) {
    await db.schema.alterTable('compute_servers', (table) => {
      table.boolean('on_volume').notNullable().defaultTo(false);
    });
    await db('compute_servers').where({ image_id: '' }).update({ on_volume: true });
  },
};
