// Exports a cloud with rows in almost all tables, and imports it again: nothing in it is refused.
import { expect } from 'chai';
import { ownCloud, World } from '../../support/cloud.ts';
import type { Client } from '../../support/raw.ts';
import { fillCloud, read, type Read } from './full-cloud.ts';
import { errorIn, snapshotsOf } from './support.ts';

/** The columns of the statuses of resources. */
const statuses = [
  'compute_servers.vm_state',
  'compute_servers.task_state',
  'compute_server_migrations.status',
  'volume_volumes.status',
  'volume_volumes.attach_status',
  'volume_snapshots.status',
  'volume_attachments.status',
  'network_networks.status',
  'network_ports.status',
  'network_routers.status',
  'network_floatingips.status',
  'image_images.status',
  'image_members.status',
  'clustering_clusters.status',
  'clustering_nodes.status',
  'clustering_actions.status',
];

describe('the document of a cloud with all kinds of resources', () => {
  let opened: NonNullable<Awaited<ReturnType<typeof ownCloud>>>;
  let world: World;
  let client: Client;
  let reads: readonly Read[];

  before(async () => {
    const regions = ['CentralRegion', 'RegionOne'];
    const latency = { 'server.os-migrateLive': 3_600_000_000 };
    opened = (await ownCloud('sqlite', { auth: 'noauth2', hosts: '3', regions, latency }))!;
    world = new World('sqlite');
    world.enter(opened);
    ({ client, reads } = await fillCloud(world));
  });

  after(async () => {
    client?.close();
    await opened?.close();
  });

  it('is imported, and all reads answer afterwards', async () => {
    const document = await snapshotsOf(world).export();
    expect(document.match(/^\{"table":/gm)!.length).to.be.greaterThan(100);
    await snapshotsOf(world).import(document).expect(204);
    const failed: string[] = [];
    for (const one of reads) {
      const { status, text } = await read(client, one);
      if (status === 500) failed.push(`${one.path}: ${text}`);
    }
    expect(failed).to.deep.equal([]);
  });

  for (const name of statuses)
    it(`is refused with an unknown ${name}, with its line`, async () => {
      const lines = (await snapshotsOf(world).export()).split('\n');
      const number = changeRow(lines, name, 'unknown');
      expect(errorIn(await snapshotsOf(world).import(lines.join('\n')))).to.include(
        `400 Line ${number} of the document is invalid: ${name} must be one of `,
      );
    });

  it('is refused with the usage of a pod that has no list of pools, with its line', async () => {
    const lines = (await snapshotsOf(world).export()).split('\n');
    const usage = { pools: { name: 'pool' }, total_capacity_gb: 0, free_capacity_gb: 0 };
    const number = changeRow(lines, 'tricircle_pod_usages.cinder_usage', JSON.stringify(usage));
    expect(errorIn(await snapshotsOf(world).import(lines.join('\n')))).to.include(
      `400 Line ${number} of the document is invalid: tricircle_pod_usages.cinder_usage must be `,
    );
  });

  it('is refused with a lock of an unknown cluster or node, with its line', async () => {
    const { db } = world.cloud.firstRegion.database;
    await db('clustering_locks').insert({ target: 'unknown', exclusive: 1, action_ids: '[]' });
    const lines = (await snapshotsOf(world).export()).split('\n');
    await db('clustering_locks').where({ target: 'unknown' }).delete();
    const number = lines.findIndex((line) => line.startsWith('["unknown",1,')) + 1;
    expect(errorIn(await snapshotsOf(world).import(lines.join('\n')))).to.include(
      `400 Line ${number} of the document is invalid: clustering_locks.target refers to "unknown"`,
    );
  });
});

/** Changes a column of the first row of a table that has rows. @returns the number of its line */
function changeRow(lines: string[], name: string, value: unknown): number {
  const [table, column] = name.split('.') as [string, string];
  const at = lines.findIndex(
    (line, index) => line.startsWith(`{"table":"${table}"`) && lines[index + 1]!.startsWith('['),
  );
  const { columns } = JSON.parse(lines[at]!) as { columns: string[] };
  const row = (JSON.parse(lines[at + 1]!) as unknown[]).with(columns.indexOf(column), value);
  lines[at + 1] = JSON.stringify(row);
  return at + 2;
}
