// Tests of the scheduler's filters: zones, aggregates, disabled services, traits, named hosts and
// capacity.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault } from '../support.ts';
import {
  act,
  admin,
  liftQuotas,
  madeServer,
  newest,
  postServer,
  showServer,
  type Shown,
} from '../servers/makers.ts';

const none = 'No valid host was found. There are not enough hosts available.';
const at = { ...admin, version: newest };

onEachDatabase('compute: the scheduler', config, (world) => {
  const hostOf = (server: Shown): unknown => server['OS-EXT-SRV-ATTR:host'];

  const aggregate = async (
    name: string,
    host: string,
    metadata: object,
    zone?: string,
  ): Promise<void> => {
    const body = { aggregate: { name, availability_zone: zone ?? null } };
    const { id } = (await ask(world, 'POST', '/os-aggregates', { ...at, body })).body.aggregate as {
      id: number;
    };
    await ask(world, 'POST', `/os-aggregates/${id}/action`, {
      ...at,
      body: { add_host: { host } },
    }).expect(200);
    if (Object.keys(metadata).length)
      await ask(world, 'POST', `/os-aggregates/${id}/action`, {
        ...at,
        body: { set_metadata: { metadata } },
      }).expect(200);
  };

  const flavor = async (
    specs: Readonly<Record<string, string>>,
    fields: object = {},
  ): Promise<string> => {
    const body = {
      flavor: { name: `f-${JSON.stringify(specs)}`, ram: 64, vcpus: 1, disk: 1, ...fields },
    };
    const { id } = (await ask(world, 'POST', '/flavors', { ...at, body })).body.flavor as {
      id: string;
    };
    if (Object.keys(specs).length)
      await ask(world, 'POST', `/flavors/${id}/os-extra_specs`, {
        ...at,
        body: { extra_specs: specs },
      }).expect(200);
    return id;
  };

  const disable = async (host: string, changes: object): Promise<void> => {
    const { services } = (
      await ask(world, 'GET', `/os-services?host=${host}&binary=nova-compute`, at)
    ).body as {
      services: { id: string }[];
    };
    await ask(world, 'PUT', `/os-services/${services[0]!.id}`, { ...at, body: changes }).expect(
      200,
    );
  };

  it('spreads servers over free hosts', async () => {
    const hosts = [];
    for (let index = 0; index < 3; index++) hosts.push(hostOf(await madeServer(world)));
    expect(hosts.toSorted()).to.deep.equal(['compute-1', 'compute-2', 'compute-3']);
  });

  it('selects a host of the requested zone, and pins the server to the zone', async () => {
    await aggregate('a', 'compute-3', {}, 'east');
    const server = await madeServer(world, { availability_zone: 'east' });
    expect(server).to.include({
      'OS-EXT-AZ:availability_zone': 'east',
      pinned_availability_zone: 'east',
      'OS-EXT-SRV-ATTR:host': 'compute-3',
    });
    const stays = await act(world, server.id, { migrate: null });
    expect(stays).to.include({ status: 'ACTIVE', 'OS-EXT-SRV-ATTR:host': 'compute-3' });
    expect(hostOf(await madeServer(world, { availability_zone: 'nova' }))).to.not.equal(
      'compute-3',
    );
  });

  it('follows the hints same_host and different_host', async () => {
    const one = await madeServer(world);
    const other = await madeServer(world, { availability_zone: 'nova:compute-2' }, admin);
    for (const same_host of [other.id, [other.id]])
      expect(hostOf(await madeServer(world, {}, { ...admin, hints: { same_host } }))).to.equal(
        'compute-2',
      );
    const far = await madeServer(
      world,
      {},
      { ...admin, hints: { different_host: [one.id, other.id] } },
    );
    expect([hostOf(one), 'compute-2']).to.not.include(hostOf(far));
  });

  it('finds no host for same_host with an unknown server', async () => {
    const nowhere = await madeServer(
      world,
      {},
      { ...admin, hints: { same_host: ['11111111-1111-1111-1111-111111111111'] } },
    );
    expect(nowhere).to.deep.include({ status: 'ERROR', 'OS-EXT-SRV-ATTR:host': null });
    expect(nowhere.fault!.message).to.equal(none);
  });

  it('finds no host if same_host and different_host name the same server', async () => {
    const one = await madeServer(world);
    const both = await madeServer(
      world,
      {},
      { ...admin, hints: { same_host: one.id, different_host: one.id } },
    );
    expect(both.status).to.equal('ERROR');
  });

  it('follows the hints of a server that moves', async () => {
    const one = await madeServer(world);
    const beside = await madeServer(world, {}, { ...admin, hints: { same_host: one.id } });
    await ask(world, 'POST', `/servers/${beside.id}/action`, {
      ...at,
      body: { migrate: null },
    }).expect(202);
    expect(await showServer(world, beside.id)).to.include({
      status: 'ACTIVE',
      'OS-EXT-SRV-ATTR:host': hostOf(one),
    });
  });

  it('rejects hosts whose aggregates belong to other tenants or lack the extra specs', async () => {
    for (const host of ['compute-1', 'compute-2'])
      await aggregate(`t-${host}`, host, { filter_tenant_id: 'somebody' });
    expect(hostOf(await madeServer(world))).to.equal('compute-3');
    await aggregate('fast', 'compute-3', { disk: 'ssd' });
    expect(
      hostOf(
        await madeServer(world, {
          flavorRef: await flavor({ 'aggregate_instance_extra_specs:disk': 'ssd' }),
        }),
      ),
    ).to.equal('compute-3');
    const slow = await madeServer(world, {
      flavorRef: await flavor({ 'aggregate_instance_extra_specs:disk': '<or> hdd <or> tape' }),
    });
    expect(slow.fault?.message).to.equal(none);
  });

  it('ignores extra specs without a namespace', async () => {
    const server = await madeServer(world, { flavorRef: await flavor({ unknown: 'value' }) });
    expect(server.status).to.equal('ACTIVE');
  });

  it('rejects hosts whose services are disabled or down', async () => {
    await disable('compute-1', { status: 'disabled' });
    await disable('compute-2', { forced_down: true });
    for (let index = 0; index < 3; index++)
      expect(hostOf(await madeServer(world))).to.equal('compute-3');
    await disable('compute-3', { status: 'disabled' });
    expect((await madeServer(world)).fault?.message).to.equal(none);
    await disable('compute-2', { status: 'disabled' });
    expect((await madeServer(world)).fault?.message).to.equal('No valid host was found. ');
  });

  it('accepts a zone whose hosts are all down, and finds no host in it', async () => {
    await aggregate('a', 'compute-3', {}, 'east');
    await disable('compute-3', { forced_down: true });
    const server = await madeServer(world, { availability_zone: 'east' });
    expect(server).to.include({ status: 'ERROR', 'OS-EXT-AZ:availability_zone': 'east' });
    await disable('compute-3', { status: 'disabled' });
    expectFault(
      await postServer(world, { availability_zone: 'east' }),
      400,
      'The requested availability zone is not available',
    );
  });

  it('requests the traits and resources of extra specs from Placement', async () => {
    const missing = await madeServer(world, {
      flavorRef: await flavor({ 'trait:HW_CPU_X86_AVX512F': 'required' }),
    });
    expect(missing.fault?.message).to.equal('No valid host was found. ');
    const without = await flavor({ 'resources:VCPU': '0', 'resources:DISK_GB': '3' });
    const { id } = await madeServer(world, { flavorRef: without });
    const { allocations } = (
      await world.ask('placement', 'GET', `/placement/allocations/${id}`, {
        token: 'admin',
        version: '1.39',
      })
    ).body as {
      allocations: Record<string, { resources: object }>;
    };
    expect(Object.values(allocations).map(({ resources }) => resources)).to.deep.equal([
      { MEMORY_MB: 64, DISK_GB: 3 },
    ]);
  });

  it('selects the host or the node that the request names', async () => {
    expect(hostOf(await madeServer(world, { host: 'compute-2' }))).to.equal('compute-2');
    expect(hostOf(await madeServer(world, { hypervisor_hostname: 'compute-3' }))).to.equal(
      'compute-3',
    );
    expect(hostOf(await madeServer(world, { availability_zone: 'nova::compute-1' }))).to.equal(
      'compute-1',
    );
    expect(
      (await madeServer(world, { availability_zone: 'nova:nowhere' })).fault?.message,
    ).to.equal(none);
  });

  it('returns 400 if a request names a host in two ways', async () => {
    const both = await postServer(world, {
      host: 'compute-2',
      availability_zone: 'nova:compute-2',
    });
    expectFault(
      both,
      400,
      'One mechanism with host and/or hypervisor_hostname and another mechanism with ' +
        'zone:host:node are mutually exclusive.',
    );
  });

  it('forces a server onto a host, and pins it to the zone of the request', async () => {
    await aggregate('a', 'compute-3', {}, 'east');
    const forced = await madeServer(world, { availability_zone: 'east:compute-3' });
    expect(forced).to.include({
      status: 'ACTIVE',
      'OS-EXT-SRV-ATTR:host': 'compute-3',
      pinned_availability_zone: 'east',
    });
    expect(
      (await madeServer(world, { availability_zone: ':compute-1' }))['pinned_availability_zone'],
    ).to.equal(null);
  });

  it('finds no host if the forced host is not in the zone', async () => {
    await aggregate('a', 'compute-3', {}, 'east');
    const outside = await madeServer(world, { availability_zone: 'east:compute-1' });
    expect(outside).to.include({ status: 'ERROR', 'OS-EXT-AZ:availability_zone': 'east' });
    expect(outside.fault?.message).to.equal('No valid host was found. ');
  });

  it('ignores an unknown zone with a forced host, and returns 400 with a forced node', async () => {
    // Upstream does not look up the zone if the request names a host.
    expect(hostOf(await madeServer(world, { availability_zone: 'nowhere:compute-1' }))).to.equal(
      'compute-1',
    );
    expectFault(
      await postServer(world, { availability_zone: 'nowhere::compute-1' }),
      400,
      'The requested availability zone is not available',
    );
  });

  it('reports too few hosts if only some of the servers of a request find one', async () => {
    await liftQuotas(world);
    const large = await flavor({}, { name: 'large', ram: 40_000 });
    const several = await madeServer(world, { flavorRef: large, min_count: 4 });
    expect(several.fault?.message).to.equal(none);
    const huge = await flavor({}, { name: 'huge', ram: 100_000 });
    expect((await madeServer(world, { flavorRef: huge, min_count: 2 })).fault?.message).to.equal(
      'No valid host was found. ',
    );
  });

  it('never allocates more than the capacity of the hosts', async () => {
    await liftQuotas(world);
    const large = await flavor({}, { name: 'large', ram: 40_000 });
    const states = [];
    for (let index = 0; index < 4; index++)
      states.push((await madeServer(world, { flavorRef: large })).status);
    expect(states).to.deep.equal(['ACTIVE', 'ACTIVE', 'ACTIVE', 'ERROR']);
  });
});
