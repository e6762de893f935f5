// Segments become resources, of which a network may have several, and subnets join segments.
import { newUuid } from '../../src/kernel/ids.ts';
import type { Db, Migration } from '../../src/kernel/db/database.ts';
import { standardColumns } from './network.ts';

/** A row of the table before. */
interface Allocation {
  readonly network_id: string;
  readonly network_type: string;
  readonly physical_network: string;
  readonly segmentation_id: number | null;
}

/** The segments that the networks have. Local networks had none. */
async function currentSegments(db: Db): Promise<Allocation[]> {
  const allocations = (await db('network_segments').select()) as Allocation[];
  const local = (await db('network_networks')
    .where({ provider_network_type: 'local' })
    .select('id')) as { id: string }[];
  const place = { network_type: 'local', physical_network: '', segmentation_id: null };
  return [...allocations, ...local.map(({ id }) => ({ ...place, network_id: id }))];
}

export const networkSegments: Migration = {
  name: 'network-17',
  async up(db) {
    const segments = await currentSegments(db);
    const networks = (await db('network_networks').select('id', 'created_at')) as {
      id: string;
      created_at: number;
    }[];
    const createdAt = new Map(networks.map((network) => [network.id, network.created_at]));
    await db.schema.dropTable('network_segments');
    await db.schema.createTable('network_segments', (table) => {
      standardColumns(table);
      table.string('name', 255);
      table
        .string('network_id', 36)
        .notNullable()
        .references('network_networks.id')
        .index('network_segments_network');
      table.string('network_type', 32).notNullable();
      // Empty for a type without physical networks.
      table.string('physical_network', 64).notNullable();
      // 0 for a flat segment, so that the physical network has one; null for a local segment.
      table.bigInteger('segmentation_id');
      table.integer('segment_index').notNullable();
      table.unique(['network_type', 'physical_network', 'segmentation_id'], {
        indexName: 'network_segments_allocation',
      });
    });
    for (const segment of segments) {
      const time = createdAt.get(segment.network_id);
      await db('network_segments').insert({
        ...segment,
        id: newUuid(),
        project_id: '',
        description: '',
        revision_number: 0,
        created_at: time,
        updated_at: time,
        segment_index: 0,
      });
    }
    await db.schema.alterTable('network_subnets', (table) => {
      table
        .string('segment_id', 36)
        .references('network_segments.id')
        .index('network_subnets_segment');
    });
    await db.schema.alterTable('network_ports', (table) => {
      table.string('ip_allocation', 16).notNullable().defaultTo('immediate');
    });
  },
};
