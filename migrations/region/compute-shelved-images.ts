// The images of shelved servers.
import type { Migration } from '../../src/kernel/db/database.ts';

export const computeShelvedImages: Migration = {
  name: 'compute-shelved-images-1',
  async up(db) {
    await db.schema.alterTable('compute_servers', (table) => {
      table.string('shelved_image_id', 36);
    });
  },
};
