// What Open vSwitch agents report of themselves to Placement.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, type Resource } from './support.ts';

interface Provider {
  readonly uuid: string;
  readonly name: string;
  readonly parent_provider_uuid: string | null;
}

onEachDatabase('network: resources of agents', { auth: 'noauth2', hosts: '2' }, (world) => {
  const set = (body: object) =>
    world.ask('emulator', 'PUT', '/_emulator/network/settings', { body });
  const placement = (method: string, path: string, body?: object) =>
    world.ask('placement', method, `/placement${path}`, {
      version: '1.36',
      ...(body ? { body } : {}),
    });
  const providers = async (): Promise<Provider[]> =>
    (await placement('GET', '/resource_providers')).body.resource_providers;
  const names = async (): Promise<string[]> => (await providers()).map(({ name }) => name).sort();
  const named = async (name: string): Promise<Provider> =>
    (await providers()).find((one) => one.name === name)!;
  const agentOn = async (host: string): Promise<Resource> => {
    const query = `/agents?host=${host}&agent_type=Open%20vSwitch%20agent`;
    return (await ask(world, 'GET', query).expect(200)).body.agents[0];
  };

  const bandwidths = { 'compute-1': { 'br-ex': { egress: 1000, ingress: 2000 } } };
  const agentName = 'compute-1:Open vSwitch agent';

  it('are nothing without settings', async () => {
    expect(await names()).to.deep.equal(['compute-1', 'compute-2']);
    const agent = await agentOn('compute-1');
    expect(agent['resources_synced']).to.equal(null);
    expect(agent['configurations']).to.deep.include({
      resource_provider_bandwidths: {},
      resource_provider_packet_processing_without_direction: {},
      resource_provider_hypervisors: {},
    });
  });

  it('are providers below that of the host, with inventories and traits', async () => {
    await set({
      physical_networks: { 'compute-1': ['public', 'rack1'] },
      resource_provider_bandwidths: {
        'compute-1': { ...bandwidths['compute-1'], 'br-rack1': { egress: 5 }, rp_tunnelled: {} },
      },
    }).expect(400);
    await set({
      physical_networks: { 'compute-1': ['public', 'rack1'] },
      resource_provider_bandwidths: {
        'compute-1': {
          ...bandwidths['compute-1'],
          'br-rack1': { egress: 5 },
          rp_tunnelled: { ingress: 7 },
          'br-other': { egress: 9 },
        },
      },
      resource_provider_inventory_defaults: { allocation_ratio: 2, reserved: 1 },
      resource_provider_packet_processing: { 'compute-1': { any: 300 } },
    }).expect(200);
    expect(await names()).to.deep.equal([
      'compute-1',
      agentName,
      `${agentName}:br-ex`,
      `${agentName}:br-rack1`,
      `${agentName}:rp_tunnelled`,
      'compute-2',
    ]);
    const [host, agent, bridge] = [
      await named('compute-1'),
      await named(agentName),
      await named(`${agentName}:br-ex`),
    ];
    expect(agent.parent_provider_uuid).to.equal(host.uuid);
    expect(bridge.parent_provider_uuid).to.equal(agent.uuid);
    // As Python's uuid5 makes them of the namespace of Neutron's driver.
    expect(agent.uuid).to.equal('9d5a1bda-4f86-5531-acc5-c1b7b4763e5c');
    expect(bridge.uuid).to.equal('29ca052c-8c5a-540d-9a4c-582dc3766d91');
    const { inventories } = (
      await placement('GET', `/resource_providers/${bridge.uuid}/inventories`)
    ).body;
    expect(inventories.NET_BW_EGR_KILOBIT_PER_SEC).to.include({
      total: 1000,
      allocation_ratio: 2,
      reserved: 1,
    });
    expect(inventories.NET_BW_IGR_KILOBIT_PER_SEC).to.include({ total: 2000 });
    const { inventories: packets } = (
      await placement('GET', `/resource_providers/${agent.uuid}/inventories`)
    ).body;
    expect(Object.keys(packets)).to.deep.equal(['NET_PACKET_RATE_KILOPACKET_PER_SEC']);
    const traitsOf = async (name: string): Promise<string[]> =>
      (await placement('GET', `/resource_providers/${(await named(name)).uuid}/traits`)).body
        .traits;
    const types = ['NORMAL', 'DIRECT', 'SMART_NIC', 'VDPA'].map(
      (type) => `CUSTOM_VNIC_TYPE_${type}`,
    );
    expect(await traitsOf(agentName)).to.have.members(types);
    expect(await traitsOf(`${agentName}:br-rack1`)).to.have.members([
      'CUSTOM_PHYSNET_RACK1',
      ...types,
    ]);
    expect(await traitsOf(`${agentName}:rp_tunnelled`)).to.have.members([
      'CUSTOM_NETWORK_TUNNEL_PROVIDER',
      ...types,
    ]);
    const shown = await agentOn('compute-1');
    expect(shown['resources_synced']).to.equal(true);
    expect(shown['configurations']).to.deep.include({
      resource_provider_bandwidths: {
        'br-ex': { egress: 1000, ingress: 2000 },
        'br-rack1': { egress: 5, ingress: null },
        rp_tunnelled: { egress: null, ingress: 7 },
      },
      resource_provider_packet_processing_without_direction: { 'compute-1': { any: 300 } },
      resource_provider_packet_processing_with_direction: {},
    });
    expect((await agentOn('compute-2'))['resources_synced']).to.equal(null);
  });

  it('follow the settings, and go with the host', async () => {
    await set({
      resource_provider_bandwidths: bandwidths,
      resource_provider_packet_processing: { 'compute-1': { egress: 1, ingress: 2 } },
    }).expect(200);
    expect(await names()).to.include(`${agentName}:br-ex`);
    await set({ resource_provider_bandwidths: {} }).expect(200);
    expect(await names()).to.deep.equal(['compute-1', agentName, 'compute-2']);
    await set({ resource_provider_packet_processing: {} }).expect(200);
    expect(await names()).to.deep.equal(['compute-1', 'compute-2']);
    await set({ resource_provider_bandwidths: bandwidths }).expect(200);
    await world.ask('emulator', 'DELETE', '/_emulator/hosts/compute-1').expect(204);
    expect(await names()).to.deep.equal(['compute-2']);
    await world
      .ask('emulator', 'POST', '/_emulator/hosts', { body: { name: 'compute-1' } })
      .expect(201);
    expect(await names()).to.include(`${agentName}:br-ex`);
  });

  it('stay where a consumer has allocations from them', async () => {
    await set({ resource_provider_bandwidths: bandwidths }).expect(200);
    const { uuid } = await named(`${agentName}:br-ex`);
    const consumer = '11111111-2222-4333-8444-555555555555';
    await placement('PUT', `/allocations/${consumer}`, {
      allocations: { [uuid]: { resources: { NET_BW_EGR_KILOBIT_PER_SEC: 10 } } },
      project_id: 'p',
      user_id: 'u',
      consumer_generation: null,
    }).expect(204);
    await set({ resource_provider_bandwidths: {} }).expect(200);
    expect(await names()).to.include(`${agentName}:br-ex`);
    await placement('DELETE', `/allocations/${consumer}`).expect(204);
    await set({ resource_provider_packet_processing: { 'compute-1': { any: 1 } } }).expect(200);
    expect(await names()).to.deep.equal(['compute-1', agentName, 'compute-2']);
  });

  it('are restored when Placement is reset', async () => {
    await set({ resource_provider_bandwidths: bandwidths }).expect(200);
    await world
      .ask('emulator', 'POST', '/_emulator/reset', { token: null, body: { service: 'placement' } })
      .expect(204);
    expect(await names()).to.include(`${agentName}:br-ex`);
  });
});
