// Address groups, and the rules of security groups that name them.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, member, someone, type Resource } from './support.ts';

onEachDatabase('network: address groups', { auth: 'noauth2' }, (world) => {
  const makeGroup = (fields: object = {}, as: Asked = member): Promise<Resource> =>
    make(world, 'address_group', { addresses: ['192.0.2.0/24'], ...fields }, as);
  const change = (group: Resource, action: string, addresses: unknown, as: Asked = member) =>
    ask(world, 'PUT', `/address-groups/${group.id}/${action}_addresses`, { addresses }, as);
  const addressesOf = async (group: Resource): Promise<string[]> => {
    const { body } = await ask(world, 'GET', `/address-groups/${group.id}`).expect(200);
    return (body as { address_group: { addresses: string[] } }).address_group.addresses;
  };
  const postRule = async (fields: object, as: Asked = member): Promise<string> => {
    const { id } = await make(world, 'security_group', { name: 'g' }, as);
    const rule = { security_group_id: id, direction: 'ingress', ...fields };
    return errorOf(
      await ask(world, 'POST', '/security-group-rules', { security_group_rule: rule }, as),
    );
  };

  describe('POST /v2.0/address-groups', () => {
    it('creates a group with normalized prefixes', async () => {
      const group = await makeGroup({ addresses: ['192.168.0.10/24', '2001:db8::f00/64'] });
      expect(group['addresses']).to.deep.equal(['192.168.0.0/24', '2001:db8::/64']);
      expect(group['revision_number']).to.equal(0);
    });

    it('returns 400 for addresses without a prefix length, and for repeated ones', async () => {
      const post = async (addresses: unknown): Promise<string> =>
        errorOf(await ask(world, 'POST', '/address-groups', { address_group: { addresses } }));
      expect(await post(['10.20.30.40'])).to.equal(
        '400 HTTPBadRequest: Invalid input for addresses. ' +
          "Reason: '10.20.30.40' is not a valid IP subnet.",
      );
      expect(await post(['10.0.0.0/8', '10.0.0.0/8'])).to.contain('Duplicate items in the list');
    });
  });

  describe('PUT /v2.0/address-groups/{id}/add_addresses and remove_addresses', () => {
    it('changes the addresses and the revision', async () => {
      const group = await makeGroup();
      const { body } = await change(group, 'add', ['10.0.0.1/32']).expect(200);
      expect((body as { address_group: Resource }).address_group['revision_number']).to.equal(1);
      expect(await addressesOf(group)).to.deep.equal(['192.0.2.0/24', '10.0.0.1/32']);
      await change(group, 'remove', ['192.0.2.7/24']).expect(200);
      await change(group, 'add', ['10.0.0.2']).expect(200);
      expect(await addressesOf(group)).to.deep.equal(['10.0.0.1/32', '10.0.0.2/32']);
    });

    it('returns 400 for known, 404 for unknown and 400 for invalid addresses', async () => {
      const group = await makeGroup();
      expect(errorOf(await change(group, 'add', ['192.0.2.0/24']))).to.equal(
        `400 AddressesAlreadyExist: Addresses ['192.0.2.0/24'] already exist in the address group ` +
          `${group.id}.`,
      );
      expect(errorOf(await change(group, 'remove', ['10.0.0.0/8']))).to.equal(
        `404 AddressesNotFound: Addresses ['10.0.0.0/8'] not found in the address group ${group.id}.`,
      );
      expect(errorOf(await change(group, 'add', ['nonsense']))).to.equal(
        '400 HTTPBadRequest: invalid IPNetwork nonsense',
      );
      expect(await addressesOf(group)).to.deep.equal(['192.0.2.0/24']);
    });
  });

  describe('POST /v2.0/security-group-rules with an address group', () => {
    it('creates a rule, which keeps the group', async () => {
      const group = await makeGroup();
      expect(await postRule({ remote_address_group_id: group.id })).to.equal('201 : ');
      expect(
        errorOf(await ask(world, 'DELETE', `/address-groups/${group.id}`, undefined, member)),
      ).to.equal(
        `409 AddressGroupInUse: Address group ${group.id} is in use on one or more security group ` +
          'rules.',
      );
    });

    it('returns 400 beside another remote, and 404 for an unknown group', async () => {
      const group = await makeGroup();
      expect(
        await postRule({ remote_address_group_id: group.id, remote_ip_prefix: '10.0.0.0/8' }),
      ).to.contain('400 SecurityGroupMultipleRemoteEntites');
      const unknown = newUuid();
      expect(await postRule({ remote_address_group_id: unknown })).to.equal(
        `404 AddressGroupNotFound: Address group ${unknown} could not be found.`,
      );
    });

    it('lets a project use the group that another one shares, which keeps the policy', async () => {
      const red = newUuid();
      const asRed = someone('member,reader', 'eve', red);
      const group = await makeGroup();
      expect(await postRule({ remote_address_group_id: group.id }, asRed)).to.contain('404');
      const policy = await make(
        world,
        'rbac_policy',
        {
          object_type: 'address_group',
          object_id: group.id,
          action: 'access_as_shared',
          target_tenant: red,
        },
        member,
      );
      expect(await postRule({ remote_address_group_id: group.id }, asRed)).to.equal('201 : ');
      expect(
        errorOf(await ask(world, 'DELETE', `/rbac-policies/${policy.id}`, undefined, member)),
      ).to.contain('409 RbacPolicyInUse');
      expect(errorOf(await change(group, 'add', ['10.0.0.0/8'], asRed))).to.contain('404');
    });
  });
});
