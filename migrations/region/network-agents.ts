// The agents of Network: their administrative changes, and the networks and routers that they
// serve.
import type { Migration } from '../../src/kernel/db/database.ts';

export const networkAgents: Migration = {
  name: 'network-3',
  async up(db) {
    await db.schema.createTable('network_agents', (table) => {
      table.string('id', 36).primary();
      table.integer('admin_state_up').notNullable();
      table.string('description', 255);
    });
    // The networks of DHCP agents, and the routers of L3 agents.
    await db.schema.createTable('network_agent_bindings', (table) => {
      table.string('subject_id', 36).notNullable();
      table.string('agent_id', 36).notNullable().index('network_agent_bindings_agent');
      table.primary(['subject_id', 'agent_id']);
    });
  },
};
