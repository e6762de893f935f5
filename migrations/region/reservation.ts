// Tables of Reservation.
import type { Migration } from '../../src/kernel/db/database.ts';

export const reservation: Migration = {
  name: 'reservation-1',
  async up(db) {
    await db.schema.createTable('reservation_leases', (table) => {
      table.string('id', 36).primary();
      table.string('name', 80).notNullable();
      table.string('user_id', 255).notNullable();
      table.string('project_id', 255).notNullable();
      table.bigInteger('start_at').notNullable();
      table.bigInteger('end_at').notNullable();
      table.string('trust_id', 36);
      table.string('status', 20).notNullable();
      table.boolean('degraded').notNullable();
      // Incremented by every update, for optimistic locking.
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.index(['project_id', 'created_at', 'id'], 'reservation_leases_project');
      table.index(['created_at', 'id'], 'reservation_leases_created');
    });
    await db.schema.createTable('reservation_reservations', (table) => {
      table.string('id', 36).primary();
      table
        .string('lease_id', 36)
        .notNullable()
        .references('reservation_leases.id')
        .onDelete('CASCADE');
      table.integer('position').notNullable();
      table.string('resource_id', 36).notNullable();
      table.string('resource_type', 66).notNullable();
      table.string('status', 13).notNullable();
      table.boolean('missing_resources').notNullable();
      table.boolean('resources_changed').notNullable();
      // The fields that only this type of resource has, as JSON.
      table.text('details', 'mediumtext').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.unique(['lease_id', 'position'], { indexName: 'reservation_reservations_lease' });
    });
    await db.schema.createTable('reservation_events', (table) => {
      table.string('id', 36).primary();
      table
        .string('lease_id', 36)
        .notNullable()
        .references('reservation_leases.id')
        .onDelete('CASCADE');
      table.integer('position').notNullable();
      table.string('event_type', 66).notNullable();
      table.bigInteger('time');
      table.string('status', 13);
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.unique(['lease_id', 'position'], { indexName: 'reservation_events_lease' });
      table.index(['event_type', 'status', 'time'], 'reservation_events_due');
    });
    await db.schema.createTable('reservation_hosts', (table) => {
      // The id of the hypervisor in Compute.
      table.integer('id').primary();
      table
        .string('hypervisor_hostname', 255)
        .notNullable()
        .unique({ indexName: 'reservation_hosts_hostname' });
      table.string('service_name', 255).notNullable();
      table.string('hypervisor_type', 255).notNullable();
      table.integer('hypervisor_version').notNullable();
      table.integer('vcpus').notNullable();
      table.integer('memory_mb').notNullable();
      table.integer('local_gb').notNullable();
      table.text('cpu_info', 'mediumtext').notNullable();
      table.string('availability_zone', 255).notNullable();
      table.string('trust_id', 36);
      table.boolean('reservable').notNullable();
      // The host's inventory in Placement, as JSON: for each class, the usable amount and the
      // largest unit.
      table.text('stocks', 'mediumtext').notNullable();
      // Incremented by every allocation on the host, so that two concurrent ones cannot both
      // commit.
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
    });
    await db.schema.createTable('reservation_properties', (table) => {
      table.string('id', 36).primary();
      table.string('resource_type', 66).notNullable();
      table.string('name', 64).notNullable();
      table.boolean('private').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.unique(['resource_type', 'name'], { indexName: 'reservation_properties_name' });
    });
    await db.schema.createTable('reservation_capabilities', (table) => {
      table.integer('host_id').notNullable().references('reservation_hosts.id').onDelete('CASCADE');
      table.string('property_id', 36).notNullable().references('reservation_properties.id');
      table.text('value', 'mediumtext').notNullable();
      table.primary(['host_id', 'property_id']);
    });
    // The slots of a host that a reservation occupies: an instance reservation may have several, a
    // host reservation has one.
    await db.schema.createTable('reservation_allocations', (table) => {
      table
        .string('reservation_id', 36)
        .notNullable()
        .references('reservation_reservations.id')
        .onDelete('CASCADE');
      table.integer('host_id').notNullable().references('reservation_hosts.id');
      table.integer('slots').notNullable();
      table.bigInteger('start_at').notNullable();
      table.bigInteger('end_at').notNullable();
      table.primary(['reservation_id', 'host_id']);
      table.index(['end_at', 'start_at', 'host_id'], 'reservation_allocations_window');
      table.index(['host_id', 'end_at'], 'reservation_allocations_host');
    });
    await db.schema.createTable('reservation_floatingips', (table) => {
      table.string('id', 36).primary();
      table.string('network_id', 255).notNullable();
      table.string('subnet_id', 255).notNullable();
      table.string('address', 255).notNullable();
      table.boolean('reservable').notNullable();
      table.integer('revision').notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('updated_at');
      table.unique(['subnet_id', 'address'], { indexName: 'reservation_floatingips_address' });
    });
    await db.schema.createTable('reservation_floatingip_allocations', (table) => {
      table
        .string('reservation_id', 36)
        .notNullable()
        .references('reservation_reservations.id')
        .onDelete('CASCADE');
      table.string('floatingip_id', 36).notNullable().references('reservation_floatingips.id');
      table.bigInteger('start_at').notNullable();
      table.bigInteger('end_at').notNullable();
      table.primary(['reservation_id', 'floatingip_id']);
      table.index(['floatingip_id', 'end_at'], 'reservation_floatingip_allocations_ip');
    });
    await db.schema.createTable('reservation_settings', (table) => {
      table.string('name', 64).primary();
      table.text('value', 'mediumtext').notNullable();
    });
  },
};
