// Tables of Placement.
import type { Migration } from '../../src/kernel/db/database.ts';

export const placement: Migration = {
  name: 'placement-1',
  async up(db) {
    await db.schema.createTable('placement_providers', (table) => {
      table.increments('id');
      table.string('uuid', 36).notNullable().unique({ indexName: 'placement_providers_uuid' });
      table.string('name', 200).notNullable().unique({ indexName: 'placement_providers_name' });
      table.integer('generation').notNullable().defaultTo(0);
      // A root's own id; null only between the two statements that create it.
      table.integer('root_id').unsigned();
      table.integer('parent_id').unsigned().references('placement_providers.id');
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['root_id', 'id'], 'placement_providers_root');
      table.index(['parent_id', 'id'], 'placement_providers_parent');
    });
    for (const [name, length] of [
      ['resource_classes', 255],
      ['traits', 255],
      ['consumer_types', 255],
      ['aggregates', 64],
    ] as const) {
      await db.schema.createTable(`placement_${name}`, (table) => {
        // Ids are assigned explicitly: the standard ones are the same in every database.
        if (name === 'resource_classes' || name === 'traits')
          table.integer('id').unsigned().primary();
        else table.increments('id');
        table
          .string('name', length)
          .notNullable()
          .unique({ indexName: `placement_${name}_name` });
        table.bigInteger('created_at').notNullable();
        table.bigInteger('updated_at');
      });
    }
    await db.schema.createTable('placement_inventories', (table) => {
      table.integer('provider_id').unsigned().notNullable().references('placement_providers.id');
      table
        .integer('class_id')
        .unsigned()
        .notNullable()
        .references('placement_resource_classes.id');
      // A copy of the provider's root, to find the inventories of a tree without a join.
      table.integer('root_id').unsigned().notNullable();
      for (const name of ['total', 'reserved', 'min_unit', 'max_unit', 'step_size'])
        table.integer(name).notNullable();
      table.double('allocation_ratio').notNullable();
      // The sum of the allocations, updated with each of them.
      table.bigInteger('used').notNullable().defaultTo(0);
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.primary(['provider_id', 'class_id']);
      table.index(['root_id', 'class_id'], 'placement_inventories_root');
      table.index(['class_id'], 'placement_inventories_class');
    });
    await db.schema.createTable('placement_consumers', (table) => {
      table.increments('id');
      table.string('uuid', 36).notNullable().unique({ indexName: 'placement_consumers_uuid' });
      table.string('project_id', 255).notNullable();
      table.string('user_id', 255).notNullable();
      table.integer('type_id').unsigned().references('placement_consumer_types.id');
      table.integer('generation').notNullable().defaultTo(0);
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['project_id', 'user_id'], 'placement_consumers_project');
    });
    await db.schema.createTable('placement_allocations', (table) => {
      table.integer('consumer_id').unsigned().notNullable().references('placement_consumers.id');
      table.integer('provider_id').unsigned().notNullable();
      table.integer('class_id').unsigned().notNullable();
      table.integer('used').notNullable();
      table.bigInteger('created_at').notNullable();
      table.primary(['consumer_id', 'provider_id', 'class_id']);
      table
        .foreign(['provider_id', 'class_id'])
        .references(['provider_id', 'class_id'])
        .inTable('placement_inventories');
    });
    for (const name of ['trait', 'aggregate'] as const) {
      await db.schema.createTable(`placement_provider_${name}s`, (table) => {
        table.integer('provider_id').unsigned().notNullable().references('placement_providers.id');
        table.integer(`${name}_id`).unsigned().notNullable().references(`placement_${name}s.id`);
        table.primary(['provider_id', `${name}_id`]);
        table.index([`${name}_id`, 'provider_id'], `placement_provider_${name}s_${name}`);
      });
    }
  },
};
