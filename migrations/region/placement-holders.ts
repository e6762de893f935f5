// An index of the allocations by inventory. MySQL makes one for each foreign key, SQLite does not:
// it read all allocations to find those from one provider.
import type { Migration } from '../../src/kernel/db/database.ts';

export const placementHolders: Migration = {
  name: 'placement-2',
  async up(db) {
    await db.schema.alterTable('placement_allocations', (table) => {
      table.index(['provider_id', 'class_id'], 'placement_allocations_inventory');
    });
  },
};
