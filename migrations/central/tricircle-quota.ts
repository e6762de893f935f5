// The table of quota reservations of the gateways.
import type { Migration } from '../../src/kernel/db/database.ts';

export const tricircleQuota: Migration = {
  name: 'tricircle-quota-1',
  async up(db) {
    await db.schema.createTable('tricircle_quota_reservations', (table) => {
      table.bigIncrements('id');
      table.string('project_id', 255).notNullable();
      table.string('user_id', 255).notNullable();
      table.string('service', 32).notNullable();
      // Amounts by resource, as JSON.
      table.text('amounts').notNullable();
      // The machine's time, in microseconds.
      table.bigInteger('reserved_at').notNullable();
      table.index(['project_id', 'service', 'id'], 'tricircle_quota_project');
    });
  },
};
