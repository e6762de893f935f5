// Exports a cloud with rows in almost all tables, and imports it again: nothing in it is refused.
import { expect } from 'chai';
import { ownCloud, World } from '../../support/cloud.ts';
import type { Client } from '../../support/raw.ts';
import { fillCloud, read, type Read } from './full-cloud.ts';
import { snapshotsOf } from './support.ts';

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
});
