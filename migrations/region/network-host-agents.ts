// Stores the agents of Network as rows, with their start times: the hosts of Compute report
// themselves.
import { uuidFor } from '../../src/kernel/ids.ts';
import type { Migration } from '../../src/kernel/db/database.ts';

interface State {
  readonly id: string;
  readonly admin_state_up: number;
  readonly description: string | null;
}

export const networkHostAgents: Migration = {
  name: 'network-4',
  async up(db) {
    // Until now the agents followed from the hosts; only their administrative changes were stored.
    const states = new Map(
      ((await db('network_agents').orderBy('id')) as State[]).map((state) => [state.id, state]),
    );
    await db.schema.dropTable('network_agents');
    await db.schema.createTable('network_agents', (table) => {
      table.increments('number');
      table.string('id', 36).notNullable().unique({ indexName: 'network_agents_id' });
      table.string('agent_type', 40).notNullable();
      table.string('host', 255).notNullable().index('network_agents_host');
      table.integer('admin_state_up').notNullable();
      table.string('description', 255);
      table.bigInteger('started_at').notNullable();
    });
    const [first] = (await db('network_networks').min('created_at as at')) as {
      at: number | null;
    }[];
    const isSeeded = await db('network_projects').where({ project_id: '' }).first();
    if (!isSeeded) return;
    const hosts = (await db('compute_hosts').orderBy('id').select('name', 'created_at')) as {
      name: string;
      created_at: number;
    }[];
    const node = 'cumulet';
    const since = Number(first?.at ?? hosts[0]?.created_at ?? 0);
    const agents = [
      ...['DHCP agent', 'L3 agent', 'Open vSwitch agent'].map((type) => ({
        type,
        host: node,
        at: since,
      })),
      ...hosts
        .filter(({ name }) => name !== node)
        .map(({ name, created_at }) => ({
          type: 'Open vSwitch agent',
          host: name,
          at: Number(created_at),
        })),
    ];
    for (const { type, host, at } of agents) {
      const id = uuidFor(`network.agent.${type}.${host}`);
      const { admin_state_up = 1, description = null } = states.get(id) ?? {};
      await db('network_agents').insert({
        id,
        agent_type: type,
        host,
        admin_state_up,
        description,
        started_at: at,
      });
    }
  },
};
