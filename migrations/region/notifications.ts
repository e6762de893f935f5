// The notifications of services. A reset of a region empties the table.
import type { Migration } from '../../src/kernel/db/database.ts';

export const notifications: Migration = {
  name: 'notifications-1',
  async up(db) {
    await db.schema.createTable('notifications', (table) => {
      table.increments('id');
      table.string('service', 100).notNullable();
      table.string('message_id', 36).notNullable();
      table.string('publisher_id', 255).notNullable();
      table.string('event_type', 255).notNullable();
      table.string('priority', 16).notNullable();
      table.string('user_id', 64);
      table.string('project_id', 64);
      table.string('request_id', 64).notNullable();
      table.text('payload', 'mediumtext').notNullable();
      table.bigInteger('created_at').notNullable();
    });
  },
};
