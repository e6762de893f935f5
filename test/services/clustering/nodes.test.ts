// Tests of nodes: joining and leaving clusters, checks, recovery, operations, details and adoption.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  act,
  ask,
  config,
  heatSpec,
  makeCluster,
  makeHosts,
  makeProfile,
  membersOf,
  queued,
  said,
  serverCount,
  showCluster,
  showNode,
  showServer,
  typeOf,
} from './support.ts';

onEachDatabase('nodes', config, (world) => {
  let profile: string;

  beforeEach(async () => {
    await makeHosts(world, { nova: 2 });
    profile = await makeProfile(world);
  });

  const orphan = async (name = 'n', from = profile): Promise<string> =>
    (await ask(world, 'POST', '/nodes', { body: { node: { name, profile_id: from } } }).expect(202)).body.node.id as string;

  it('join, leave, replace each other, and are deleted with a cluster', async () => {
    const id = await makeCluster(world, profile, 1);
    const [a, b] = [await orphan('a'), await orphan('b')];
    await act(world, id, { add_nodes: { nodes: [a] } });
    expect(await showNode(world, a)).to.include({ cluster_id: id, index: 2 });
    expect(await showCluster(world, id)).to.include({ desired_capacity: 2 });
    await act(world, id, { replace_nodes: { nodes: { [a]: b } } });
    expect(await showNode(world, a)).to.include({ cluster_id: '', index: -1, status: 'ACTIVE' });
    expect(await showNode(world, b)).to.include({ cluster_id: id, index: 3 });
    await act(world, id, { del_nodes: { nodes: ['b'] } });
    expect(await showNode(world, b)).to.include({ cluster_id: '', index: -1 });
    const gone = await queued(world, ask(world, 'DELETE', `/clusters/${id}`));
    expect(gone.status, gone.status_reason).to.equal('SUCCEEDED');
    await ask(world, 'GET', `/clusters/${id}`).expect(404);
    expect(await serverCount(world)).to.equal(2);
    for (const node of [a, b]) expect((await ask(world, 'DELETE', `/nodes/${node}`).expect(202)).body).to.equal(null);
    await ask(world, 'GET', `/nodes/${a}`).expect(404);
    expect(await serverCount(world)).to.equal(0);
  });

  it('are refused with all that is wrong', async () => {
    const id = await makeCluster(world, profile, 1);
    const heat = await makeProfile(world, heatSpec, 'heat');
    const stack = await orphan('stack', heat);
    const [own] = await membersOf(world, id);
    const reply = await ask(world, 'POST', `/clusters/${id}/actions`, {
      body: { add_nodes: { nodes: [stack, own!.id, 'x'] } },
    }).expect(400);
    expect(said(reply)).to.equal(
      `Profile type of nodes ['${stack}'] does not match that of the cluster.\nNodes ['${own!.id}'] already owned by some cluster.\nNodes not found: ['x'].`,
    );
    const several = await ask(world, 'POST', `/clusters/${id}/actions`, { body: { check: {}, recover: {} } }).expect(400);
    expect(said(several)).to.equal('Multiple actions specified');
    const old = await ask(world, 'POST', `/clusters/${id}/actions`, {
      version: '1.2',
      body: { replace_nodes: { nodes: { a: 'b' } } },
    }).expect(400);
    expect(typeOf(old)).to.equal('MethodVersionNotFound');
  });

  it('are checked, recovered and operated on', async () => {
    const id = await makeCluster(world, profile, 2);
    const [one, two] = await membersOf(world, id);
    await world.ask('compute', 'DELETE', `/compute/v2.1/servers/${one!.physical_id}`, { token: 'admin:demo' }).expect(204);
    await act(world, id, { check: {} });
    expect(await showNode(world, one!.id)).to.include({
      status: 'ERROR',
      physical_id: null,
      status_reason: 'Check: Node is not ACTIVE.',
    });
    expect(await showNode(world, two!.id)).to.include({ status: 'ACTIVE' });
    expect(await showCluster(world, id)).to.include({ status: 'WARNING' });
    await act(world, id, { recover: { check: false } });
    const recovered = await showNode(world, one!.id);
    expect(recovered).to.include({ status: 'ACTIVE', status_reason: 'Recovery succeeded' });
    expect(recovered.data).to.include({ recovery: 'RECREATE' });
    expect(await showCluster(world, id)).to.include({ status: 'ACTIVE' });
    const stopped = await queued(world, ask(world, 'POST', `/nodes/${two!.id}/ops`, { body: { stop: {} } }));
    expect(stopped, stopped.status_reason).to.include({ status: 'SUCCEEDED', name: `node_stop_${two!.id.slice(0, 8)}` });
    expect((await showServer(world, two!.physical_id!))!['status']).to.equal('SHUTOFF');
    const started = await queued(
      world,
      ask(world, 'POST', `/clusters/${id}/ops`, { body: { reboot: { params: { type: 'HARD' } } } }),
    );
    expect(started.status, started.status_reason).to.equal('SUCCEEDED');
    const reply = await ask(world, 'POST', `/clusters/${id}/ops`, { body: { dance: {} } }).expect(400);
    expect(said(reply)).to.equal("The requested operation 'dance' is not supported by the profile type 'os.nova.server-1.0'.");
  });

  it('show the details of their servers, which are collected from a cluster', async () => {
    const id = await makeCluster(world, profile, 2);
    const [one] = await membersOf(world, id);
    const { node } = (await ask(world, 'GET', `/nodes/${one!.id}?show_details=True`).expect(200)).body as {
      node: { details: object };
    };
    expect(node.details).to.include({ id: one!.physical_id, name: one!.name, flavor: '1', status: 'ACTIVE' });
    const collected = (await ask(world, 'GET', `/clusters/${id}/attrs/details.status`).expect(200)).body.cluster_attributes;
    expect(collected).to.have.length(2);
    expect(collected[0]).to.deep.equal({ id: one!.id, value: 'ACTIVE' });
  });

  it('are adopted', async () => {
    const id = await orphan();
    const server = (await showNode(world, id)).physical_id!;
    const preview = await ask(world, 'POST', '/nodes/adopt-preview', {
      body: { identity: server, type: 'os.nova.server-1.0' },
    }).expect(200);
    expect(preview.body.node_profile.node_preview.properties).to.include({ flavor: '1', name: 'n' });
    const { body } = await ask(world, 'POST', '/nodes/adopt', {
      body: { identity: server, type: 'os.nova.server-1.0', name: 'adopted' },
    }).expect(200);
    expect(body.node).to.include({
      name: 'adopted',
      physical_id: server,
      status: 'ACTIVE',
      status_reason: 'Node adopted successfully',
      profile_name: 'prof-adopted',
    });
  });
});
