// The Network's agents: what operators say of them, and what runs on which.
import type { Migration } from '../../src/kernel/db/database.ts';

export const networkAgents: Migration = {
  name: 'network-3',
  async up(db) {
    await db.schema.createTable('network_agents', (table) => {
      table.string('id', 36).primary();
      table.integer('admin_state_up').notNullable();
      table.string('description', 255);
    });
    // Networks on DHCP agents, and routers on L3 agents.
    await db.schema.createTable('network_agent_bindings', (table) => {
      table.string('subject_id', 36).notNullable();
      table.string('agent_id', 36).notNullable().index('network_agent_bindings_agent');
      table.primary(['subject_id', 'agent_id']);
    });
  },
};
