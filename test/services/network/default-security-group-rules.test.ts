// The rules that new security groups get.
import { expect } from 'chai';
import { newUuid } from '../../../src/kernel/ids.ts';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { ask, errorOf, make, member, someone, type Resource } from './support.ts';

onEachDatabase('network: default security group rules', { auth: 'noauth2' }, (world) => {
  const path = '/default-security-group-rules';
  const ssh = {
    direction: 'ingress',
    protocol: 'tcp',
    port_range_min: 22,
    port_range_max: 22,
    used_in_default_sg: false,
    used_in_non_default_sg: true,
  };
  const makeRule = (fields: object = {}): Promise<Resource> =>
    make(world, 'default_security_group_rule', { ...ssh, ...fields });
  const post = async (fields: object = {}, as: Asked = {}): Promise<string> => {
    const body = { default_security_group_rule: { ...ssh, ...fields } };
    return errorOf(await ask(world, 'POST', path, body, as));
  };
  const list = async (query = '', as: Asked = member): Promise<Resource[]> => {
    const { body } = await ask(world, 'GET', `${path}${query}`, undefined, as).expect(200);
    return (body as { default_security_group_rules: Resource[] }).default_security_group_rules;
  };
  const portsOf = (group: Resource): (number | null)[] =>
    (group['security_group_rules'] as Resource[]).map((rule) => rule['port_range_min'] as number);
  const inProject = () => someone('member,reader', 'ann', newUuid());
  const groupsOf = async (as: Asked): Promise<Resource[]> => {
    const { body } = await ask(world, 'GET', '/security-groups', undefined, as).expect(200);
    return (body as { security_groups: Resource[] }).security_groups;
  };

  describe('GET /v2.0/default-security-group-rules', () => {
    it('lists the rules that Neutron begins with', async () => {
      const rules = await list('?sort_key=direction&sort_dir=asc&sort_key=ethertype&sort_dir=asc');
      expect(
        rules.map(({ direction, ethertype, remote_group_id: remote }) =>
          [direction, ethertype, remote].join(),
        ),
      ).to.deep.equal([
        'egress,IPv4,',
        'egress,IPv6,',
        'ingress,IPv4,PARENT',
        'ingress,IPv6,PARENT',
      ]);
      expect(Object.keys(rules[0]!).toSorted()).to.deep.equal([
        'description',
        'direction',
        'ethertype',
        'id',
        'port_range_max',
        'port_range_min',
        'protocol',
        'remote_address_group_id',
        'remote_group_id',
        'remote_ip_prefix',
        'used_in_default_sg',
        'used_in_non_default_sg',
      ]);
    });

    it('filters by the groups that get a rule', async () => {
      const { id } = await makeRule();
      const ids = async (query: string) => (await list(query)).map((rule) => rule.id);
      expect(await ids('?used_in_default_sg=false')).to.deep.equal([id]);
      expect(await ids('?used_in_non_default_sg=True'))
        .to.have.lengthOf(3)
        .and.include(id);
    });
  });

  describe('POST /v2.0/default-security-group-rules', () => {
    it('adds the rule to new groups of its kind', async () => {
      await makeRule();
      await makeRule({ port_range_min: 23, port_range_max: 23, used_in_default_sg: true });
      const as = inProject();
      const group = await make(world, 'security_group', { name: 'g' }, as);
      expect(portsOf(group)).to.have.members([null, null, 22, 23]);
      const own = (await groupsOf(as)).find(({ name }) => name === 'default')!;
      expect(portsOf(own)).to.have.members([null, null, null, null, 23]);
      const remotes = (own['security_group_rules'] as Resource[]).map(
        (rule) => rule['remote_group_id'] as string | null,
      );
      expect(remotes.filter((remote) => remote === own.id)).to.have.lengthOf(2);
    });

    it('returns 409 for a rule that groups other than default ones get', async () => {
      const { id } = await makeRule();
      expect(await post({ used_in_default_sg: true, used_in_non_default_sg: false })).to.equal(
        `409 DefaultSecurityGroupRuleExists: Default Security group rule already exists. Rule id ` +
          `is ${id}.`,
      );
    });

    it('returns 400 for invalid rules, and 403 to others than administrators', async () => {
      expect(await post({ used_in_default_sg: undefined })).to.contain(
        "Required attribute 'used_in_default_sg' not specified",
      );
      expect(await post({ port_range_min: 24 })).to.contain('400 SecurityGroupInvalidPortRange');
      expect(await post({ remote_ip_prefix: '10.0.0.0/8', remote_group_id: 'PARENT' })).to.contain(
        '400 SecurityGroupMultipleRemoteEntites',
      );
      expect(await post({ remote_group_id: 7 })).to.contain('400 HTTPBadRequest');
      expect(await post({}, member)).to.contain('403');
    });

    it('lets no group be created with a rule for an unknown group', async () => {
      const unknown = newUuid();
      await makeRule({ remote_group_id: unknown });
      const body = { security_group: { name: 'g' } };
      expect(errorOf(await ask(world, 'POST', '/security-groups', body, inProject()))).to.equal(
        `404 SecurityGroupNotFound: Security group ${unknown} does not exist`,
      );
    });
  });

  describe('DELETE /v2.0/default-security-group-rules/{id}', () => {
    it('leaves the groups as they were, and new ones without the rule', async () => {
      for (const { id } of await list()) await ask(world, 'DELETE', `${path}/${id}`).expect(204);
      const group = await make(world, 'security_group', { name: 'g' }, inProject());
      expect(group['security_group_rules']).to.deep.equal([]);
      const { id } = await makeRule();
      const before = await make(world, 'security_group', { name: 'g' }, member);
      const denied = await ask(world, 'DELETE', `${path}/${id}`, undefined, member);
      expect(errorOf(denied)).to.contain('403');
      await ask(world, 'DELETE', `${path}/${id}`).expect(204);
      expect(errorOf(await ask(world, 'GET', `${path}/${id}`, undefined, member))).to.equal(
        `404 DefaultSecurityGroupRuleNotFound: Default Security Group rule ${id} does not exist`,
      );
      const { body } = await ask(world, 'GET', `/security-groups/${before.id}`).expect(200);
      expect(portsOf((body as { security_group: Resource }).security_group)).to.deep.equal([22]);
    });
  });
});
