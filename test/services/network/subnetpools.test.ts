// Subnet pools: prefixes that subnets are cut out of; and DHCP options of ports.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, makeNetwork, member, refusal, stranger, type Thing } from './support.ts';

onEachDatabase('network: subnet pools', { auth: 'noauth2' }, (world) => {
  const makePool = (fields: object = {}, as = {}): Promise<Thing> =>
    make(
      world,
      'subnetpool',
      { name: 'p', prefixes: ['10.20.0.0/16'], default_prefixlen: 24, ...fields },
      as,
    );
  const subnetOf = async (fields: object, as = {}): Promise<Thing> => {
    const { id } = await make(world, 'network', {}, as);
    return make(world, 'subnet', { network_id: id, ip_version: 4, ...fields }, as);
  };
  const post = async (noun: string, fields: object, as = {}): Promise<string> =>
    refusal(await ask(world, 'POST', `/${noun}s`, { [noun]: fields }, as));

  it('are made with the fewest prefixes, and bounds that go together', async () => {
    const pool = await makePool(
      { prefixes: ['10.1.0.0/17', '10.1.128.0/17', '10.9.0.0/24'] },
      member,
    );
    expect(pool).to.deep.include({
      prefixes: ['10.1.0.0/16', '10.9.0.0/24'],
      ip_version: 4,
      min_prefixlen: '8',
      max_prefixlen: '32',
      default_prefixlen: '24',
      default_quota: null,
      is_default: false,
      shared: false,
    });
    expect(await post('subnetpool', { name: 'p', prefixes: [] })).to.equal(
      '400 EmptySubnetPoolPrefixList: Empty subnet pool prefix list.',
    );
    expect(
      await post('subnetpool', { name: 'p', prefixes: ['10.0.0.0/8', 'fd00::/8'] }),
    ).to.contain('PrefixVersionMismatch');
    expect(
      await post('subnetpool', { name: 'p', prefixes: ['10.0.0.0/8'], min_prefixlen: 33 }),
    ).to.equal(
      '400 IllegalSubnetPoolPrefixBounds: Illegal prefix bounds: min_prefixlen=33, max_prefixlen=32.',
    );
    expect(await post('subnetpool', { name: 'p', prefixes: ['x'] })).to.contain(
      'is not a valid IP subnet',
    );
    expect(
      await post('subnetpool', { name: 'p', prefixes: ['10.0.0.0/8'], shared: true }, member),
    ).to.contain('403');
  });

  it('give subnets the first prefix that is left, or the one that is asked for', async () => {
    const { id } = await makePool();
    expect(await subnetOf({ subnetpool_id: id })).to.include({
      cidr: '10.20.0.0/24',
      gateway_ip: '10.20.0.1',
      subnetpool_id: id,
    });
    expect(await subnetOf({ subnetpool_id: id, prefixlen: 25 })).to.include({
      cidr: '10.20.1.0/25',
    });
    expect(await subnetOf({ subnetpool_id: id, cidr: '10.20.1.128/25' })).to.include({
      cidr: '10.20.1.128/25',
    });
    expect(await subnetOf({ subnetpool_id: id })).to.include({ cidr: '10.20.2.0/24' });
    const { id: network_id } = await make(world, 'network', {});
    const refused = (fields: object): Promise<string> =>
      post('subnet', { network_id, ip_version: 4, subnetpool_id: id, ...fields });
    expect(await refused({ cidr: '10.20.0.0/25' })).to.equal(
      '409 SubnetAllocationError: Failed to allocate subnet: Cannot allocate requested subnet from the available set of prefixes.',
    );
    expect(await refused({ prefixlen: 7 })).to.equal(
      '400 MinPrefixSubnetAllocationError: Unable to allocate subnet with prefix length 7, minimum allowed prefix is 8.',
    );
    expect(await refused({ prefixlen: 16 })).to.contain(
      'Insufficient prefix space to allocate subnet size /16.',
    );
    expect(await refused({ cidr: '10.20.9.0/24', prefixlen: 24 })).to.contain(
      'must not be supplied together',
    );
    expect(await refused({ ip_version: 6 })).to.contain(
      'Cannot allocate IPv6 subnet from IPv4 subnet pool',
    );
    expect((await ask(world, 'GET', `/subnets?subnetpool_id=${id}`)).body.subnets).to.have.length(
      4,
    );
    expect(refusal(await ask(world, 'DELETE', `/subnetpools/${id}`))).to.equal(
      '400 SubnetPoolDeleteError: Unable to delete subnet pool: Subnet pool has existing allocations.',
    );
  });

  it('keep the subnets of a network together', async () => {
    const { id } = await makePool();
    const { network_id } = await subnetOf({ subnetpool_id: id });
    expect(await post('subnet', { network_id, ip_version: 4, cidr: '10.99.0.0/24' })).to.contain(
      'NetworkSubnetPoolAffinityError',
    );
    await make(world, 'subnet', { network_id, ip_version: 4, subnetpool_id: id });
  });

  it('have a default, a quota, and owners', async () => {
    const pool = await makePool({ is_default: true, shared: true, default_quota: 300 });
    expect(
      await post('subnetpool', { name: 'q', prefixes: ['10.0.0.0/8'], is_default: true }),
    ).to.contain('Only one default');
    expect(await subnetOf({ use_default_subnetpool: true })).to.include({ subnetpool_id: pool.id });
    const { id: network_id } = await make(world, 'network', {});
    expect(await post('subnet', { network_id, ip_version: 4, subnetpool_id: pool.id })).to.equal(
      '409 SubnetPoolQuotaExceeded: Per-project subnet pool prefix quota exceeded.',
    );
    const own = await makePool({}, member);
    const seen = async (as = {}): Promise<string[]> =>
      (await ask(world, 'GET', '/subnetpools', undefined, as).expect(200)).body.subnetpools.map(
        ({ id }: Thing) => id,
      );
    expect(await seen(member)).to.have.members([pool.id, own.id]);
    expect(await seen(stranger)).to.deep.equal([pool.id]);
    await ask(world, 'GET', `/subnetpools/${own.id}`, undefined, stranger).expect(404);
  });

  it('grow, and go when no subnet needs them', async () => {
    const { id } = await makePool({}, member);
    const put = (fields: object) =>
      ask(world, 'PUT', `/subnetpools/${id}`, { subnetpool: fields }, member);
    expect(refusal(await put({ prefixes: ['10.30.0.0/16'] }))).to.contain(
      '400 IllegalSubnetPoolPrefixUpdate',
    );
    expect(
      (await put({ prefixes: ['10.20.0.0/15'], name: 'q' }).expect(200)).body.subnetpool,
    ).to.deep.include({
      name: 'q',
      prefixes: ['10.20.0.0/15'],
    });
    await ask(world, 'PUT', `/subnetpools/${id}/tags/red`, undefined, member).expect(201);
    await ask(world, 'DELETE', `/subnetpools/${id}`, undefined, member).expect(204);
  });

  it('are in address scopes, within which addresses stand once', async () => {
    const scope = await make(world, 'address_scope', { name: 's', ip_version: 4 }, member);
    expect(scope).to.deep.equal({
      id: scope.id,
      name: 's',
      project_id: 'blue',
      tenant_id: 'blue',
      shared: false,
      ip_version: 4,
    });
    const pool = await makePool({ address_scope_id: scope.id }, member);
    const refused = (fields: object, as = member): Promise<string> =>
      post(
        'subnetpool',
        { name: 'q', prefixes: ['10.20.1.0/24'], address_scope_id: scope.id, ...fields },
        as,
      );
    expect(await refused({})).to.contain('409 AddressScopePrefixConflict');
    expect(await refused({ prefixes: ['fd00::/48'] })).to.contain(
      'because subnetpool ip_version is not 4.',
    );
    expect(await refused({}, stranger)).to.equal(
      `404 AddressScopeNotFound: Address scope ${scope.id} could not be found.`,
    );
    const other = await makePool(
      { prefixes: ['10.21.0.0/16'], address_scope_id: scope.id },
      member,
    );
    const { network_id } = await subnetOf({ subnetpool_id: pool.id }, member);
    await make(world, 'subnet', { network_id, ip_version: 4, subnetpool_id: other.id }, member);
    const plain = await makePool({ prefixes: ['10.22.0.0/16'] }, member);
    expect(
      await post('subnet', { network_id, ip_version: 4, subnetpool_id: plain.id }, member),
    ).to.contain('400 NetworkAddressScopeAffinityError');
    expect((await ask(world, 'GET', `/networks/${network_id}`)).body.network).to.include({
      ipv4_address_scope: scope.id,
      ipv6_address_scope: null,
    });
    const path = `/address-scopes/${scope.id}`;
    expect(refusal(await ask(world, 'DELETE', path, undefined, member))).to.contain(
      '409 AddressScopeInUse',
    );
    const put = (shared: boolean, as = {}) =>
      ask(world, 'PUT', path, { address_scope: { shared } }, as);
    await put(true, member).expect(403);
    await put(true).expect(200);
    expect(refusal(await put(false))).to.contain('400 AddressScopeUpdateError');
    expect(await refused({}, stranger)).to.contain(
      '400 IllegalSubnetPoolAssociationToAddressScope',
    );
  });

  it('DHCP options of a port are written by name, and taken away by null', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    const options = [
      { opt_name: 'bootfile-name', opt_value: 'a' },
      { opt_name: 'server', opt_value: '::1', ip_version: 6 },
    ];
    const port = await make(
      world,
      'port',
      { network_id: network.id, extra_dhcp_opts: options },
      member,
    );
    expect(port['extra_dhcp_opts']).to.deep.equal([
      { opt_name: 'bootfile-name', opt_value: 'a', ip_version: 4 },
      { opt_name: 'server', opt_value: '::1', ip_version: 6 },
    ]);
    const put = (extra_dhcp_opts: unknown) =>
      ask(world, 'PUT', `/ports/${port.id}`, { port: { extra_dhcp_opts } }, member);
    const changed = await put([
      { opt_name: 'bootfile-name', opt_value: 'b' },
      { opt_name: 'server', opt_value: null, ip_version: 6 },
      { opt_name: 'router', opt_value: '' },
    ]).expect(200);
    expect(changed.body.port.extra_dhcp_opts).to.deep.equal([
      { opt_name: 'bootfile-name', opt_value: 'b', ip_version: 4 },
      { opt_name: 'router', opt_value: '', ip_version: 4 },
    ]);
    for (const wrong of [
      'x',
      [{ opt_name: 'a' }],
      [{ opt_name: '', opt_value: 'b' }],
      [{ opt_name: 'a', opt_value: '' }],
    ])
      await put(wrong).expect(400);
  });
});
