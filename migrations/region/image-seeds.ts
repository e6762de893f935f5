// A record that a region was seeded with its image, so that the image is not created again if a
// client, or a world, deletes it.
import type { Migration } from '../../src/kernel/db/database.ts';

export const imageSeeds: Migration = {
  name: 'image-seeds',
  async up(db) {
    await db.schema.createTable('image_seeds', (table) => {
      table.string('name', 64).primary();
    });
  },
};
