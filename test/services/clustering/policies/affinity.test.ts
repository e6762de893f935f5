// Tests of the affinity policy: the servers of a cluster are members of a server group.
import { expect } from 'chai';
import { onClustering } from '../support.ts';

interface ShownBinding {
  readonly data: { readonly AffinityPolicy: { readonly data: { servergroup_id: string } } };
  readonly priority: number;
}

onClustering('the affinity policy', { az1: 2, az2: 2 }, (clustering) => {
  let id: string;
  let policy: string;

  beforeEach(async () => {
    id = await clustering.createCluster(0);
    const properties = { servergroup: { policies: 'anti-affinity' } };
    policy = await clustering.createPolicy('affinity', properties);
    await clustering.attachPolicy(id, policy);
  });

  const showBinding = async (): Promise<ShownBinding> => {
    const { body } = await clustering.request('GET', `/clusters/${id}/policies`).expect(200);
    return (body.cluster_policies as ShownBinding[])[0]!;
  };

  const groups = async (): Promise<{ members: string[] }[]> =>
    (await clustering.requestCompute('GET', '/os-server-groups')).body.server_groups as {
      members: string[];
    }[];

  it('creates new servers in the server group', async () => {
    const { data, priority } = await showBinding();
    expect(priority).to.equal(300);
    const servergroup = data.AffinityPolicy.data.servergroup_id;
    const action = await clustering.runAction(id, { scale_out: { count: 2 } });
    expect(action.data.placement).to.deep.equal({
      count: 2,
      placements: [{ servergroup }, { servergroup }],
    });
    const servers = (await clustering.membersOf(id)).map((node) => node.physical_id);
    expect((await groups())[0]!.members).to.have.members(servers);
  });

  it('deletes the server group when it is detached', async () => {
    await clustering.runAction(id, { policy_detach: { policy_id: policy } });
    expect(await groups()).to.deep.equal([]);
  });
});
