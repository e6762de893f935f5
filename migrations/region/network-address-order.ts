// Fixed IPs lose their position: those of a port are sorted by address.
import type { Migration } from '../../src/kernel/db/database.ts';

export const networkAddressOrder: Migration = {
  name: 'network-5',
  async up(db) {
    // Plain SQL, because knex would rebuild the table on SQLite.
    await db.raw('ALTER TABLE network_addresses DROP COLUMN place');
  },
};
