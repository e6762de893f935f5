// The names of what decisions were about: a refused lease has a name and no id.
import type { Migration } from '../../src/kernel/db/database.ts';

export const explanationNames: Migration = {
  name: 'explanations-2',
  async up(db) {
    await db.schema.alterTable('explanations', (table) => {
      table.string('name', 255).notNullable().defaultTo('');
      table.index(['kind', 'name'], 'explanations_name');
    });
  },
};
