// Tests of the load-balancing policy: the nodes of a cluster are members of a pool.
import { expect } from 'chai';
import { onClustering } from '../support.ts';

onClustering('the load-balancing policy', { az1: 2 }, (clustering) => {
  let id: string;
  let policy: string;

  beforeEach(async () => {
    id = await clustering.createCluster(1);
    const properties = {
      pool: { subnet: 'private-subnet' },
      vip: { subnet: 'private-subnet' },
      health_monitor: { type: 'HTTP' },
    };
    policy = await clustering.createPolicy('loadbalance', properties, 'lb', '1.1');
    await clustering.attachPolicy(id, policy);
  });

  const countMembers = async (): Promise<number> =>
    (await clustering.membersOf(id)).filter(({ data }) => 'lb_member' in data).length;

  it('shows its resources in the binding, and its address in the cluster', async () => {
    const path = `/clusters/${id}/policies/${policy}`;
    const { cluster_policy: binding } = (await clustering.request('GET', path)).body as {
      cluster_policy: { data: { LoadBalancingPolicy: { version: string; data: object } } };
    };
    expect(binding.data.LoadBalancingPolicy.version).to.equal('1.3');
    expect(binding.data.LoadBalancingPolicy.data).to.include.keys(
      'loadbalancer',
      'listener',
      'pool',
      'healthmonitor',
    );
    const balancers = (await clustering.showCluster(id)).data['loadbalancers'] as Record<
      string,
      { vip_address: string }
    >;
    expect(balancers[policy]!.vip_address).to.match(/^10\.0\.[0-3]\./);
  });

  it('adds existing and new nodes to the pool', async () => {
    expect(await countMembers()).to.equal(1);
    await clustering.runAction(id, { scale_out: { count: 2 } });
    expect(await countMembers()).to.equal(3);
  });

  it('adds nodes that join the cluster, and removes those that leave it', async () => {
    await clustering.runAction(id, { scale_out: { count: 2 } });
    const node = await clustering.createNode();
    await clustering.runAction(id, { add_nodes: { nodes: [node] } });
    expect(await countMembers()).to.equal(4);
    await clustering.runAction(id, { del_nodes: { nodes: [node] } });
    expect((await clustering.showNode(node)).data).to.not.have.property('lb_member');
    const [first] = await clustering.membersOf(id);
    await clustering.runAction(id, { replace_nodes: { nodes: { [first!.id]: node } } });
    expect((await clustering.showNode(first!.id)).data).to.not.have.property('lb_member');
    expect(await countMembers()).to.equal(3);
  });

  it('chooses the nodes to remove if no other policy does', async () => {
    await clustering.runAction(id, { scale_out: { count: 2 } });
    const action = await clustering.runAction(id, { scale_in: { count: 1 } });
    expect(action.data.deletion!.candidates).to.have.length(1);
    expect(await countMembers()).to.equal(2);
    expect(await clustering.showCluster(id)).to.include({ desired_capacity: 2 });
  });

  it('removes all nodes from the pool when it is detached', async () => {
    await clustering.runAction(id, { policy_detach: { policy_id: policy } });
    expect(await countMembers()).to.equal(0);
    expect((await clustering.showCluster(id)).data).to.deep.equal({});
  });
});
