// Tests of nodes: joining and leaving clusters, checks, recovery, operations, details and adoption.
import { expect } from 'chai';
import { heatSpec, onClustering, said, typeOf } from './support.ts';

onClustering('nodes', { nova: 2 }, (the) => {
  const orphan = async (name = 'n', from = the.profile): Promise<string> =>
    (await the.ask('POST', '/nodes', { body: { node: { name, profile_id: from } } }).expect(202))
      .body.node.id as string;

  it('join, leave, replace each other, and are deleted with a cluster', async () => {
    const id = await the.makeCluster(1);
    const [a, b] = [await orphan('a'), await orphan('b')];
    await the.act(id, { add_nodes: { nodes: [a] } });
    expect(await the.showNode(a)).to.include({ cluster_id: id, index: 2 });
    expect(await the.showCluster(id)).to.include({ desired_capacity: 2 });
    await the.act(id, { replace_nodes: { nodes: { [a]: b } } });
    expect(await the.showNode(a)).to.include({ cluster_id: '', index: -1, status: 'ACTIVE' });
    expect(await the.showNode(b)).to.include({ cluster_id: id, index: 3 });
    await the.act(id, { del_nodes: { nodes: ['b'] } });
    expect(await the.showNode(b)).to.include({ cluster_id: '', index: -1 });
    const gone = await the.queued(the.ask('DELETE', `/clusters/${id}`));
    expect(gone.status, gone.status_reason).to.equal('SUCCEEDED');
    await the.ask('GET', `/clusters/${id}`).expect(404);
    expect(await the.servers()).to.have.length(2);
    for (const node of [a, b])
      expect((await the.ask('DELETE', `/nodes/${node}`).expect(202)).body).to.equal(null);
    await the.ask('GET', `/nodes/${a}`).expect(404);
    expect(await the.servers()).to.have.length(0);
  });

  it('are refused with all that is wrong', async () => {
    const id = await the.makeCluster(1);
    const heat = await the.makeProfile(heatSpec, 'heat');
    const stack = await orphan('stack', heat);
    const [own] = await the.membersOf(id);
    const reply = await the
      .ask('POST', `/clusters/${id}/actions`, {
        body: { add_nodes: { nodes: [stack, own!.id, 'x'] } },
      })
      .expect(400);
    expect(said(reply)).to.equal(
      `Profile type of nodes ['${stack}'] does not match that of the cluster.\nNodes ` +
        `['${own!.id}'] already owned by some cluster.\nNodes not found: ['x'].`,
    );
    const several = await the
      .ask('POST', `/clusters/${id}/actions`, { body: { check: {}, recover: {} } })
      .expect(400);
    expect(said(several)).to.equal('Multiple actions specified');
    const old = await the
      .ask('POST', `/clusters/${id}/actions`, {
        version: '1.2',
        body: { replace_nodes: { nodes: { a: 'b' } } },
      })
      .expect(400);
    expect(typeOf(old)).to.equal('MethodVersionNotFound');
  });

  it('are checked, recovered and operated on', async () => {
    const id = await the.makeCluster(2);
    const [one, two] = await the.membersOf(id);
    await the.compute('DELETE', `/servers/${one!.physical_id}`).expect(204);
    await the.act(id, { check: {} });
    expect(await the.showNode(one!.id)).to.include({
      status: 'ERROR',
      physical_id: null,
      status_reason: 'Check: Node is not ACTIVE.',
    });
    expect(await the.showNode(two!.id)).to.include({ status: 'ACTIVE' });
    expect(await the.showCluster(id)).to.include({ status: 'WARNING' });
    await the.act(id, { recover: { check: false } });
    const recovered = await the.showNode(one!.id);
    expect(recovered).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
    expect(recovered.data).to.include({ recovery: 'RECREATE' });
    expect(await the.showCluster(id)).to.include({ status: 'ACTIVE' });
    const stopped = await the.queued(
      the.ask('POST', `/nodes/${two!.id}/ops`, { body: { stop: {} } }),
    );
    expect(stopped, stopped.status_reason).to.include({
      status: 'SUCCEEDED',
      name: `node_stop_${two!.id.slice(0, 8)}`,
    });
    expect((await the.showServer(two!.physical_id!))!['status']).to.equal('SHUTOFF');
    const started = await the.queued(
      the.ask('POST', `/clusters/${id}/ops`, { body: { reboot: { params: { type: 'HARD' } } } }),
    );
    expect(started.status, started.status_reason).to.equal('SUCCEEDED');
    const reply = await the.ask('POST', `/clusters/${id}/ops`, { body: { dance: {} } }).expect(400);
    expect(said(reply)).to.equal(
      "The requested operation 'dance' is not supported by the profile type 'os.nova.server-1.0'.",
    );
  });

  it('show the details of their servers, which are collected from a cluster', async () => {
    const id = await the.makeCluster(2);
    const [one] = await the.membersOf(id);
    const { node } = (await the.ask('GET', `/nodes/${one!.id}?show_details=True`).expect(200))
      .body as {
      node: { details: object };
    };
    expect(node.details).to.include({
      id: one!.physical_id,
      name: one!.name,
      flavor: '1',
      status: 'ACTIVE',
    });
    const collected = (await the.ask('GET', `/clusters/${id}/attrs/details.status`).expect(200))
      .body.cluster_attributes;
    expect(collected).to.have.length(2);
    expect(collected[0]).to.deep.equal({ id: one!.id, value: 'ACTIVE' });
  });

  it('are adopted', async () => {
    const id = await orphan();
    const server = (await the.showNode(id)).physical_id!;
    const preview = await the
      .ask('POST', '/nodes/adopt-preview', {
        body: { identity: server, type: 'os.nova.server-1.0' },
      })
      .expect(200);
    expect(preview.body.node_profile.node_preview.properties).to.include({
      flavor: '1',
      name: 'n',
    });
    const { body } = await the
      .ask('POST', '/nodes/adopt', {
        body: { identity: server, type: 'os.nova.server-1.0', name: 'adopted' },
      })
      .expect(200);
    expect(body.node).to.include({
      name: 'adopted',
      physical_id: server,
      status: 'ACTIVE',
      status_reason: 'Node adopted successfully',
      profile_name: 'prof-adopted',
    });
  });
});
