// Tables of Image.
import type { Migration } from '../../src/kernel/db/database.ts';

export const image: Migration = {
  name: 'image-1',
  async up(db) {
    await db.schema.createTable('image_images', (table) => {
      table.string('id', 36).primary();
      table.string('name', 255);
      table.string('status', 30).notNullable();
      table.string('visibility', 20).notNullable();
      table.string('owner', 255);
      table.bigInteger('size');
      table.bigInteger('virtual_size');
      table.string('checksum', 32);
      table.string('os_hash_algo', 64);
      table.string('os_hash_value', 128);
      table.string('container_format', 20);
      table.string('disk_format', 20);
      table.integer('min_disk').notNullable();
      table.integer('min_ram').notNullable();
      table.boolean('protected').notNullable();
      table.boolean('os_hidden').notNullable();
      // Incremented by every update, for optimistic locking.
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.index(['created_at', 'id'], 'image_images_created');
      table.index(['owner'], 'image_images_owner');
    });
    await db.schema.createTable('image_properties', (table) => {
      table.string('image_id', 36).notNullable().references('image_images.id');
      table.string('name', 255).notNullable();
      table.text('value', 'mediumtext').notNullable();
      table.primary(['image_id', 'name']);
    });
    await db.schema.createTable('image_tags', (table) => {
      table.string('image_id', 36).notNullable().references('image_images.id');
      table.string('value', 255).notNullable();
      table.primary(['image_id', 'value']);
      table.index(['value'], 'image_tags_value');
    });
    await db.schema.createTable('image_members', (table) => {
      table.string('image_id', 36).notNullable().references('image_images.id');
      table.string('member', 255).notNullable();
      table.string('status', 20).notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at').notNullable();
      table.primary(['image_id', 'member']);
      table.index(['member'], 'image_members_member');
    });
    // The data in chunks, so that no row exceeds the size of a statement that databases accept.
    await db.schema.createTable('image_data', (table) => {
      table.string('image_id', 36).notNullable().references('image_images.id');
      table.integer('part').notNullable();
      table.specificType('bytes', 'mediumblob').notNullable();
      table.primary(['image_id', 'part']);
    });
  },
};
