// The explanations of decisions. A reset of a region empties the table.
import type { Migration } from '../../src/kernel/db/database.ts';

export const explanations: Migration = {
  name: 'explanations-1',
  async up(db) {
    await db.schema.createTable('explanations', (table) => {
      table.increments('id');
      table.string('request_id', 64).notNullable();
      table.string('kind', 32).notNullable();
      table.string('subject', 64).notNullable();
      table.string('outcome', 16).notNullable();
      table.text('explanation', 'mediumtext').notNullable();
      table.bigInteger('created_at').notNullable();
      table.unique(['request_id', 'kind', 'subject'], { indexName: 'explanations_decision' });
      table.index(['kind', 'subject'], 'explanations_subject');
    });
  },
};
