// Servers with ports whose QoS policies guarantee a bandwidth or a packet rate: the scheduler, the
// allocations in Placement, and the bindings of the ports.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { ask as askNetwork, errorOf, make, type Resource } from '../../network/support.ts';
import { ask, config, expectFault } from '../support.ts';
import { act, admin, madeServer, newest, postServer, showServer } from './makers.ts';

type Amounts = Readonly<Record<string, number>>;

onEachDatabase('compute: resources of ports', config, (world) => {
  const at = { ...admin, version: newest };

  const setting = (service: string, body: object) =>
    world.ask('emulator', 'PUT', `/_emulator/${service}/settings`, { body }).expect(200);
  const placement = (path: string, asked: Asked = {}) =>
    world.ask('placement', 'GET', `/placement${path}`, { ...admin, version: '1.36', ...asked });

  const both = (rate: number): object => ({ egress: rate, ingress: rate });

  /** compute-1 and compute-2 have bandwidth, of which compute-2 has more; both count packets. */
  const report = () =>
    setting('network', {
      resource_provider_bandwidths: {
        'compute-1': { 'br-ex': both(1000) },
        'compute-2': { 'br-ex': both(5000), rp_tunnelled: both(5000) },
      },
      resource_provider_packet_processing: { 'compute-1': { any: 100 }, 'compute-2': { any: 100 } },
    });

  /** A network on the physical network `public`. */
  async function makeNetwork(fields: object = {}): Promise<Resource> {
    const network = await make(world, 'network', {
      shared: true,
      'provider:network_type': 'vlan',
      'provider:physical_network': 'public',
      ...fields,
    });
    await make(world, 'subnet', { network_id: network.id, cidr: '10.9.0.0/24', ip_version: 4 });
    return network;
  }

  /** A policy that guarantees outgoing bandwidth, and packets if they are given. */
  async function makePolicy(kbps: number, kpps?: number): Promise<Resource> {
    const { body } = await askNetwork(world, 'POST', '/qos/policies', {
      policy: { name: 'p', shared: true },
    }).expect(201);
    const { policy } = body as { policy: Resource };
    const rules: Record<string, object> = {
      minimum_bandwidth: { min_kbps: kbps, direction: 'egress' },
      ...(kpps === undefined ? {} : { minimum_packet_rate: { min_kpps: kpps, direction: 'any' } }),
    };
    for (const [type, rule] of Object.entries(rules))
      await askNetwork(world, 'POST', `/qos/policies/${policy.id}/${type}_rules`, {
        [`${type}_rule`]: rule,
      }).expect(201);
    return policy;
  }

  async function makePort(kbps: number, kpps?: number): Promise<Resource> {
    await report();
    const network = await makeNetwork();
    const policy = await makePolicy(kbps, kpps);
    return make(world, 'port', { network_id: network.id, qos_policy_id: policy.id });
  }

  const portOf = async (id: string): Promise<Resource> =>
    (await askNetwork(world, 'GET', `/ports/${id}`).expect(200)).body.port;

  /** What a consumer has allocated of bandwidth and packets, by the name of the provider. */
  async function heldBy(consumer: string): Promise<Record<string, Amounts>> {
    const { allocations } = (await placement(`/allocations/${consumer}`)).body as {
      allocations: Record<string, { resources: Amounts }>;
    };
    const { resource_providers: providers } = (await placement('/resource_providers')).body as {
      resource_providers: { uuid: string; name: string }[];
    };
    const names = new Map(providers.map(({ uuid, name }) => [uuid, name]));
    const found = Object.entries(allocations)
      .map(([uuid, { resources }]) => [names.get(uuid)!, resources] as const)
      .filter(([name]) => name.includes(':'));
    return Object.fromEntries(found.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** The names of the providers that the binding of a port names, in the order of its groups. */
  async function allocationOf(id: string): Promise<(string | undefined)[] | undefined> {
    const { resource_request: request, 'binding:profile': profile } = await portOf(id);
    const allocation = profile['allocation'] as Record<string, string> | undefined;
    if (!allocation) return undefined;
    const groups = (request?.['request_groups'] ?? []) as { id: string }[];
    expect(Object.keys(allocation).sort()).to.deep.equal(groups.map((one) => one.id).sort());
    const { resource_providers: providers } = (await placement('/resource_providers')).body as {
      resource_providers: { uuid: string; name: string }[];
    };
    return groups.map((group) => providers.find(({ uuid }) => uuid === allocation[group.id])?.name);
  }

  const agentOn = (host: string): string => `${host}:Open vSwitch agent`;
  const bridgeOn = (host: string): string => `${host}:Open vSwitch agent:br-ex`;
  const egress = (kbps: number): Amounts => ({ NET_BW_EGR_KILOBIT_PER_SEC: kbps });
  const packets = (kpps: number): Amounts => ({ NET_PACKET_RATE_KILOPACKET_PER_SEC: kpps });

  const hostOf = async (id: string): Promise<unknown> =>
    (await showServer(world, id))['OS-EXT-SRV-ATTR:host'];

  const withPort = (port: Resource, fields: object = {}) =>
    madeServer(world, { networks: [{ port: port.id }], ...fields });

  const attach = (server: string, fields: object) =>
    ask(world, 'POST', `/servers/${server}/os-interface`, {
      ...at,
      body: { interfaceAttachment: fields },
    });

  describe('POST /servers', () => {
    it('claims what a port requests on a host that has it', async () => {
      const port = await makePort(2000, 40);
      const server = await withPort(port);
      expect(server.status).to.equal('ACTIVE');
      expect(await hostOf(server.id)).to.equal('compute-2');
      expect(await heldBy(server.id)).to.deep.equal({
        [agentOn('compute-2')]: packets(40),
        [bridgeOn('compute-2')]: egress(2000),
      });
      expect(await allocationOf(port.id)).to.deep.equal([
        bridgeOn('compute-2'),
        agentOn('compute-2'),
      ]);
    });

    it('finds no valid host without enough bandwidth, and explains that', async () => {
      const port = await makePort(6000);
      const server = await withPort(port);
      expect(server.status).to.equal('ERROR');
      expect(server.fault!.message).to.contain('No valid host was found.');
      expect((await portOf(port.id))['binding:host_id']).to.equal('');
      const why = await world.ask('', 'GET', `/_emulator/explain/servers/${server.id}`).expect(200);
      const { explanation } = why.body as { explanation: { text: readonly string[] } };
      expect(explanation.text.join('\n')).to.contain(
        'compute-2:Open vSwitch agent:br-ex has 5000 of 6000 NET_BW_EGR_KILOBIT_PER_SEC free',
      );
    });

    it('counts what other servers have allocated', async () => {
      const first = await makePort(3000);
      await withPort(first);
      const second = await make(world, 'port', {
        network_id: first['network_id'],
        qos_policy_id: first['qos_policy_id'],
      });
      expect((await withPort(second)).status).to.equal('ERROR');
    });

    it('returns 400 before 2.72', async () => {
      const port = await makePort(100);
      const networks = [{ port: port.id }];
      expectFault(
        await postServer(world, { networks }, { ...admin, version: '2.71' }),
        400,
        'Creating servers with ports having resource requests, like a port with a QoS minimum ' +
          'bandwidth policy, is not supported until microversion 2.72.',
      );
      expect(
        (await postServer(world, { networks }, { ...admin, version: '2.72' })).status,
      ).to.equal(202);
    });

    it('fails on networks whose policy guarantees something', async () => {
      await report();
      const policy = await makePolicy(100);
      const network = await makeNetwork({ qos_policy_id: policy.id });
      const server = await madeServer(world, { networks: [{ uuid: network.id }] });
      expect(server.status).to.equal('ERROR');
      expect(server.fault!.message).to.contain(
        `Using networks with QoS policy is not supported for instance ${server.id}. ` +
          `(Network ID is ${network.id})`,
      );
      const port = await make(world, 'port', { network_id: network.id });
      expect((await withPort(port)).status).to.equal('ACTIVE');
      expect(await allocationOf(port.id)).to.have.length(1);
    });

    it('releases everything when the server is deleted', async () => {
      const port = await makePort(100, 1);
      const server = await withPort(port);
      await ask(world, 'DELETE', `/servers/${server.id}`, at).expect(204);
      expect(await heldBy(server.id)).to.deep.equal({});
      expect((await portOf(port.id))['binding:profile']).to.deep.equal({});
    });
  });

  describe('POST /servers/{id}/os-interface', () => {
    it('claims on the host of the server, and DELETE releases', async () => {
      const port = await makePort(600, 5);
      const server = await madeServer(world, { availability_zone: 'nova:compute-1' });
      expect((await attach(server.id, { port_id: port.id })).status).to.equal(200);
      const host = 'compute-1';
      expect(await heldBy(server.id)).to.deep.equal({
        [agentOn(host)]: packets(5),
        [bridgeOn(host)]: egress(600),
      });
      expect(await allocationOf(port.id)).to.deep.equal([bridgeOn(host), agentOn(host)]);
      const second = await make(world, 'port', {
        network_id: port['network_id'],
        qos_policy_id: port['qos_policy_id'],
      });
      expectFault(
        await attach(server.id, { port_id: second.id }),
        400,
        `Failed to allocate additional resources to ${server.id} during interface attach`,
      );
      await ask(world, 'DELETE', `/servers/${server.id}/os-interface/${port.id}`, at).expect(202);
      expect(await heldBy(server.id)).to.deep.equal({});
      expect((await portOf(port.id))['binding:profile']).to.deep.equal({});
      expect((await attach(server.id, { port_id: second.id })).status).to.equal(200);
      expect(await heldBy(server.id)).to.have.property(bridgeOn(host));
    });

    it('returns 400 for a network whose policy guarantees something', async () => {
      await report();
      const policy = await makePolicy(100);
      const network = await makeNetwork({ qos_policy_id: policy.id });
      const server = await madeServer(world);
      expectFault(
        await attach(server.id, { net_id: network.id }),
        400,
        `Using networks with QoS policy is not supported for instance ${server.id}. ` +
          `(Network ID is ${network.id})`,
      );
    });
  });

  describe('moves', () => {
    /** Both hosts have the same bandwidth. */
    const even = () =>
      setting('network', {
        resource_provider_bandwidths: {
          'compute-1': { 'br-ex': both(1000) },
          'compute-2': { 'br-ex': both(1000) },
        },
      });

    async function placed(): Promise<{ id: string; port: Resource; source: string; dest: string }> {
      const port = await makePort(800);
      await even();
      const { id } = await withPort(port);
      const source = String(await hostOf(id));
      return { id, port, source, dest: source === 'compute-1' ? 'compute-2' : 'compute-1' };
    }

    it('claim on the destination of a resize, and release the source on confirmation', async () => {
      const { id, port, source, dest } = await placed();
      await act(world, id, { resize: { flavorRef: '2' } });
      expect(await hostOf(id)).to.equal(dest);
      expect(await allocationOf(port.id)).to.deep.equal([bridgeOn(dest)]);
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn(dest)]: egress(800) });
      const blocked = await make(world, 'port', {
        network_id: port['network_id'],
        qos_policy_id: port['qos_policy_id'],
      });
      expect((await withPort(blocked)).status).to.equal('ERROR');
      await act(world, id, { confirmResize: null }, 204);
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn(dest)]: egress(800) });
      const next = await withPort(blocked);
      expect(await hostOf(next.id)).to.equal(source);
    });

    it('return to the providers of the source when a migration is reverted', async () => {
      const { id, port, source, dest } = await placed();
      await act(world, id, { migrate: null });
      expect(await allocationOf(port.id)).to.deep.equal([bridgeOn(dest)]);
      await act(world, id, { revertResize: null });
      expect(await hostOf(id)).to.equal(source);
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn(source)]: egress(800) });
      expect(await allocationOf(port.id)).to.deep.equal([bridgeOn(source)]);
    });

    it('find no host for a migration where only the source has the bandwidth', async () => {
      const port = await makePort(2000);
      const { id } = await withPort(port);
      await act(world, id, { migrate: null });
      expect(await hostOf(id)).to.equal('compute-2');
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn('compute-2')]: egress(2000) });
    });

    it('claim on the destination of a live migration', async () => {
      const { id, port, dest } = await placed();
      await act(world, id, { 'os-migrateLive': { host: null, block_migration: 'auto' } });
      expect(await hostOf(id)).to.equal(dest);
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn(dest)]: egress(800) });
      expect(await allocationOf(port.id)).to.deep.equal([bridgeOn(dest)]);
    });

    it('claim on both hosts until the host of an evacuation is up again', async () => {
      const { id, port, source, dest } = await placed();
      const { services } = (await ask(world, 'GET', `/os-services?host=${source}`, at)).body as {
        services: { id: string }[];
      };
      const force = (down: boolean) =>
        ask(world, 'PUT', `/os-services/${services[0]!.id}`, {
          ...at,
          body: { forced_down: down },
        }).expect(200);
      await force(true);
      await act(world, id, { evacuate: {} }, 200);
      expect(await hostOf(id)).to.equal(dest);
      expect(await allocationOf(port.id)).to.deep.equal([bridgeOn(dest)]);
      expect(Object.keys(await heldBy(id))).to.have.members([bridgeOn(source), bridgeOn(dest)]);
      await force(false);
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn(dest)]: egress(800) });
    });

    it('release when the server is shelved, and claim when it is unshelved', async () => {
      const { id, port } = await placed();
      await act(world, id, { shelve: null });
      expect(await heldBy(id)).to.deep.equal({});
      expect((await portOf(port.id))['binding:profile']).to.deep.equal({});
      await act(world, id, { unshelve: null });
      const host = String(await hostOf(id));
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn(host)]: egress(800) });
      expect(await allocationOf(port.id)).to.deep.equal([bridgeOn(host)]);
    });
  });

  describe('the QoS policy of a port of a server', () => {
    const replace = (port: Resource, policy: Resource | null) =>
      askNetwork(world, 'PUT', `/ports/${port.id}`, {
        port: { qos_policy_id: policy?.id ?? null },
      });

    it('is replaced with what the server has allocated', async () => {
      const port = await makePort(2000, 40);
      const { id } = await withPort(port);
      const other = await makePolicy(3000, 20);
      expect((await replace(port, other)).status).to.equal(200);
      expect(await heldBy(id)).to.deep.equal({
        [agentOn('compute-2')]: packets(20),
        [bridgeOn('compute-2')]: egress(3000),
      });
      expect(await allocationOf(port.id)).to.have.length(2);
      expect((await replace(port, null)).status).to.equal(200);
      expect(await heldBy(id)).to.deep.equal({});
    });

    it('is not replaced where the host has too little', async () => {
      const port = await makePort(2000);
      const { id } = await withPort(port);
      const allocation = (await portOf(port.id))['binding:profile']['allocation'] as Amounts;
      const [provider] = Object.values(allocation);
      const refused = await replace(port, await makePolicy(9000));
      expect(errorOf(refused)).to.equal(
        '409 QosPlacementAllocationUpdateConflict: Updating placement allocation with ' +
          `{'${provider}': {'NET_BW_EGR_KILOBIT_PER_SEC': 7000}} for consumer ${id} failed. The ` +
          'requested resources would exceed the capacity available.',
      );
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn('compute-2')]: egress(2000) });
      expect((await portOf(port.id))['qos_policy_id']).to.equal(port['qos_policy_id']);
    });

    it('is replaced by way of its network', async () => {
      await report();
      const network = await makeNetwork({ qos_policy_id: (await makePolicy(2000)).id });
      const port = await make(world, 'port', { network_id: network.id });
      const { id } = await withPort(port);
      const policy = await makePolicy(500);
      await askNetwork(world, 'PUT', `/networks/${network.id}`, {
        network: { qos_policy_id: policy.id },
      }).expect(200);
      expect(await heldBy(id)).to.deep.equal({ [bridgeOn('compute-2')]: egress(500) });
      expect(await allocationOf(port.id)).to.deep.equal([bridgeOn('compute-2')]);
    });

    it('claims nothing for a port that had no guarantee', async () => {
      await report();
      const network = await makeNetwork();
      const port = await make(world, 'port', { network_id: network.id });
      const { id } = await withPort(port);
      expect((await replace(port, await makePolicy(100))).status).to.equal(200);
      expect(await heldBy(id)).to.deep.equal({});
    });
  });
});
