// Tests of the events that a Nova outside of the cloud gets for its servers' ports.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { outboxSettled, RecordingNova } from '../../support/nova.ts';
import { signIn } from '../identity/support.ts';
import { ask, make, makeNetwork, someone, type Resource } from './support.ts';

const server = '5e9a1c1b-6a0d-4a3e-9d6c-6b6d2f1f0a01';
const otherServer = '5e9a1c1b-6a0d-4a3e-9d6c-6b6d2f1f0a02';
const bound = {
  device_id: server,
  device_owner: 'compute:nova',
  'binding:host_id': 'node-1',
};

onEachDatabase('network: events for a Nova elsewhere', { auth: 'noauth2' }, (world) => {
  let nova: RecordingNova;
  let network: Resource;
  let subnet: Resource;

  beforeEach(async () => {
    nova = await RecordingNova.start();
    ({ network, subnet } = await makeNetwork(world, '192.0.2.0/24'));
  });
  afterEach(() => nova.stop());

  const makePort = (fields: object): Promise<Resource> =>
    make(world, 'port', { network_id: network.id, ...fields });
  const update = (noun: string, id: string, fields: object) =>
    ask(world, 'PUT', `/${noun}s/${id}`, { [noun]: fields }).expect(200);

  /** The names and statuses of the events since the last call, after checking their subject. */
  async function received(port: Resource, owner = server): Promise<string[]> {
    await outboxSettled(world);
    const events = nova.requests.splice(0).flatMap((request) => request.events);
    for (const { server_uuid, tag } of events)
      expect([server_uuid, tag]).to.deep.equal([owner, port.id]);
    return events.map(({ name, status = '' }) => `${name} ${status}`.trim());
  }

  it('are not written while the catalog lists the own Compute', async () => {
    await makePort(bound);
    expect(await outboxSettled(world)).to.deep.equal([]);
    expect(nova.requests).to.deep.equal([]);
  });

  it('follow the activation of a binding', async () => {
    await nova.enterCatalog(world);
    const port = await makePort(bound);
    await received(port);
    const path = `/ports/${port.id}/bindings`;
    const as = someone('admin,service', 'nova', 'service');
    await ask(world, 'POST', path, { binding: { host: 'node-2' } }, as).expect(201);
    expect(await received(port)).to.deep.equal([]);
    await ask(world, 'PUT', `${path}/node-2/activate`, undefined, as).expect(200);
    expect(await received(port)).to.deep.equal([
      'network-vif-unplugged completed',
      'network-vif-plugged completed',
    ]);
  });

  it('follow the status of a port', async () => {
    await nova.enterCatalog(world);
    const port = await makePort(bound);
    expect(await received(port)).to.deep.equal(['network-vif-plugged completed']);
    await update('port', port.id, { admin_state_up: false });
    expect(await received(port)).to.deep.equal([
      'network-vif-unplugged completed',
      'network-changed',
    ]);
    await update('port', port.id, { admin_state_up: true });
    expect(await received(port)).to.deep.equal([
      'network-vif-plugged completed',
      'network-changed',
    ]);
    await update('port', port.id, { 'binding:host_id': 'node-2' });
    expect(await received(port)).to.deep.equal([
      'network-vif-unplugged completed',
      'network-vif-plugged completed',
      'network-changed',
    ]);
    await update('port', port.id, { name: 'renamed' });
    expect(await received(port)).to.deep.equal(['network-changed']);
    await ask(world, 'DELETE', `/ports/${port.id}`).expect(204);
    expect(await received(port)).to.deep.equal(['network-vif-deleted']);
  });

  it('are sent for an existing port once it belongs to a server', async () => {
    await nova.enterCatalog(world);
    const port = await makePort({});
    expect(await received(port)).to.deep.equal([]);
    await update('port', port.id, bound);
    expect(await received(port)).to.deep.equal([
      'network-vif-plugged completed',
      'network-changed',
    ]);
    await update('port', port.id, { device_id: '', device_owner: '', 'binding:host_id': '' });
    expect(await received(port)).to.deep.equal([]);
  });

  it('are not sent for ports of other devices', async () => {
    await nova.enterCatalog(world);
    for (const fields of [
      { ...bound, device_owner: 'baremetal:none' },
      { ...bound, device_id: 'not-a-server' },
    ]) {
      const port = await makePort(fields);
      await update('port', port.id, { name: 'renamed' });
      await ask(world, 'DELETE', `/ports/${port.id}`).expect(204);
      expect(await received(port)).to.deep.equal([]);
    }
  });

  it('report floating IPs to the servers before and after', async () => {
    const outside = await make(world, 'network', { name: 'outside', 'router:external': true });
    await make(world, 'subnet', { network_id: outside.id, cidr: '198.51.100.0/24', ip_version: 4 });
    const router = await make(world, 'router', {
      external_gateway_info: { network_id: outside.id },
    });
    await ask(world, 'PUT', `/routers/${router.id}/add_router_interface`, {
      subnet_id: subnet.id,
    }).expect(200);
    const port = await makePort(bound);
    const other = await makePort({ ...bound, device_id: otherServer });
    await nova.enterCatalog(world);
    const floating = await make(world, 'floatingip', {
      floating_network_id: outside.id,
      port_id: port.id,
    });
    expect(await received(port)).to.deep.equal(['network-changed']);
    await update('floatingip', floating.id, { port_id: other.id });
    await outboxSettled(world);
    expect(nova.events.map(({ server_uuid, name }) => [server_uuid, name])).to.deep.equal([
      [server, 'network-changed'],
      [otherServer, 'network-changed'],
    ]);
    nova.requests.length = 0;
    await update('floatingip', floating.id, { port_id: null });
    expect(await received(other, otherServer)).to.deep.equal(['network-changed']);
    await ask(world, 'DELETE', `/floatingips/${floating.id}`).expect(204);
    expect(await received(port)).to.deep.equal([]);
  });

  it('are not sent if the request fails', async () => {
    await nova.enterCatalog(world);
    const port = await makePort(bound);
    await received(port);
    await ask(world, 'PUT', `/ports/${port.id}`, {
      port: { admin_state_up: false, security_groups: [otherServer] },
    }).expect(404);
    expect(await received(port)).to.deep.equal([]);
  });

  it('do not delay a request, and wait for a Nova that fails', async () => {
    await nova.enterCatalog(world);
    nova.answers.push({ status: 503 }, { status: 503 });
    const port = await makePort(bound);
    await update('port', port.id, { admin_state_up: false });
    expect(await outboxSettled(world)).to.deep.equal([]);
    const [first, second] = nova.requests;
    expect(second!.events[0]).to.deep.equal(first!.events[0]);
    expect(nova.events.at(-1)).to.include({ name: 'network-changed', tag: port.id });
  });

  it('are dropped if Nova knows none of the servers, and kept if it refuses the request', async () => {
    await nova.enterCatalog(world);
    nova.answers.push({ status: 404 });
    await makePort(bound);
    expect(await outboxSettled(world)).to.deep.equal([]);
    nova.answers.push({ status: 207, codes: { [server]: 422 } });
    await makePort(bound);
    expect(await outboxSettled(world)).to.deep.equal([]);
    nova.answers.push({ status: 400 });
    const port = await makePort(bound);
    const [kept, ...more] = await outboxSettled(world);
    expect(more).to.deep.equal([]);
    expect(kept).to.deep.include({
      kind: 'network.server_event',
      payload: {
        name: 'network-vif-plugged',
        status: 'completed',
        server_uuid: server,
        tag: port.id,
      },
      status: 'undelivered',
    });
    expect(kept!.error).to.match(/^Nova answered with 400/);
    await world.http.post('/_emulator/reset').send({ service: 'network' }).expect(204);
    expect(await outboxSettled(world)).to.deep.equal([]);
  });
});

onEachDatabase('network: events with a token', {}, (world) => {
  it('are sent by the user neutron', async () => {
    const token = await signIn(world);
    const nova = await RecordingNova.start();
    try {
      await nova.enterCatalog(world, { token });
      const { body } = await ask(world, 'GET', '/networks?name=private', undefined, { token });
      const network_id = (body as { networks: Resource[] }).networks[0]!.id;
      await make(world, 'port', { network_id, ...bound }, { token });
      await outboxSettled(world);
      const [request] = nova.requests;
      expect(request!.path).to.equal('/v2.1/os-server-external-events');
      expect(request!.headers['x-openstack-nova-api-version']).to.equal('2.1');
      const sent = request!.headers['x-auth-token'] as string;
      const shown = await world
        .ask('identity', 'GET', '/identity/v3/auth/tokens', {
          token: sent,
          headers: { 'x-subject-token': sent },
        })
        .expect(200);
      expect(shown.body.token.user.name).to.equal('neutron');
      expect(shown.body.token.project.name).to.equal('service');
      const roles = shown.body.token.roles as { name: string }[];
      expect(roles.map(({ name }) => name)).to.include.members(['admin', 'service']);
    } finally {
      await nova.stop();
    }
  });
});
