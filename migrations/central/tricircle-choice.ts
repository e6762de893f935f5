// Prices of pods, and where projects want their new volumes.
import type { Migration } from '../../src/kernel/db/database.ts';

export const tricircleChoice: Migration = {
  name: 'tricircle-2',
  async up(db) {
    await db.schema.alterTable('tricircle_pods', (table) => {
      table.text('prices');
    });
    await db.schema.createTable('tricircle_volume_placements', (table) => {
      table.string('project_id', 255).primary();
      // The id of a server, or `latest`; null for the pod that the project is bound to.
      table.string('local_to_instance', 127);
    });
  },
};
