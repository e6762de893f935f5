// The outbox: messages for servers outside of the cloud, and those that could not be delivered.
import type { Migration } from '../../src/kernel/db/database.ts';

export const outbox: Migration = {
  name: 'outbox-1',
  async up(db) {
    await db.schema.createTable('outbox', (table) => {
      table.increments('id');
      table.string('kind', 100).notNullable();
      table.text('payload').notNullable();
      table.bigInteger('created_at').notNullable();
      // When a process began to send the message; null if none does.
      table.bigInteger('claimed_at');
      // Why the last attempt failed; null for a message that is still to be sent.
      table.text('error');
    });
  },
};
