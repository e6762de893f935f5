// Tests of a cluster with a policy of every type.
import { expect } from 'chai';
import { novaSpec, onClustering } from '../support.ts';

const zones = [{ name: 'az1' }, { name: 'az2' }, { name: 'az3' }];

/** The types of the policies, with their properties and versions. */
const policies: readonly (readonly [type: string, properties: object, version?: string])[] = [
  ['scaling', { event: 'CLUSTER_SCALE_OUT', adjustment: { number: 6 } }],
  ['scaling', { event: 'CLUSTER_SCALE_IN', adjustment: { number: 3 } }],
  ['region_placement', { regions: [{ name: 'RegionOne' }] }],
  ['zone_placement', { zones }],
  ['affinity', { servergroup: { policies: 'soft-anti-affinity' } }],
  ['deletion', { criteria: 'OLDEST_FIRST' }, '1.1'],
  ['batch', { max_batch_size: 2, pause_time: 0 }],
  [
    'health',
    {
      detection: { detection_modes: [{ type: 'NODE_STATUS_POLLING' }] },
      recovery: { actions: [{ name: 'RECREATE' }] },
    },
    '1.2',
  ],
  ['loadbalance', { pool: { subnet: 'private-subnet' }, vip: { subnet: 'private-subnet' } }, '1.3'],
];

onClustering('policies of all types', { az1: 2, az2: 2, az3: 2 }, (clustering, world) => {
  let id: string;

  beforeEach(async () => {
    id = await clustering.createCluster(0, { max_size: 8 });
    for (const [index, [type, properties, version]] of policies.entries()) {
      const policy = await clustering.createPolicy(type, properties, `p${index}`, version);
      await clustering.attachPolicy(id, policy);
    }
  });

  const poolMembers = async (): Promise<string[]> =>
    (await clustering.membersOf(id)).flatMap(({ data }) =>
      'lb_member' in data ? [String(data.lb_member)] : [],
    );

  it('decide in the order of their priorities when a cluster grows', async () => {
    const grown = await clustering.runAction(id, { scale_out: {} });
    expect(grown.data.creation).to.deep.include({
      count: 6,
      zones: { az1: 2, az2: 2, az3: 2 },
      regions: { RegionOne: 6 },
    });
    expect(grown.data.placement!.count).to.equal(6);
    expect(await clustering.zonesOf(id)).to.deep.equal({ az1: 2, az2: 2, az3: 2 });
    const [first] = await clustering.membersOf(id);
    expect(first!.data.placement).to.include.keys('servergroup', 'zone', 'region_name');
    expect(grown.data.creation!.nodes).to.have.length(6);
    expect(new Set(await poolMembers()).size).to.equal(6);
  });

  it('recover a node in its zone', async () => {
    await clustering.runAction(id, { scale_out: {} });
    const [first] = await clustering.membersOf(id);
    await clustering.requestCompute('DELETE', `/servers/${first!.physical_id}`).expect(204);
    await world.setTime('2026-11-20T12:10:00Z');
    expect(await clustering.showNode(first!.id)).to.include({
      status: 'ACTIVE',
      status_reason: 'Recovery succeeded',
    });
    expect(await clustering.zonesOf(id)).to.deep.equal({ az1: 2, az2: 2, az3: 2 });
  });

  it('decide in the order of their priorities when a cluster shrinks and grows #senlin-3 #senlin-4 #senlin-14', async () => {
    await clustering.runAction(id, { scale_out: {} });
    const pool = await poolMembers();
    const shrunk = await clustering.runAction(id, { scale_in: {} });
    expect(shrunk.data.deletion).to.deep.include({
      count: 3,
      zones: { az1: 1, az2: 1, az3: 1 },
      regions: { RegionOne: 3 },
    });
    expect(shrunk.data.deletion!.candidates).to.have.length(3);
    expect(shrunk.data['reason']).to.equal('Candidates generated');
    expect(pool).to.include.members(await poolMembers());
    expect(await poolMembers()).to.have.length(3);

    const resized = await clustering.runAction(id, {
      resize: { adjustment_type: 'CHANGE_IN_CAPACITY', number: 3 },
    });
    expect(resized.data).to.deep.include({
      health: { recover_action: [{ name: 'RECREATE', params: null }], fencing: null },
    });
    expect(resized.data.creation).to.deep.include({ count: 3, zones: { az1: 1, az2: 1, az3: 1 } });
    expect(await poolMembers()).to.have.length(6);
  });

  it('plan batches for an update', async () => {
    await clustering.runAction(id, { scale_out: {} });
    const profile_id = await clustering.createProfile(novaSpec({ name: 'renamed' }), 'other');
    const updated = await clustering.queuedAction(
      clustering.request('PATCH', `/clusters/${id}`, { body: { cluster: { profile_id } } }),
    );
    expect(updated.data.update!.plan.map((batch) => batch.length)).to.deep.equal([2, 2, 2]);
    for (const node of await clustering.membersOf(id)) expect(node.profile_id).to.equal(profile_id);
  });

  it('remove nodes of every zone by a resize, and let the cluster be deleted', async () => {
    await clustering.runAction(id, { scale_out: {} });
    const resize = { adjustment_type: 'CHANGE_IN_CAPACITY', number: -3 };
    await clustering.runAction(id, { resize });
    expect(await clustering.zonesOf(id)).to.deep.equal({ az1: 1, az2: 1, az3: 1 });
    expect(await clustering.showCluster(id)).to.include({ status: 'ACTIVE', desired_capacity: 3 });
    const deleted = await clustering.queuedAction(clustering.request('DELETE', `/clusters/${id}`));
    expect(deleted.status).to.equal('SUCCEEDED');
  });
});
