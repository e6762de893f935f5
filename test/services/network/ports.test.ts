// Ports: addresses, security groups, devices and bindings, also of ports that are created
// concurrently.
import { expect } from 'chai';
import { seededNetworkId } from '../../../src/services/network/seed.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  make,
  makeNetwork,
  member,
  errorOf,
  someone,
  otherMember,
  type Resource,
} from './support.ts';

interface Fixed {
  readonly subnet_id: string;
  readonly ip_address: string;
}

onEachDatabase('network: ports', { auth: 'noauth2' }, (world) => {
  const post = async (fields: object, as = member): Promise<string> =>
    errorOf(await ask(world, 'POST', '/ports', { port: fields }, as));
  const ips = (port: Resource): string[] =>
    (port['fixed_ips'] as Fixed[]).map(({ ip_address }) => ip_address);

  describe('POST /v2.0/ports', () => {
    it('creates a port with an address of each version, a MAC address and the default group', async () => {
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
          { subnet_id: subnet.id, ip_address: '10.1.0.3' },
          { subnet_id: six.id, ip_address: '2001:db8::3' },
        ],
      });
      expect(port).to.not.have.property('binding:host_id');
    });

    it('creates a port with the requested addresses', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const network_id = network.id;
      const portWith = (fixed_ips: object[]) =>
        make(world, 'port', { network_id, fixed_ips }, member);
      expect(ips(await portWith([{ ip_address: '10.1.0.9' }]))).to.deep.equal(['10.1.0.9']);
      expect(
        ips(await portWith([{ subnet_id: subnet.id }, { ip_address: '10.1.0.20' }])),
      ).to.have.members(['10.1.0.20', '10.1.0.21']);
      expect(ips(await portWith([]))).to.deep.equal([]);
    });

    it('returns 409 for an address in use', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const network_id = network.id;
      await make(world, 'port', { network_id, fixed_ips: [{ ip_address: '10.1.0.9' }] }, member);
      expect(await post({ network_id, fixed_ips: [{ ip_address: '10.1.0.9' }] })).to.equal(
        `409 IpAddressInUse: Unable to complete operation for network ${network_id}. The ` +
          'IP address 10.1.0.9 is in use.',
      );
    });

    it('returns 400 for an address that does not fit the network', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const network_id = network.id;
      expect(await post({ network_id, fixed_ips: [{ ip_address: '10.2.0.9' }] })).to.equal(
        '400 InvalidIpForNetwork: IP address 10.2.0.9 is not a valid IP for any of the ' +
          'subnets on the specified network.',
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

    it('returns 409 when no address is free, and reuses released addresses', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/29', member);
      const created = [];
      for (let n = 0; n < 4; n++)
        created.push(await make(world, 'port', { network_id: network.id }, member));
      expect(created.flatMap(ips)).to.deep.equal(['10.1.0.3', '10.1.0.4', '10.1.0.5', '10.1.0.6']);
      expect(await post({ network_id: network.id })).to.equal(
        `409 IpAddressGenerationFailure: No more IP addresses available on network ${network.id}.`,
      );
      await ask(world, 'DELETE', `/ports/${created[1]!.id}`, undefined, member).expect(204);
      expect(ips(await make(world, 'port', { network_id: network.id }, member))).to.deep.equal([
        '10.1.0.4',
      ]);
    });

    it('gives each address to one port only when ports are created concurrently', async function () {
      const { network } = await makeNetwork(world, '10.1.0.0/27', member);
      const fields = { port: { network_id: network.id } };
      const replies = await Promise.all(
        Array.from({ length: 32 }, () => ask(world, 'POST', '/ports', fields, member)),
      );
      const addresses = replies
        .filter(({ status }) => status === 201)
        .flatMap(({ body }) => ips(body.port));
      expect(new Set(addresses).size).to.equal(addresses.length);
      expect(addresses).to.have.length(28);
      for (const reply of replies.filter(({ status }) => status !== 201))
        expect(errorOf(reply)).to.contain('409 IpAddressGenerationFailure');
    });

    it('never exceeds the quota when ports are created concurrently', async function () {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      // The DHCP port of the network counts.
      await ask(world, 'PUT', '/quotas/blue', { quota: { port: 7 } }).expect(200);
      const fields = { port: { network_id: network.id } };
      const replies = await Promise.all(
        Array.from({ length: 16 }, () => ask(world, 'POST', '/ports', fields, member)),
      );
      expect(replies.filter(({ status }) => status === 201)).to.have.length(6);
      for (const reply of replies.filter(({ status }) => status !== 201))
        expect(errorOf(reply)).to.equal("409 OverQuota: Quota exceeded for resources: ['port'].");
    });

    it('creates the ports of a list with tags, or none of them on an error', async () => {
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
      expect(errorOf(await ask(world, 'POST', '/ports', many(2), member))).to.contain(
        '409 IpAddressGenerationFailure',
      );
      const { body } = await ask(world, 'GET', `/ports?network_id=${network.id}&device_owner=`);
      expect(body.ports).to.have.length(3);
    });

    it('normalizes MAC addresses and allowed address pairs, and rejects invalid ones', async () => {
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

    it('returns 403 for a chosen address, MAC address or device owner on a shared network', async () => {
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
    });

    it('returns 403 on a network of another project', async () => {
      const own = await make(world, 'network', {}, otherMember);
      expect(await post({ network_id: own.id })).to.contain('403 PolicyNotAuthorized');
    });

    it('lets only administrators bind a port to a host', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      expect(await post({ network_id: network.id, 'binding:host_id': 'h' })).to.contain(
        'create_port:binding:host_id',
      );
    });

    it('puts a port into groups of its project, and returns 404 for others', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const own = await make(world, 'security_group', { name: 'own' }, member);
      const other = await make(world, 'security_group', { name: 'other' }, otherMember);
      const network_id = network.id;
      const port = await make(world, 'port', { network_id, security_groups: [own.id] }, member);
      expect(port['security_groups']).to.deep.equal([own.id]);
      expect(await post({ network_id, security_groups: [other.id] })).to.equal(
        `404 SecurityGroupNotFound: Security group ${other.id} does not exist`,
      );
    });
  });

  describe('GET /v2.0/ports', () => {
    it('filters by device, address, MAC address and group', async () => {
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
        'fixed_ips=ip_address=10.1.0.3',
        'fixed_ips=ip_address_substr=0.3',
        `mac_address=${String(port['mac_address'])}`,
      ]) {
        expect(await found(query), query).to.deep.equal(['a']);
      }
      expect(
        await found(`fixed_ips=subnet_id%3D${subnet.id}&sort_key=name&sort_dir=desc`),
      ).to.deep.equal(['a', '', '']);
      expect(await found('device_id=')).to.deep.equal(['']);
    });

    it('returns 400 for an invalid fixed_ips filter', async () => {
      expect(errorOf(await ask(world, 'GET', '/ports?fixed_ips=x'))).to.contain(
        "'x' is not of the form <key>=[value]",
      );
    });

    it('returns 404 for a port of another project', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(world, 'port', { network_id: network.id }, member);
      await ask(world, 'GET', `/ports/${port.id}`, undefined, otherMember).expect(404);
    });
  });

  describe('PUT /v2.0/ports/{id}', () => {
    it('sorts addresses as text, whatever their order in the request', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const addresses = ['10.1.0.24', '10.1.0.9', '10.1.0.23'];
      const fixed_ips = addresses.map((ip_address) => ({ ip_address }));
      const port = await make(world, 'port', { network_id: network.id, fixed_ips }, member);
      expect(ips(port)).to.deep.equal(['10.1.0.23', '10.1.0.24', '10.1.0.9']);
      const { body } = await ask(
        world,
        'PUT',
        `/ports/${port.id}`,
        { port: { fixed_ips: [{ ip_address: '10.1.0.100' }, ...fixed_ips] } },
        member,
      ).expect(200);
      expect(ips(body.port)).to.deep.equal(['10.1.0.100', '10.1.0.23', '10.1.0.24', '10.1.0.9']);
    });

    it('replaces addresses, and keeps those that are requested again', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(world, 'port', { network_id: network.id }, member);
      const put = (fields: object, as = member) =>
        ask(world, 'PUT', `/ports/${port.id}`, { port: fields }, as);
      const two = await put({
        fixed_ips: [{ ip_address: '10.1.0.3' }, { ip_address: '10.1.0.50' }],
      }).expect(200);
      expect(ips(two.body.port)).to.deep.equal(['10.1.0.3', '10.1.0.50']);
      const one = await put({
        fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.1.0.50' }],
      }).expect(200);
      expect(one.body.port).to.deep.include({
        fixed_ips: [{ subnet_id: subnet.id, ip_address: '10.1.0.50' }],
        revision_number: 2,
      });
      expect(ips((await put({ fixed_ips: [] }).expect(200)).body.port)).to.deep.equal([]);
    });

    it('gives a port a new random MAC address for mac_address: null', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(world, 'port', { network_id: network.id });
      const body = { port: { mac_address: null } };
      const updated = await ask(world, 'PUT', `/ports/${port.id}`, body).expect(200);
      expect(updated.body.port.mac_address)
        .to.match(/^fa:16:3e(:[\da-f]{2}){3}$/)
        .and.not.equal(port['mac_address']);
    });

    it('makes a port ACTIVE while it is bound to a host', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
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
      expect(errorOf(await put({ mac_address: 'fa:16:3e:00:00:09' }))).to.contain('409 PortBound');
      expect(errorOf(await put({ 'binding:vnic_type': 'direct' }))).to.equal(
        `409 PortInUse: Unable to complete operation on port ${port.id} for network ` +
          `${network.id}. Port already has an attached device d.`,
      );
      const free = await put({ 'binding:host_id': '' }).expect(200);
      expect(free.body.port).to.include({
        'binding:host_id': '',
        'binding:vif_type': 'unbound',
        status: 'DOWN',
      });
    });

    it('lets only services change the binding profile', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(world, 'port', { network_id: network.id }, member);
      const put = (fields: object, as = {}) =>
        ask(world, 'PUT', `/ports/${port.id}`, { port: fields }, as);
      expect(errorOf(await put({ 'binding:profile': {} }))).to.contain(
        'update_port:binding:profile',
      );
      await put({ 'binding:profile': { a: 1 } }, someone('service', 'nova', 'service')).expect(200);
    });

    it('returns 400 or 409 for security groups or address pairs without port security', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const own = await make(world, 'security_group', { name: 'own' }, member);
      const network_id = network.id;
      const port = await make(world, 'port', { network_id, security_groups: [own.id] }, member);
      expect(
        await post({ network_id, port_security_enabled: false, security_groups: [own.id] }),
      ).to.contain('PortSecurityAndIPRequiredForSecurityGroups');
      const put = (fields: object) =>
        ask(world, 'PUT', `/ports/${port.id}`, { port: fields }, member);
      expect(errorOf(await put({ port_security_enabled: false }))).to.contain(
        '409 PortSecurityPortHasSecurityGroup',
      );
      const none = await put({ port_security_enabled: false, security_groups: [] }).expect(200);
      expect(none.body.port).to.deep.include({ port_security_enabled: false, security_groups: [] });
      expect(
        errorOf(await put({ allowed_address_pairs: [{ ip_address: '10.9.9.9' }] })),
      ).to.contain('409 AddressPairAndPortSecurityRequired');
      const some = await put({ port_security_enabled: true }).expect(200);
      expect(some.body.port.security_groups).to.deep.equal([]);
      await put({ allowed_address_pairs: [{ ip_address: '10.9.9.9' }] }).expect(200);
      expect(errorOf(await put({ port_security_enabled: false }))).to.equal(
        '409 AddressPairAndPortSecurityRequired: Port Security must be enabled in order to have ' +
          'allowed address pairs on a port.',
      );
    });

    it('merges DHCP options by name, and deletes those with a null value', async () => {
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
    });

    it('returns 400 for invalid DHCP options', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(world, 'port', { network_id: network.id }, member);
      const put = (extra_dhcp_opts: unknown) =>
        ask(world, 'PUT', `/ports/${port.id}`, { port: { extra_dhcp_opts } }, member);
      for (const options of [
        'x',
        [{ opt_name: 'a' }],
        [{ opt_name: '', opt_value: 'b' }],
        [{ opt_name: 'a', opt_value: '' }],
      ])
        await put(options).expect(400);
    });
  });

  describe('/v2.0/ports/{id}/tags', () => {
    it(
      'lets the owner of the network delete tags of a port of another project, but not add ' +
        'them',
      async () => {
        const { network } = await makeNetwork(world, '10.9.0.0/24', member);
        const { id } = await make(world, 'port', { network_id: network.id, project_id: 'red' });
        const add = (as: typeof member): Promise<{ status: number }> =>
          ask(world, 'POST', `/ports/${id}/tags`, { tags: ['mine'] }, as);
        const tagged = async (as: typeof member): Promise<number> => (await add(as)).status;
        expect(await tagged(member)).to.equal(403);
        expect(await tagged(someone('service', 'nova', 'service'))).to.equal(403);
        expect(await tagged(otherMember)).to.equal(200);
        await ask(world, 'DELETE', `/ports/${id}/tags`, undefined, member).expect(204);
      },
    );

    it('lets the role advsvc add, read and delete tags of any port', async () => {
      const { network } = await makeNetwork(world, '10.9.0.0/24', member);
      const { id } = await make(world, 'port', { network_id: network.id, project_id: 'red' });
      const tagged = async (as: typeof member): Promise<number> =>
        (await ask(world, 'POST', `/ports/${id}/tags`, { tags: ['mine'] }, as)).status;
      const advsvc = someone('advsvc', 'octavia', 'service');
      expect(await tagged(advsvc)).to.equal(200);
      await ask(world, 'GET', `/ports/${id}/tags`, undefined, advsvc).expect(200);
      await ask(world, 'DELETE', `/ports/${id}/tags`, undefined, advsvc).expect(204);
    });
  });
});
