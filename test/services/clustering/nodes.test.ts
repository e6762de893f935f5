// Tests of nodes: membership of clusters, checks, recovery, operations, details and adoption.
import { expect } from 'chai';
import { errorTypeOf, heatSpec, messageOf, onClustering, type ShownNode } from './support.ts';

onClustering('nodes', { nova: 2 }, (clustering) => {
  describe('membership', () => {
    it('adds a node to a cluster', async () => {
      const id = await clustering.createCluster(1);
      const node = await clustering.createNode();
      await clustering.runAction(id, { add_nodes: { nodes: [node] } });
      expect(await clustering.showNode(node)).to.include({ cluster_id: id, index: 2 });
      expect(await clustering.showCluster(id)).to.include({ desired_capacity: 2 });
    });

    it('replaces a node of a cluster by another one', async () => {
      const id = await clustering.createCluster(1);
      const [a, b] = [await clustering.createNode('a'), await clustering.createNode('b')];
      await clustering.runAction(id, { add_nodes: { nodes: [a] } });
      await clustering.runAction(id, { replace_nodes: { nodes: { [a]: b } } });
      expect(await clustering.showNode(a)).to.include({
        cluster_id: '',
        index: -1,
        status: 'ACTIVE',
      });
      expect(await clustering.showNode(b)).to.include({ cluster_id: id, index: 3 });
      expect(await clustering.showCluster(id)).to.include({ desired_capacity: 2 });
    });

    it('removes a node by name, and keeps its server', async () => {
      const id = await clustering.createCluster(1);
      const node = await clustering.createNode('b');
      await clustering.runAction(id, { add_nodes: { nodes: [node] } });
      await clustering.runAction(id, { del_nodes: { nodes: ['b'] } });
      expect(await clustering.showNode(node)).to.include({ cluster_id: '', index: -1 });
      const gone = await clustering.queuedAction(clustering.request('DELETE', `/clusters/${id}`));
      expect(gone.status, gone.status_reason).to.equal('SUCCEEDED');
      await clustering.request('GET', `/clusters/${id}`).expect(404);
      expect(await clustering.serverIds()).to.have.length(1);
    });

    it('returns 400 with every reason why nodes cannot be added', async () => {
      const id = await clustering.createCluster(1);
      const heat = await clustering.createProfile(heatSpec, 'heat');
      const stack = await clustering.createNode('stack', heat);
      const [own] = await clustering.membersOf(id);
      const nodes = [stack, own!.id, 'x'];
      expect(await clustering.rejectedAction(id, { add_nodes: { nodes } })).to.equal(
        `Profile type of nodes ['${stack}'] does not match that of the cluster.\n` +
          `Nodes ['${own!.id}'] already owned by some cluster.\nNodes not found: ['x'].`,
      );
    });

    it('returns 400 for replace_nodes before 1.3', async () => {
      const id = await clustering.createCluster(1);
      const old = await clustering
        .request('POST', `/clusters/${id}/actions`, {
          version: '1.2',
          body: { replace_nodes: { nodes: { a: 'b' } } },
        })
        .expect(400);
      expect(errorTypeOf(old)).to.equal('MethodVersionNotFound');
    });

    it('returns 400 for two actions in one request', async () => {
      const id = await clustering.createCluster(1);
      expect(await clustering.rejectedAction(id, { check: {}, recover: {} })).to.equal(
        'Multiple actions specified',
      );
    });
  });

  describe('DELETE /nodes/{node_id}', () => {
    it('returns null, and deletes the node and its server', async () => {
      const nodes = [await clustering.createNode('a'), await clustering.createNode('b')];
      expect(await clustering.serverIds()).to.have.length(2);
      for (const node of nodes) {
        const { body } = await clustering.request('DELETE', `/nodes/${node}`).expect(202);
        expect(body).to.equal(null);
      }
      await clustering.request('GET', `/nodes/${nodes[0]}`).expect(404);
      expect(await clustering.serverIds()).to.have.length(0);
    });
  });

  describe('checks and recovery', () => {
    /** Creates a cluster of two nodes, and deletes the server of the first. */
    const loseServer = async (): Promise<{ id: string; lost: ShownNode; other: ShownNode }> => {
      const id = await clustering.createCluster(2);
      const [lost, other] = await clustering.membersOf(id);
      await clustering.requestCompute('DELETE', `/servers/${lost!.physical_id}`).expect(204);
      return { id, lost: lost!, other: other! };
    };

    it('find a node whose server has been deleted', async () => {
      const { id, lost, other } = await loseServer();
      await clustering.runAction(id, { check: {} });
      expect(await clustering.showNode(lost.id)).to.include({
        status: 'ERROR',
        physical_id: null,
        status_reason: 'Check: Node is not ACTIVE.',
      });
      expect(await clustering.showNode(other.id)).to.include({ status: 'ACTIVE' });
      expect(await clustering.showCluster(id)).to.include({ status: 'WARNING' });
    });

    it('create a new server for such a node', async () => {
      const { id, lost } = await loseServer();
      await clustering.runAction(id, { check: {} });
      await clustering.runAction(id, { recover: { check: false } });
      const recovered = await clustering.showNode(lost.id);
      expect(recovered).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
      expect(recovered.data).to.include({ recovery: 'RECREATE' });
      expect(await clustering.showCluster(id)).to.include({ status: 'ACTIVE' });
    });
  });

  describe('operations', () => {
    it('run on the server of a node', async () => {
      const id = await clustering.createCluster(1);
      const [node] = await clustering.membersOf(id);
      const action = await clustering.queuedAction(
        clustering.request('POST', `/nodes/${node!.id}/ops`, { body: { stop: {} } }),
      );
      expect(action, action.status_reason).to.include({
        status: 'SUCCEEDED',
        name: `node_stop_${node!.id.slice(0, 8)}`,
      });
      expect((await clustering.showServer(node!.physical_id!))!['status']).to.equal('SHUTOFF');
    });

    it('run on all nodes of a cluster', async () => {
      const id = await clustering.createCluster(2);
      const body = { reboot: { params: { type: 'HARD' } } };
      const action = await clustering.queuedAction(
        clustering.request('POST', `/clusters/${id}/ops`, { body }),
      );
      expect(action.status, action.status_reason).to.equal('SUCCEEDED');
      for (const { status_reason } of await clustering.membersOf(id))
        expect(status_reason).to.equal("Operation 'reboot' succeeded");
    });

    it('return 400 if the type of the profile does not have them', async () => {
      const id = await clustering.createCluster(2);
      const body = { dance: {} };
      const reply = await clustering.request('POST', `/clusters/${id}/ops`, { body }).expect(400);
      expect(messageOf(reply)).to.equal(
        "The requested operation 'dance' is not supported by the profile type " +
          "'os.nova.server-1.0'.",
      );
    });
  });

  describe('details', () => {
    it('show the server of a node', async () => {
      const id = await clustering.createCluster(1);
      const [first] = await clustering.membersOf(id);
      const path = `/nodes/${first!.id}?show_details=True`;
      const { node } = (await clustering.request('GET', path).expect(200)).body as {
        node: { details: object };
      };
      expect(node.details).to.include({
        id: first!.physical_id,
        name: first!.name,
        flavor: '1',
        status: 'ACTIVE',
      });
    });

    it('are collected from the nodes of a cluster', async () => {
      const id = await clustering.createCluster(2);
      const [first] = await clustering.membersOf(id);
      const path = `/clusters/${id}/attrs/details.status`;
      const collected = (await clustering.request('GET', path).expect(200)).body.cluster_attributes;
      expect(collected).to.have.length(2);
      expect(collected[0]).to.deep.equal({ id: first!.id, value: 'ACTIVE' });
    });
  });

  describe('adoption', () => {
    const serverOf = async (node: string): Promise<string> =>
      (await clustering.showNode(node)).physical_id!;

    it('previews the profile that would create a server', async () => {
      const identity = await serverOf(await clustering.createNode());
      const body = { identity, type: 'os.nova.server-1.0' };
      const reply = await clustering.request('POST', '/nodes/adopt-preview', { body }).expect(200);
      expect(reply.body.node_profile.node_preview.properties).to.include({
        flavor: '1',
        name: 'n',
      });
    });

    it('creates a node and a profile for a server', async () => {
      const identity = await serverOf(await clustering.createNode());
      const body = { identity, type: 'os.nova.server-1.0', name: 'adopted' };
      const reply = await clustering.request('POST', '/nodes/adopt', { body }).expect(200);
      expect(reply.body.node).to.include({
        name: 'adopted',
        physical_id: identity,
        status: 'ACTIVE',
        status_reason: 'Node adopted successfully',
        profile_name: 'prof-adopted',
      });
    });
  });
});
