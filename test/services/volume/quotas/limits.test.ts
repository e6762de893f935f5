// Tests limits.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, askAsAdmin, createSnapshot, createVolume } from '../support.ts';

onEachDatabase('limits', { auth: 'noauth2' }, (world) => {
  const limits = { quota_set: { volumes: 5 } };

  it('shows the limits and the usage of the project', async () => {
    await createSnapshot(world, 'alice', await createVolume(world, 'alice', { size: 2 }));
    await askAsAdmin(world, 'PUT', '/os-quota-sets/b1', limits).expect(200);
    const { body } = await ask(world, 'alice', 'GET', '/limits').expect(200);
    expect(body.limits.absolute).to.include({
      maxTotalVolumes: 5,
      totalVolumesUsed: 1,
      totalGigabytesUsed: 4,
      totalSnapshotsUsed: 1,
    });
  });

  it('shows the limits of another project to an administrator', async () => {
    await askAsAdmin(world, 'PUT', '/os-quota-sets/b1', limits).expect(200);
    const { body } = await askAsAdmin(world, 'GET', '/limits?project_id=b1');
    expect(body.limits.absolute).to.include({ maxTotalVolumes: 5 });
  });
});
