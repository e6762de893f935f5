// Tests hosts and their usage.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { askAsAdmin, createSnapshot, createVolume } from '../support.ts';

onEachDatabase('hosts of Volume', { auth: 'noauth2' }, (world) => {
  it('GET /os-hosts lists the hosts of the enabled services', async () => {
    expect((await askAsAdmin(world, 'GET', '/os-hosts')).body.hosts).to.have.length(3);
  });

  it('GET /os-hosts/{host} shows the usage in total and by project', async () => {
    await createSnapshot(world, 'alice', await createVolume(world, 'alice', { size: 3 }));
    const path = '/os-hosts/cumulet@lvmdriver-1';
    const { host } = (await askAsAdmin(world, 'GET', path).expect(200)).body;
    expect(host.map((one: { resource: object }) => one.resource)).to.deep.equal(
      ['(total)', 'b1'].map((project) => ({
        host: 'cumulet@lvmdriver-1',
        project,
        volume_count: '1',
        total_volume_gb: '3',
        snapshot_count: '1',
        total_snapshot_gb: '3',
      })),
    );
  });
});
