// Tables for the metadata definitions of Image: namespaces with their objects, properties, tags and
// resource types.
import type { Knex } from 'knex';
import type { Migration } from '../../src/kernel/db/database.ts';

export const imageMetadefs: Migration = {
  name: 'image-metadefs',
  async up(db) {
    await db.schema.createTable('image_metadef_namespaces', (table) => {
      table.increments('id');
      table.string('namespace', 80).notNullable();
      table.string('display_name', 80);
      table.text('description');
      table.string('visibility', 20).notNullable();
      table.boolean('protected').notNullable();
      table.string('owner', 255).notNullable();
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.unique(['namespace'], { indexName: 'image_metadef_namespaces_namespace' });
      table.index(['owner'], 'image_metadef_namespaces_owner');
    });
    await db.schema.createTable('image_metadef_objects', (table) => {
      namedInNamespace(table, 'image_metadef_objects');
      table.text('description');
      table.text('required', 'mediumtext').notNullable();
      table.text('properties', 'mediumtext').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
    });
    await db.schema.createTable('image_metadef_properties', (table) => {
      namedInNamespace(table, 'image_metadef_properties');
      table.text('definition', 'mediumtext').notNullable();
    });
    await db.schema.createTable('image_metadef_tags', (table) => {
      namedInNamespace(table, 'image_metadef_tags');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
    });
    await db.schema.createTable('image_metadef_associations', (table) => {
      namedInNamespace(table, 'image_metadef_associations');
      table.string('prefix', 80);
      table.string('properties_target', 80);
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['name'], 'image_metadef_associations_type');
    });
    // Every type that was ever associated: they outlive their associations.
    await db.schema.createTable('image_metadef_resource_types', (table) => {
      table.increments('id');
      table.string('name', 80).notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.unique(['name'], { indexName: 'image_metadef_resource_types_name' });
    });
  },
};

/** Rows with a name that is unique in their namespace, in the order of their creation. */
function namedInNamespace(table: Knex.CreateTableBuilder, name: string): void {
  table.increments('id');
  table.integer('namespace_id').unsigned().notNullable().references('image_metadef_namespaces.id');
  table.string('name', 80).notNullable();
  table.unique(['namespace_id', 'name'], { indexName: `${name}_name` });
}
