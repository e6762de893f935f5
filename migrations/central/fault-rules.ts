// The rules of fault injection. A reset empties the table; it belongs to no service.
import type { Migration } from '../../src/kernel/db/database.ts';

export const faults: Migration = {
  name: 'faults-1',
  async up(db) {
    await db.schema.createTable('faults', (table) => {
      table.increments('id');
      table.text('rule').notNullable();
      table.bigInteger('matched').notNullable();
      table.bigInteger('hit').notNullable();
      table.bigInteger('created_at').notNullable();
    });
  },
};
