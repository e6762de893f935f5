// Ports: their addresses, groups and devices; and many made at once.
import { expect } from 'chai';
import { seededNetworkId } from '../../../src/services/network/seed.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  make,
  makeNetwork,
  member,
  refusal,
  someone,
  stranger,
  type Thing,
} from './support.ts';

interface Fixed {
  readonly subnet_id: string;
  readonly ip_address: string;
}

onEachDatabase('network: ports', { auth: 'noauth2' }, (world) => {
  const post = async (fields: object, as = member): Promise<string> =>
    refusal(await ask(world, 'POST', '/ports', { port: fields }, as));
  const ips = (port: Thing): string[] =>
    (port['fixed_ips'] as Fixed[]).map(({ ip_address }) => ip_address);

  it('get an address of each version, a MAC address and the default group', async () => {
    const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
    const six = await make(
      world,
      'subnet',
      { network_id: network.id, ip_version: 6, cidr: '2001:db8::/64' },
      member,
    );
    const {
      id,
      mac_address: mac,
      security_groups: groups,
      ...port
    } = await make(world, 'port', { network_id: network.id }, member);
    expect(id).to.be.a('string');
    expect(mac).to.match(/^fa:16:3e:..:..:..$/);
    expect(groups).to.have.length(1);
    expect(port).to.deep.include({
      name: '',
      status: 'DOWN',
      device_id: '',
      device_owner: '',
      port_security_enabled: true,
      allowed_address_pairs: [],
      'binding:vnic_type': 'normal',
      fixed_ips: [
        { subnet_id: subnet.id, ip_address: '10.1.0.2' },
        { subnet_id: six.id, ip_address: '2001:db8::2' },
      ],
    });
    expect(port).to.not.have.property('binding:host_id');
  });

  it('get the addresses that they ask for', async () => {
    const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
    const network_id = network.id;
    const make1 = (fixed_ips: object[]) => make(world, 'port', { network_id, fixed_ips }, member);
    expect(ips(await make1([{ ip_address: '10.1.0.9' }]))).to.deep.equal(['10.1.0.9']);
    expect(
      ips(await make1([{ subnet_id: subnet.id }, { ip_address: '10.1.0.20' }])),
    ).to.have.members(['10.1.0.20', '10.1.0.21']);
    expect(ips(await make1([]))).to.deep.equal([]);
    expect(await post({ network_id, fixed_ips: [{ ip_address: '10.1.0.9' }] })).to.equal(
      `409 IpAddressInUse: Unable to complete operation for network ${network_id}. The IP address 10.1.0.9 is in use.`,
    );
    expect(await post({ network_id, fixed_ips: [{ ip_address: '10.2.0.9' }] })).to.equal(
      '400 InvalidIpForNetwork: IP address 10.2.0.9 is not a valid IP for any of the subnets on the specified network.',
    );
    expect(
      await post({ network_id, fixed_ips: [{ ip_address: '10.1.0.255', subnet_id: subnet.id }] }),
    ).to.equal(
      '400 InvalidIpForSubnet: IP address 10.1.0.255 is not a valid IP for the specified subnet.',
    );
    expect(await post({ network_id, fixed_ips: [{ ip_address: 'x' }] })).to.contain(
      "'x' is not a valid IP address",
    );
    expect(await post({ network_id, fixed_ips: [{}] })).to.contain(
      'IP allocation requires subnet_id or ip_address',
    );
  });

  it('run out of addresses, and use those again that were given back', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/29', member);
    const made = [];
    for (let n = 0; n < 5; n++)
      made.push(await make(world, 'port', { network_id: network.id }, member));
    expect(made.flatMap(ips)).to.deep.equal([
      '10.1.0.2',
      '10.1.0.3',
      '10.1.0.4',
      '10.1.0.5',
      '10.1.0.6',
    ]);
    expect(await post({ network_id: network.id })).to.equal(
      `409 IpAddressGenerationFailure: No more IP addresses available on network ${network.id}.`,
    );
    await ask(world, 'DELETE', `/ports/${made[1]!.id}`, undefined, member).expect(204);
    expect(ips(await make(world, 'port', { network_id: network.id }, member))).to.deep.equal([
      '10.1.0.3',
    ]);
  });

  it('never get an address twice, however many are made at once', async function () {
    const { network } = await makeNetwork(world, '10.1.0.0/27', member);
    const fields = { port: { network_id: network.id } };
    const replies = await Promise.all(
      Array.from({ length: 32 }, () => ask(world, 'POST', '/ports', fields, member)),
    );
    const made = replies
      .filter(({ status }) => status === 201)
      .flatMap(({ body }) => ips(body.port));
    expect(new Set(made).size).to.equal(made.length);
    expect(made).to.have.length(29);
    for (const reply of replies.filter(({ status }) => status !== 201))
      expect(refusal(reply)).to.contain('409 IpAddressGenerationFailure');
  });

  it('never are more than the quota allows, however many are made at once', async function () {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    await ask(world, 'PUT', '/quotas/blue', { quota: { port: 6 } }).expect(200);
    const fields = { port: { network_id: network.id } };
    const replies = await Promise.all(
      Array.from({ length: 16 }, () => ask(world, 'POST', '/ports', fields, member)),
    );
    expect(replies.filter(({ status }) => status === 201)).to.have.length(6);
    for (const reply of replies.filter(({ status }) => status !== 201))
      expect(refusal(reply)).to.equal("409 OverQuota: Quota exceeded for resources: ['port'].");
  });

  it('change addresses, and keep those that are asked for again', async () => {
    const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
    const port = await make(world, 'port', { network_id: network.id }, member);
    const put = (fields: object, as = member) =>
      ask(world, 'PUT', `/ports/${port.id}`, { port: fields }, as);
    const two = await put({
      fixed_ips: [{ ip_address: '10.1.0.2' }, { ip_address: '10.1.0.50' }],
    }).expect(200);
    expect(ips(two.body.port)).to.have.members(['10.1.0.2', '10.1.0.50']);
    const one = await put({
      fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.1.0.50' }],
    }).expect(200);
    expect(one.body.port).to.deep.include({
      fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.1.0.50' }],
      revision_number: 2,
    });
    expect(ips((await put({ fixed_ips: [] }).expect(200)).body.port)).to.deep.equal([]);
  });

  it('are bound to hosts by admins, and up then', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    expect(await post({ network_id: network.id, 'binding:host_id': 'h' })).to.contain(
      'create_port:binding:host_id',
    );
    const port = await make(
      world,
      'port',
      { network_id: network.id, device_id: 'd', device_owner: 'compute:nova' },
      member,
    );
    const put = (fields: object, as = {}) =>
      ask(world, 'PUT', `/ports/${port.id}`, { port: fields }, as);
    const bound = await put({ 'binding:host_id': 'h' }).expect(200);
    expect(bound.body.port).to.include({
      'binding:host_id': 'h',
      'binding:vif_type': 'ovs',
      status: 'ACTIVE',
    });
    expect(refusal(await put({ mac_address: 'fa:16:3e:00:00:09' }))).to.contain('409 PortBound');
    const free = await put({ 'binding:host_id': '' }).expect(200);
    expect(free.body.port).to.include({
      'binding:host_id': '',
      'binding:vif_type': 'unbound',
      status: 'DOWN',
    });
    expect(refusal(await put({ 'binding:profile': {} }))).to.contain('update_port:binding:profile');
    await put({ 'binding:profile': { a: 1 } }, someone('service', 'nova', 'service')).expect(200);
  });

  it('are in the groups of their project', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    const own = await make(world, 'security_group', { name: 'own' }, member);
    const other = await make(world, 'security_group', { name: 'other' }, stranger);
    const network_id = network.id;
    const port = await make(world, 'port', { network_id, security_groups: [own.id] }, member);
    expect(port['security_groups']).to.deep.equal([own.id]);
    expect(await post({ network_id, security_groups: [other.id] })).to.equal(
      `404 SecurityGroupNotFound: Security group ${other.id} does not exist`,
    );
    expect(
      await post({ network_id, port_security_enabled: false, security_groups: [own.id] }),
    ).to.contain('PortSecurityAndIPRequiredForSecurityGroups');
    const put = (fields: object) =>
      ask(world, 'PUT', `/ports/${port.id}`, { port: fields }, member);
    expect(refusal(await put({ port_security_enabled: false }))).to.contain(
      '409 PortSecurityPortHasSecurityGroup',
    );
    const none = await put({ port_security_enabled: false, security_groups: [] }).expect(200);
    expect(none.body.port).to.deep.include({ port_security_enabled: false, security_groups: [] });
    expect(refusal(await put({ allowed_address_pairs: [{ ip_address: '10.9.9.9' }] }))).to.contain(
      '409 AddressPairAndPortSecurityRequired',
    );
    const some = await put({ port_security_enabled: true }).expect(200);
    expect(some.body.port.security_groups).to.have.length(1);
  });

  it('may send from further addresses', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    const pairs = (...allowed_address_pairs: object[]) => ({
      network_id: network.id,
      mac_address: 'FA-16-3E-00-00-07',
      allowed_address_pairs,
    });
    const port = await make(world, 'port', pairs({ ip_address: '10.9.0.0/16' }), member);
    expect(port).to.deep.include({
      mac_address: 'fa:16:3e:00:00:07',
      allowed_address_pairs: [{ mac_address: 'fa:16:3e:00:00:07', ip_address: '10.9.0.0/16' }],
    });
    expect(await post(pairs({ ip_address: '10.9.0.0/16' }))).to.contain('409 MacAddressInUse');
    expect(await post(pairs({}))).to.equal(
      '400 AllowedAddressPairsMissingIP: AllowedAddressPair must contain ip_address',
    );
    expect(await post(pairs({ ip_address: '1.2.3.4' }, { ip_address: '1.2.3.4' }))).to.contain(
      '400 DuplicateAddressPairInRequest',
    );
    expect(await post(pairs({ ip_address: 'x' }))).to.contain("'x' is not a valid IP address");
  });

  it('on shared networks are for all, but not with an address of their choice', async () => {
    const network_id = seededNetworkId('RegionOne', 'private');
    await make(world, 'port', { network_id }, member);
    expect(await post({ network_id, fixed_ips: [{ ip_address: '10.0.1.99' }] })).to.contain(
      'create_port:fixed_ips:ip_address',
    );
    expect(await post({ network_id, mac_address: 'fa:16:3e:00:00:01' })).to.contain(
      'create_port:mac_address',
    );
    expect(await post({ network_id, device_owner: 'network:x' })).to.contain(
      'create_port:device_owner',
    );
    const own = await make(world, 'network', {}, stranger);
    expect(await post({ network_id: own.id })).to.contain('403 PolicyNotAuthorized');
  });

  it('are listed by device, address and group', async () => {
    const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
    const group = await make(world, 'security_group', { name: 'g' }, member);
    const port = await make(
      world,
      'port',
      { network_id: network.id, device_id: 'd1', security_groups: [group.id], name: 'a' },
      member,
    );
    await make(world, 'port', { network_id: network.id }, member);
    const found = async (query: string): Promise<string[]> =>
      (await ask(world, 'GET', `/ports?project_id=blue&${query}`).expect(200)).body.ports.map(
        (one: { name: string }) => one.name,
      );
    for (const query of [
      'device_id=d1',
      `security_groups=${group.id}`,
      'fixed_ips=ip_address=10.1.0.2',
      'fixed_ips=ip_address_substr=0.2',
      `mac_address=${String(port['mac_address'])}`,
    ]) {
      expect(await found(query), query).to.deep.equal(['a']);
    }
    expect(
      await found(`fixed_ips=subnet_id%3D${subnet.id}&sort_key=name&sort_dir=desc`),
    ).to.deep.equal(['a', '']);
    expect(await found('device_id=')).to.deep.equal(['']);
    expect(refusal(await ask(world, 'GET', '/ports?fixed_ips=x'))).to.contain(
      "'x' is not of the form <key>=[value]",
    );
    await ask(world, 'GET', `/ports/${port.id}`, undefined, stranger).expect(404);
  });

  it('can be made several at once with tags, or none of them', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/29', member);
    const many = (count: number) => ({
      ports: Array.from({ length: count }, () => ({ network_id: network.id, tags: ['t'] })),
    });
    const reply = await ask(world, 'POST', '/ports', many(3), member).expect(201);
    expect(reply.body.ports.map((port: { tags: string[] }) => port.tags)).to.deep.equal([
      ['t'],
      ['t'],
      ['t'],
    ]);
    expect(refusal(await ask(world, 'POST', '/ports', many(3), member))).to.contain(
      '409 IpAddressGenerationFailure',
    );
    const { body } = await ask(world, 'GET', `/ports?network_id=${network.id}`);
    expect(body.ports).to.have.length(3);
  });

  it('of another project get tags from neither the owner of the network nor a service, but may lose them', async () => {
    const { network } = await makeNetwork(world, '10.9.0.0/24', member);
    const { id } = await make(world, 'port', { network_id: network.id, project_id: 'red' });
    const add = (as: typeof member): Promise<{ status: number }> =>
      ask(world, 'POST', `/ports/${id}/tags`, { tags: ['mine'] }, as);
    const tagged = async (as: typeof member): Promise<number> => (await add(as)).status;
    expect(await tagged(member)).to.equal(403);
    expect(await tagged(someone('service', 'nova', 'service'))).to.equal(403);
    expect(await tagged(stranger)).to.equal(200);
    await ask(world, 'DELETE', `/ports/${id}/tags`, undefined, member).expect(204);
    const advsvc = someone('advsvc', 'octavia', 'service');
    expect(await tagged(advsvc)).to.equal(200);
    await ask(world, 'GET', `/ports/${id}/tags`, undefined, advsvc).expect(200);
    await ask(world, 'DELETE', `/ports/${id}/tags`, undefined, advsvc).expect(204);
  });
});
