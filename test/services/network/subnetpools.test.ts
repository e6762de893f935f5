// Subnet pools: their prefixes, and the subnets that are allocated from them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, member, errorOf, otherMember, type Resource } from './support.ts';

onEachDatabase('network: subnet pools', { auth: 'noauth2' }, (world) => {
  const makePool = (fields: object = {}, as = {}): Promise<Resource> =>
    make(
      world,
      'subnetpool',
      { name: 'p', prefixes: ['10.20.0.0/16'], default_prefixlen: 24, ...fields },
      as,
    );
  const subnetOf = async (fields: object, as = {}): Promise<Resource> => {
    const { id } = await make(world, 'network', {}, as);
    return make(world, 'subnet', { network_id: id, ip_version: 4, ...fields }, as);
  };
  const post = async (noun: string, fields: object, as = {}): Promise<string> =>
    errorOf(await ask(world, 'POST', `/${noun}s`, { [noun]: fields }, as));

  describe('PUT /v2.0/subnetpools/{id}/add_prefixes and remove_prefixes', () => {
    const change = (pool: Resource, verb: string, prefixes: unknown, as = member) =>
      ask(world, 'PUT', `/subnetpools/${pool.id}/${verb}_prefixes`, { prefixes }, as);

    it('add and remove addresses that no subnet uses', async () => {
      const pool = await makePool({}, member);
      const added = await change(pool, 'add', ['10.21.0.0/16', '10.30.0.0/24']).expect(200);
      expect(added.body).to.deep.equal({ prefixes: ['10.20.0.0/15', '10.30.0.0/24'] });
      await subnetOf({ subnetpool_id: pool.id, cidr: '10.20.1.0/24' }, member);
      expect(errorOf(await change(pool, 'remove', ['10.20.0.0/16']))).to.equal(
        '400 IllegalSubnetPoolPrefixUpdate: Illegal update to prefixes: One or more the prefixes ' +
          'to be removed is in use by a subnet..',
      );
      const removed = await change(pool, 'remove', ['10.21.0.0/16', '10.99.0.0/16']).expect(200);
      expect(removed.body).to.deep.equal({ prefixes: ['10.20.0.0/16', '10.30.0.0/24'] });
      const same = await change(pool, 'remove', ['fd00::/8', '10.99.0.0/16']).expect(200);
      expect(same.body).to.deep.equal(removed.body);
    });

    it('return 400 for other bodies, 404 to other projects', async () => {
      const pool = await makePool({}, member);
      for (const prefixes of [[], 'x', undefined])
        expect(errorOf(await change(pool, 'add', prefixes))).to.equal(
          '400 HTTPBadRequest: Request body contains invalid data',
        );
      expect(errorOf(await change(pool, 'add', ['x']))).to.contain('is not a valid IP subnet');
      expect(errorOf(await change(pool, 'add', ['fd00::/8']))).to.contain('PrefixVersionMismatch');
      expect(errorOf(await change(pool, 'add', ['10.9.0.0/16'], otherMember))).to.contain(
        '404 SubnetPoolNotFound',
      );
    });
  });

  describe('PUT /v2.0/subnetpools/{id}/onboard_network_subnets', () => {
    const onboard = (pool: Resource, body: object, as = member) =>
      ask(world, 'PUT', `/subnetpools/${pool.id}/onboard_network_subnets`, body, as);

    it('lets the subnets of the IP version join the pool, with their prefixes', async () => {
      const pool = await makePool({}, member);
      const { id: network_id } = await make(world, 'network', {}, member);
      const four = { network_id, ip_version: 4, cidr: '10.30.0.0/24' };
      const subnet = await make(world, 'subnet', four, member);
      await make(world, 'subnet', { network_id, ip_version: 6, cidr: 'fd00::/64' }, member);
      const reply = await onboard(pool, { network_id }).expect(200);
      expect(reply.body).to.deep.equal([{ id: subnet.id, cidr: '10.30.0.0/24' }]);
      const shown = await ask(world, 'GET', `/subnets/${subnet.id}`, undefined, member);
      expect(shown.body.subnet).to.deep.include({ subnetpool_id: pool.id, revision_number: 1 });
      const { body } = await ask(world, 'GET', `/subnetpools/${pool.id}`, undefined, member);
      expect(body.subnetpool.prefixes).to.deep.equal(['10.20.0.0/16', '10.30.0.0/24']);
      expect(errorOf(await onboard(pool, { network_id }))).to.equal(
        `400 IllegalSubnetPoolUpdate: Illegal subnetpool update : Onboarding subnet ${subnet.id}: ` +
          `10.30.0.0/24 conflicts with allocated prefixes in subnet pool ${pool.id}.`,
      );
    });

    it('returns 400 without a network, 403 for the shared network of another project', async () => {
      const pool = await makePool({}, member);
      expect(errorOf(await onboard(pool, {}))).to.equal(
        '400 InvalidInput: Invalid input for operation: network_id must be specified..',
      );
      expect(errorOf(await onboard(pool, { network_id: 'absent' }))).to.equal(
        '404 NetworkNotFound: Network absent could not be found.',
      );
      const { id: network_id } = await make(world, 'network', { shared: true });
      expect(errorOf(await onboard(pool, { network_id }))).to.equal(
        '403 NotAuthorized: Not authorized.',
      );
    });
  });

  describe('POST /v2.0/subnetpools', () => {
    it('merges adjacent prefixes, and sets default bounds', async () => {
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
    });

    it('returns 400 for invalid prefixes', async () => {
      expect(await post('subnetpool', { name: 'p', prefixes: [] })).to.equal(
        '400 EmptySubnetPoolPrefixList: Empty subnet pool prefix list.',
      );
      expect(
        await post('subnetpool', { name: 'p', prefixes: ['10.0.0.0/8', 'fd00::/8'] }),
      ).to.contain('PrefixVersionMismatch');
    });

    it('returns 400 for a prefix that is not a CIDR', async () => {
      expect(await post('subnetpool', { name: 'p', prefixes: ['x'] })).to.contain(
        'is not a valid IP subnet',
      );
    });

    it('returns 400 for contradicting prefix lengths', async () => {
      expect(
        await post('subnetpool', { name: 'p', prefixes: ['10.0.0.0/8'], min_prefixlen: 33 }),
      ).to.equal(
        '400 IllegalSubnetPoolPrefixBounds: Illegal prefix bounds: min_prefixlen=33, ' +
          'max_prefixlen=32.',
      );
    });

    it('returns 403 when a member creates a shared pool', async () => {
      expect(
        await post('subnetpool', { name: 'p', prefixes: ['10.0.0.0/8'], shared: true }, member),
      ).to.contain('403');
    });

    it('allows one default pool for each IP version', async () => {
      const pool = await makePool({ is_default: true, shared: true, default_quota: 300 });
      expect(
        await post('subnetpool', { name: 'q', prefixes: ['10.0.0.0/8'], is_default: true }),
      ).to.contain('Only one default');
      expect(await subnetOf({ use_default_subnetpool: true })).to.include({
        subnetpool_id: pool.id,
      });
    });
  });

  describe('GET /v2.0/subnetpools', () => {
    it('shows a project its own and shared pools', async () => {
      const pool = await makePool({ shared: true });
      const own = await makePool({}, member);
      const idsFor = async (as = {}): Promise<string[]> =>
        (await ask(world, 'GET', '/subnetpools', undefined, as).expect(200)).body.subnetpools.map(
          ({ id }: Resource) => id,
        );
      expect(await idsFor(member)).to.have.members([pool.id, own.id]);
      expect(await idsFor(otherMember)).to.deep.equal([pool.id]);
      await ask(world, 'GET', `/subnetpools/${own.id}`, undefined, otherMember).expect(404);
    });
  });

  describe('POST /v2.0/subnets from a pool', () => {
    it('allocates the first free prefix, or the requested one', async () => {
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
      expect((await ask(world, 'GET', `/subnets?subnetpool_id=${id}`)).body.subnets).to.have.length(
        4,
      );
    });

    it('returns an error for a prefix that the pool cannot allocate', async () => {
      const { id } = await makePool();
      await subnetOf({ subnetpool_id: id });
      const { id: network_id } = await make(world, 'network', {});
      const postError = (fields: object): Promise<string> =>
        post('subnet', { network_id, ip_version: 4, subnetpool_id: id, ...fields });
      expect(await postError({ cidr: '10.20.0.0/25' })).to.equal(
        '409 SubnetAllocationError: Failed to allocate subnet: Cannot allocate requested ' +
          'subnet from the available set of prefixes.',
      );
      expect(await postError({ prefixlen: 7 })).to.equal(
        '400 MinPrefixSubnetAllocationError: Unable to allocate subnet with prefix length ' +
          '7, minimum allowed prefix is 8.',
      );
      expect(await postError({ prefixlen: 16 })).to.contain(
        'Insufficient prefix space to allocate subnet size /16.',
      );
      expect(await postError({ cidr: '10.20.9.0/24', prefixlen: 24 })).to.contain(
        'must not be supplied together',
      );
      expect(await postError({ ip_version: 6 })).to.contain(
        'Cannot allocate IPv6 subnet from IPv4 subnet pool',
      );
    });

    it('returns 400 for a subnet of a network that is not allocated from the same pool', async () => {
      const { id } = await makePool();
      const { network_id } = await subnetOf({ subnetpool_id: id });
      expect(await post('subnet', { network_id, ip_version: 4, cidr: '10.99.0.0/24' })).to.contain(
        'NetworkSubnetPoolAffinityError',
      );
      await make(world, 'subnet', { network_id, ip_version: 4, subnetpool_id: id });
    });

    it('returns 409 when the quota of a pool is exceeded', async () => {
      const pool = await makePool({ default_quota: 300 });
      await subnetOf({ subnetpool_id: pool.id });
      const { id: network_id } = await make(world, 'network', {});
      expect(await post('subnet', { network_id, ip_version: 4, subnetpool_id: pool.id })).to.equal(
        '409 SubnetPoolQuotaExceeded: Per-project subnet pool prefix quota exceeded.',
      );
    });
  });

  describe('PUT and DELETE /v2.0/subnetpools/{id}', () => {
    it('adds prefixes to a pool, and returns 400 if one is removed', async () => {
      const { id } = await makePool({}, member);
      const put = (fields: object) =>
        ask(world, 'PUT', `/subnetpools/${id}`, { subnetpool: fields }, member);
      expect(errorOf(await put({ prefixes: ['10.30.0.0/16'] }))).to.contain(
        '400 IllegalSubnetPoolPrefixUpdate',
      );
      expect(
        (await put({ prefixes: ['10.20.0.0/15'], name: 'q' }).expect(200)).body.subnetpool,
      ).to.deep.include({
        name: 'q',
        prefixes: ['10.20.0.0/15'],
      });
    });

    it('deletes a pool with its tags', async () => {
      const { id } = await makePool({}, member);
      await ask(world, 'PUT', `/subnetpools/${id}/tags/red`, undefined, member).expect(201);
      await ask(world, 'DELETE', `/subnetpools/${id}`, undefined, member).expect(204);
    });

    it('returns 400 while subnets are allocated from the pool', async () => {
      const { id } = await makePool();
      await subnetOf({ subnetpool_id: id });
      expect(errorOf(await ask(world, 'DELETE', `/subnetpools/${id}`))).to.equal(
        '400 SubnetPoolDeleteError: Unable to delete subnet pool: Subnet pool has existing ' +
          'allocations.',
      );
    });
  });
});
