// Tests the pools of the scheduler.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createSnapshot, createVolume } from '../support.ts';

onEachDatabase('GET /scheduler-stats/get_pools', { auth: 'noauth2' }, (world) => {
  const path = '/scheduler-stats/get_pools';

  it('lists the pool', async () => {
    expect((await askAsAdmin(world, 'GET', path).expect(200)).body.pools).to.deep.equal([
      { name: 'cumulet@lvmdriver-1#lvmdriver-1' },
    ]);
  });

  it('includes the capabilities for detail=True', async () => {
    await createSnapshot(world, 'alice', await createVolume(world, 'alice', { size: 3 }));
    const [full] = (await askAsAdmin(world, 'GET', `${path}?detail=True`)).body.pools;
    expect(full.capabilities).to.include({
      allocated_capacity_gb: 3,
      total_volumes: 2,
      storage_protocol: 'iSCSI',
    });
  });

  it('filters by name', async () => {
    expect((await askAsAdmin(world, 'GET', `${path}?name=x`)).body.pools).to.deep.equal([]);
  });

  it('returns 403 for a member', async () => {
    await ask(world, 'alice', 'GET', path).expect(403);
  });
});
