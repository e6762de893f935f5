// Address scopes, and the subnet pools in them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, member, errorOf, otherMember, type Resource } from './support.ts';

onEachDatabase('network: address scopes', { auth: 'noauth2' }, (world) => {
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
  const makeScope = (as = member): Promise<Resource> =>
    make(world, 'address_scope', { name: 's', ip_version: 4 }, as);
  const postPool = (scope: Resource, fields: object = {}, as = member): Promise<string> =>
    post(
      'subnetpool',
      { name: 'q', prefixes: ['10.20.1.0/24'], address_scope_id: scope.id, ...fields },
      as,
    );

  describe('POST /v2.0/address-scopes', () => {
    it('creates a scope', async () => {
      const scope = await makeScope();
      expect(scope).to.deep.equal({
        id: scope.id,
        name: 's',
        project_id: 'blue',
        tenant_id: 'blue',
        shared: false,
        ip_version: 4,
      });
    });
  });

  describe('POST /v2.0/subnetpools in an address scope', () => {
    it('returns 409 for a pool that overlaps with another pool of its scope', async () => {
      const scope = await makeScope();
      await makePool({ address_scope_id: scope.id }, member);
      expect(await postPool(scope)).to.contain('409 AddressScopePrefixConflict');
    });

    it('returns 400 for a pool of another IP version', async () => {
      const scope = await makeScope();
      expect(await postPool(scope, { prefixes: ['fd00::/48'] })).to.contain(
        'because subnetpool ip_version is not 4.',
      );
    });

    it('returns 404 for a pool in the scope of another project', async () => {
      const scope = await makeScope();
      expect(await postPool(scope, {}, otherMember)).to.equal(
        `404 AddressScopeNotFound: Address scope ${scope.id} could not be found.`,
      );
    });

    it('creates a pool in a scope that another project shares', async () => {
      const scope = await makeScope();
      await ask(world, 'PUT', `/address-scopes/${scope.id}`, {
        address_scope: { shared: true },
      }).expect(200);
      expect(await postPool(scope, {}, otherMember)).to.equal('201 : ');
    });
  });

  describe('POST /v2.0/subnets from pools of an address scope', () => {
    it('lets a network have subnets from several pools of one scope', async () => {
      const scope = await makeScope();
      const pool = await makePool({ address_scope_id: scope.id }, member);
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
    });
  });

  describe('PUT and DELETE /v2.0/address-scopes/{id}', () => {
    it('lets administrators share a scope, and returns 400 when it stops being shared', async () => {
      const scope = await makeScope();
      await makePool({ address_scope_id: scope.id }, member);
      const path = `/address-scopes/${scope.id}`;
      const put = (shared: boolean, as = {}) =>
        ask(world, 'PUT', path, { address_scope: { shared } }, as);
      await put(true, member).expect(403);
      await put(true).expect(200);
      expect(errorOf(await put(false))).to.contain('400 AddressScopeUpdateError');
    });

    it('returns 409 when a scope with pools is deleted', async () => {
      const scope = await makeScope();
      await makePool({ address_scope_id: scope.id }, member);
      const path = `/address-scopes/${scope.id}`;
      expect(errorOf(await ask(world, 'DELETE', path, undefined, member))).to.contain(
        '409 AddressScopeInUse',
      );
    });
  });
});
