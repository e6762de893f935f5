// The locations of images in stores, the tasks that import them, and the image cache.
import type { Migration } from '../../src/kernel/db/database.ts';

export const imageImports: Migration = {
  name: 'image-imports',
  async up(db) {
    await db.schema.alterTable('image_images', (table) => {
      // A JSON list; null for an image without data.
      table.text('locations');
    });
    await db('image_images')
      .whereIn('status', ['active', 'deactivated'])
      .update({ locations: JSON.stringify([{ store: 'local' }]) });
    await db.schema.createTable('image_tasks', (table) => {
      table.string('id', 36).primary();
      table.string('type', 30).notNullable();
      table.string('status', 30).notNullable();
      table.string('owner', 255).notNullable();
      table.string('user_id', 64);
      table.string('request_id', 64);
      table.string('image_id', 36);
      table.text('input', 'mediumtext').notNullable();
      table.text('result', 'mediumtext').notNullable();
      table.text('message').notNullable();
      table.bigInteger('expires_at');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.index(['created_at', 'id'], 'image_tasks_created');
      table.index(['image_id'], 'image_tasks_image');
    });
    await db.schema.createTable('image_cache', (table) => {
      table.string('image_id', 36).primary();
      table.boolean('queued').notNullable();
      table.integer('hits').notNullable();
      table.bigInteger('size').notNullable();
      table.bigInteger('last_accessed').notNullable();
      table.bigInteger('last_modified').notNullable();
    });
  },
};
