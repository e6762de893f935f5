// Networks: creation, visibility, lists and deletion.
import { expect } from 'chai';
import { seededNetworkId } from '../../../src/services/network/seed.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  make,
  makeNetwork,
  member,
  reader,
  errorOf,
  otherMember,
  type Resource,
} from './support.ts';

onEachDatabase('network: networks', { auth: 'noauth2' }, (world) => {
  const list = async (query: string, as = {}): Promise<Resource[]> => {
    const reply = await ask(world, 'GET', `/networks${query}`, undefined, as).expect(200);
    return (reply.body as { networks: Resource[] }).networks;
  };
  const names = async (query: string, as = {}): Promise<string[]> =>
    (await list(query, as)).map((network) => network['name'] as string);

  describe('POST /v2.0/networks', () => {
    const post = async (body: unknown, as = member): Promise<string> =>
      errorOf(await ask(world, 'POST', '/networks', body, as));

    it('creates a network with default attributes', async () => {
      const { id, ...network } = await make(world, 'network', { name: 'n' }, member);
      expect(id).to.match(/^[0-9a-f-]{36}$/);
      expect(network).to.deep.equal({
        name: 'n',
        subnets: [],
        admin_state_up: true,
        status: 'ACTIVE',
        project_id: 'blue',
        tenant_id: 'blue',
        shared: false,
        'router:external': false,
        mtu: 1442,
        port_security_enabled: true,
        qos_policy_id: null,
        availability_zone_hints: [],
        availability_zones: [],
        ipv4_address_scope: null,
        ipv6_address_scope: null,
        l2_adjacency: true,
        tags: [],
        description: '',
        created_at: '2026-11-20T12:00:00Z',
        updated_at: '2026-11-20T12:00:00Z',
        revision_number: 0,
      });
    });

    it(
      'shows the provider attributes to administrators, with the next segmentation id by ' +
        'default',
      async () => {
        const plain = await make(world, 'network', {});
        expect(plain['provider:network_type']).to.equal('geneve');
        const first = plain['provider:segmentation_id'] as number;
        expect((await make(world, 'network', {}))['provider:segmentation_id']).to.equal(first + 1);
      },
    );

    it('creates a network on a given VLAN, and returns 409 if that is in use', async () => {
      const fields = {
        'provider:network_type': 'vlan',
        'provider:physical_network': 'p',
        'provider:segmentation_id': 7,
      };
      expect(await make(world, 'network', fields)).to.include(fields);
      expect(errorOf(await ask(world, 'POST', '/networks', { network: fields }))).to.equal(
        '409 VlanIdInUse: Unable to create the network. The VLAN 7 on physical network p ' +
          'is in use.',
      );
    });

    it('creates the networks of a list', async () => {
      const reply = await ask(
        world,
        'POST',
        '/networks',
        { networks: [{ name: 'a' }, { network: { name: 'b' } }] },
        member,
      ).expect(201);
      expect(reply.body.networks.map((network: { name: string }) => network.name)).to.deep.equal([
        'a',
        'b',
      ]);
    });

    it('creates none of a list that would exceed the quota', async () => {
      for (const name of ['a', 'b']) await make(world, 'network', { name }, member);
      const before = (await list('', member)).length;
      await ask(world, 'PUT', '/quotas/blue', { quota: { network: 3 } }).expect(200);
      const postError = await ask(
        world,
        'POST',
        '/networks',
        { networks: [{ name: 'c' }, { name: 'd' }] },
        member,
      );
      expect(errorOf(postError)).to.equal(
        "409 OverQuota: Quota exceeded for resources: ['network'].",
      );
      expect(await list('', member)).to.have.length(before);
    });

    it('returns 400 for an invalid attribute', async () => {
      expect(await post({ network: { colour: 'red' } })).to.equal(
        "400 HTTPBadRequest: Unrecognized attribute(s) 'colour'",
      );
      expect(await post({ network: { status: 'x' } })).to.equal(
        "400 HTTPBadRequest: Attribute 'status' not allowed in POST",
      );
      expect(await post({ network: { name: 5 } })).to.equal(
        "400 HTTPBadRequest: Invalid input for name. Reason: '5' is not a valid string.",
      );
      expect(await post({ network: { name: 'x'.repeat(256) } })).to.contain(
        'exceeds maximum length of 255',
      );
      expect(await post({ network: { admin_state_up: 'maybe' } })).to.equal(
        "400 InvalidInput: Invalid input for operation: 'maybe' cannot be converted to boolean.",
      );
    });

    it('returns 400 for a body without a network', async () => {
      expect(await post({ net: {} })).to.equal(
        "400 HTTPBadRequest: Unable to find 'network' in request body",
      );
      expect(await post({})).to.equal('400 HTTPBadRequest: Resource body required');
      expect(await post('{')).to.equal('400 HTTPBadRequest: Body contains invalid data');
    });

    it('returns 400 for another project, or for contradicting names of the project', async () => {
      expect(await post({ network: { project_id: 'red' } })).to.contain(
        "Specifying 'project_id' other than the authenticated project",
      );
      expect(await post({ network: { project_id: 'a', tenant_id: 'b' } })).to.contain(
        "'project_id' and 'tenant_id' do not match",
      );
    });

    it('returns 400 for an MTU that is too big, and accepts one that is too small for IP', async () => {
      expect(await post({ network: { mtu: 9000 } })).to.contain(
        'Requested MTU is too big, maximum is 1442',
      );
      const { id: network_id } = await make(world, 'network', { mtu: 67 }, member);
      const subnet = { network_id, cidr: '10.1.0.0/24', ip_version: 4 };
      expect(errorOf(await ask(world, 'POST', '/subnets', { subnet }, member))).to.equal(
        `409 NetworkMTUSubnetConflict: MTU of ${network_id} is not valid, subnet requires a ` +
          'minimum of 68',
      );
    });

    it('returns 403 for readers, and for attributes that only administrators may send', async () => {
      expect(await post({ network: {} }, reader)).to.equal(
        '403 PolicyNotAuthorized: rule:create_network is disallowed by policy',
      );
      expect(await post({ network: { shared: true } })).to.equal(
        '403 PolicyNotAuthorized: (rule:create_network and rule:create_network:shared) is ' +
          'disallowed by policy',
      );
      expect(await post({ network: { 'router:external': true } })).to.contain(
        'create_network:router:external',
      );
      expect(await post({ network: { 'provider:network_type': 'vlan' } })).to.contain(
        'create_network:provider:network_type',
      );
    });
  });

  describe('GET /v2.0/networks', () => {
    it('shows a project its own, shared and external networks, in the requested order', async () => {
      await make(world, 'network', { name: 'own' }, member);
      await make(world, 'network', { name: 'other' }, otherMember);
      expect(await names('?sort_key=name&sort_dir=asc', member)).to.deep.equal([
        'own',
        'private',
        'public',
      ]);
      expect(await names('?sort_key=name&sort_dir=desc')).to.deep.equal([
        'public',
        'private',
        'own',
        'other',
      ]);
      const [own] = await list('?name=own', member);
      expect(own).to.not.have.property('provider:network_type');
    });

    it('filters by each attribute, and by several values of one', async () => {
      await make(world, 'network', { name: 'a', description: 'x' }, member);
      await make(world, 'network', { name: 'b', admin_state_up: false }, member);
      expect(await names('?name=a&name=b&sort_key=name&sort_dir=asc')).to.deep.equal(['a', 'b']);
      expect(await names('?name=a&admin_state_up=False')).to.deep.equal([]);
      expect(await names('?admin_state_up=0')).to.deep.equal(['b']);
      expect(await names('?description=x')).to.deep.equal(['a']);
      expect(await names('?shared=True')).to.deep.equal(['private']);
      expect(await names('?router%3Aexternal=true')).to.deep.equal(['public']);
      expect(await names('?tenant_id=blue&sort_key=name&sort_dir=asc')).to.deep.equal(['a', 'b']);
      expect(await names('?created_at=2026-11-20T12:00:00Z&project_id=blue&name=a')).to.deep.equal([
        'a',
      ]);
      expect(await names('?changed_since=2026-11-21')).to.deep.equal([]);
    });

    it('returns 400 for an unknown filter', async () => {
      expect(errorOf(await ask(world, 'GET', '/networks?colour=red'))).to.equal(
        "400 HTTPBadRequest: ['colour'] is invalid attribute for filtering",
      );
    });

    it('returns only the requested fields', async () => {
      expect(await list('?fields=name&fields=mtu&name=public')).to.deep.equal([
        { name: 'public', mtu: 1500 },
      ]);
      const { id } = await make(world, 'network', { name: 'n' });
      const reply = await ask(world, 'GET', `/networks/${id}?fields=name`).expect(200);
      expect(reply.body).to.deep.equal({ network: { name: 'n' } });
    });

    it('links to the next and the previous page', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await make(world, 'network', { name }, member);
      const page = async (
        url: string,
      ): Promise<{ names: string[]; links: Record<string, string> }> => {
        const reply = await world.ask('network', 'GET', url);
        const links = (reply.body.networks_links ?? []) as { rel: string; href: string }[];
        return {
          names: reply.body.networks.map((network: { name: string }) => network.name),
          links: Object.fromEntries(
            links.map(({ rel, href }) => [rel, href.replace(/^http:\/\/[^/]+/, '')]),
          ),
        };
      };
      const first = await page(
        '/network/v2.0/networks?project_id=blue&sort_key=name&sort_dir=asc&limit=2',
      );
      expect(first.names).to.deep.equal(['a', 'b']);
      const second = await page(first.links['next']!);
      expect(second.names).to.deep.equal(['c', 'd']);
      const third = await page(second.links['next']!);
      expect(third.names).to.deep.equal(['e']);
      expect(third.links).to.have.keys('previous');
      expect((await page(second.links['previous']!)).names).to.deep.equal(['a', 'b']);
    });

    it('returns 404 for an unknown marker', async () => {
      expect(errorOf(await ask(world, 'GET', '/networks?limit=1&marker=nope'))).to.equal(
        '404 NetworkNotFound: Network nope could not be found.',
      );
    });

    it('returns 400 for a negative limit, or an invalid sort order', async () => {
      expect(errorOf(await ask(world, 'GET', '/networks?limit=-1'))).to.contain(
        '400 BadRequest: Bad limit request',
      );
      expect(errorOf(await ask(world, 'GET', '/networks?sort_key=name'))).to.contain(
        'must be same',
      );
      expect(
        errorOf(await ask(world, 'GET', '/networks?sort_key=subnets&sort_dir=asc')),
      ).to.contain('is invalid attribute for sort_keys');
    });
  });

  describe('/v2.0/networks/{id}', () => {
    it('returns 404 for a network of another project', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      for (const [method, body] of [
        ['GET'],
        ['PUT', { network: { name: 'x' } }],
        ['DELETE'],
      ] as const) {
        const reply = await ask(world, method, `/networks/${id}`, body, otherMember);
        expect(errorOf(reply)).to.equal(`404 NetworkNotFound: Network ${id} could not be found.`);
      }
    });

    it('returns 403 when a reader deletes a network', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      expect(errorOf(await ask(world, 'DELETE', `/networks/${id}`, undefined, reader))).to.equal(
        '403 PolicyNotAuthorized: rule:delete_network is disallowed by policy',
      );
    });

    it('increments the revision on update, and returns 412 if If-Match names another one', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      const put = (revision: number) =>
        ask(
          world,
          'PUT',
          `/networks/${id}`,
          { network: { name: 'm' } },
          { ...member, headers: { ...member.headers, 'if-match': `revision_number=${revision}` } },
        );
      expect(errorOf(await put(7))).to.equal(
        '412 RevisionNumberConstraintFailed: Constrained to 7, but current revision is 0',
      );
      const reply = await put(0).expect(200);
      expect(reply.body.network).to.include({ name: 'm', revision_number: 1 });
    });

    it('returns 400 on update of a read-only attribute', async () => {
      const { id } = await make(world, 'network', { name: 'n' }, member);
      expect(
        errorOf(await ask(world, 'PUT', `/networks/${id}`, { network: { status: 'x' } })),
      ).to.equal('400 HTTPBadRequest: Cannot update read-only attribute status');
    });

    it('returns 409 for an MTU that is too small for the subnets', async () => {
      const { id } = await make(world, 'network', {}, member);
      const put = (mtu: number) =>
        ask(world, 'PUT', `/networks/${id}`, { network: { mtu } }, member);
      const addSubnet = (cidr: string, ip_version: number) =>
        make(world, 'subnet', { network_id: id, cidr, ip_version }, member);
      const conflict = (min: number): string =>
        `409 NetworkMTUSubnetConflict: MTU of ${id} is not valid, subnet requires a minimum of ` +
        `${min}`;
      expect((await put(1).expect(200)).body.network.mtu).to.equal(1);
      expect((await put(0).expect(200)).body.network.mtu).to.equal(1442);
      await addSubnet('10.1.0.0/24', 4);
      expect(errorOf(await put(0))).to.equal(conflict(68));
      await put(68).expect(200);
      expect(
        errorOf(
          await ask(
            world,
            'POST',
            '/subnets',
            {
              subnet: { network_id: id, cidr: '2001:db8::/64', ip_version: 6 },
            },
            member,
          ),
        ),
      ).to.equal(conflict(1280));
      await put(1300).expect(200);
      await addSubnet('2001:db8::/64', 6);
      expect(errorOf(await put(67))).to.equal(conflict(68));
      expect(errorOf(await put(1000))).to.equal(conflict(1280));
      expect(errorOf(await put(9000))).to.contain('400 InvalidInput');
    });

    it('deletes a network with its subnets, and returns 409 while it has ports', async () => {
      const { network, subnet } = await makeNetwork(world, '10.1.0.0/24', member);
      const port = await make(world, 'port', { network_id: network.id }, member);
      expect(
        errorOf(await ask(world, 'DELETE', `/networks/${network.id}`, undefined, member)),
      ).to.equal(
        `409 NetworkInUse: Unable to complete operation on network ${network.id}. There ` +
          'are one or more ports still in use on the network, id for these ports is: ' +
          `${port.id}.`,
      );
      await ask(world, 'DELETE', `/ports/${port.id}`, undefined, member).expect(204);
      await ask(world, 'DELETE', `/networks/${network.id}`, undefined, member).expect(204);
      await ask(world, 'GET', `/subnets/${subnet.id}`).expect(404);
      expect(
        errorOf(await ask(world, 'DELETE', `/networks/${network.id}`, undefined, member)),
      ).to.contain('404 NetworkNotFound');
    });

    it('deletes a network with its DHCP ports and its unassociated floating IPs', async () => {
      const network = await make(world, 'network', { 'router:external': true });
      const subnet = await make(world, 'subnet', {
        network_id: network.id,
        cidr: '10.9.0.0/24',
        ip_version: 4,
      });
      await make(world, 'port', { network_id: network.id, device_owner: 'network:dhcp' });
      const floating = await make(world, 'floatingip', { floating_network_id: network.id });
      const other = await make(world, 'subnet', {
        network_id: network.id,
        cidr: '10.10.0.0/24',
        ip_version: 4,
      });
      await ask(world, 'DELETE', `/subnets/${other.id}`).expect(204);
      expect(errorOf(await ask(world, 'DELETE', `/subnets/${subnet.id}`))).to.contain(
        '409 SubnetInUse',
      );
      await ask(world, 'DELETE', `/networks/${network.id}`).expect(204);
      await ask(world, 'GET', `/floatingips/${floating.id}`).expect(404);
      await ask(world, 'GET', `/subnets/${subnet.id}`).expect(404);
    });

    it('returns 409 when a network in use by other projects stops being shared', async () => {
      const id = seededNetworkId('RegionOne', 'private');
      await make(world, 'port', { network_id: id }, member);
      expect(
        errorOf(await ask(world, 'PUT', `/networks/${id}`, { network: { shared: false } })),
      ).to.equal(
        '409 InvalidSharedSetting: Unable to reconfigure sharing settings for network ' +
          'private. Multiple projects are using it.',
      );
    });
  });
});
