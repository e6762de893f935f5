// Why a reservation has failed.
import type { Migration } from '../../src/kernel/db/database.ts';

export const reservationErrors: Migration = {
  name: 'reservation-2',
  async up(db) {
    await db.schema.alterTable('reservation_reservations', (table) => {
      table.text('error');
    });
  },
};
