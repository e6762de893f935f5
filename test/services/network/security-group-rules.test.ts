// The rules of security groups.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import {
  ask,
  make,
  member,
  reader,
  errorOf,
  someone,
  otherMember,
  type Resource,
} from './support.ts';

onEachDatabase('network: security group rules', { auth: 'noauth2' }, (world) => {
  let group: Resource;
  beforeEach(async () => void (group = await make(world, 'security_group', { name: 'g' }, member)));

  const post = async (fields: object, as = member): Promise<string> =>
    errorOf(
      await ask(
        world,
        'POST',
        '/security-group-rules',
        { security_group_rule: { security_group_id: group.id, direction: 'ingress', ...fields } },
        as,
      ),
    );
  const rule = (fields: object) =>
    make(
      world,
      'security_group_rule',
      { security_group_id: group.id, direction: 'ingress', ...fields },
      member,
    );

  describe('POST /v2.0/security-group-rules', () => {
    it('creates a rule with normalized values', async () => {
      const created = await rule({
        protocol: 'TCP',
        port_range_min: '22',
        port_range_max: 22,
        remote_ip_prefix: '10.1.2.3/8',
        description: 'd',
      });
      expect(created).to.include({
        protocol: 'tcp',
        port_range_min: 22,
        port_range_max: 22,
        ethertype: 'IPv4',
        remote_ip_prefix: '10.1.2.3/8',
        normalized_cidr: '10.0.0.0/8',
        remote_group_id: null,
        description: 'd',
        project_id: 'blue',
      });
    });

    it('stores any protocol as null, ICMPv6 as ipv6-icmp, and all ports as no range', async () => {
      expect(await rule({ protocol: 'any', ethertype: 'ipv6' })).to.include({
        protocol: null,
        ethertype: 'IPv6',
      });
      expect(await rule({ protocol: 'icmp', ethertype: 'IPv6' })).to.include({
        protocol: 'ipv6-icmp',
      });
      expect(await rule({ protocol: 'udp', port_range_min: 1, port_range_max: 65535 })).to.include({
        port_range_min: null,
        port_range_max: null,
      });
    });

    it('adds rules to the group and increments its revision', async () => {
      for (const protocol of ['tcp', 'udp', 'icmp', 'gre']) await rule({ protocol });
      const reply = await ask(world, 'GET', `/security-groups/${group.id}`, undefined, member);
      expect(reply.body.security_group).to.deep.include({ revision_number: 4 });
      expect(reply.body.security_group.security_group_rules).to.have.length(6);
    });

    it('returns 409 for a rule that the group has', async () => {
      const { id } = await rule({ protocol: 'tcp' });
      expect(await post({ protocol: '6', remote_ip_prefix: '0.0.0.0/0' })).to.equal(
        `409 SecurityGroupRuleExists: Security group rule already exists. Rule id is ${id}.`,
      );
    });

    it('returns 409 for a list that contains a rule twice', async () => {
      const same = { security_group_id: group.id, direction: 'ingress', protocol: 'udp' };
      expect(
        errorOf(
          await ask(
            world,
            'POST',
            '/security-group-rules',
            { security_group_rules: [same, same] },
            member,
          ),
        ),
      ).to.contain('409 DuplicateSecurityGroupRuleInPost');
    });

    it('creates a rule once in concurrent requests', async () => {
      const replies = await Promise.all([1, 2, 3].map(() => post({ protocol: 'udp' })));
      expect(replies.filter((text) => text.startsWith('201'))).to.have.length(1);
    });

    it('returns 400 for an invalid combination of protocol and ports', async () => {
      expect(await post({ port_range_min: 1 })).to.equal(
        '400 SecurityGroupProtocolRequiredWithPorts: Must also specify protocol if port ' +
          'range is given.',
      );
      expect(await post({ protocol: 'tcp', port_range_min: 9, port_range_max: 3 })).to.contain(
        '400 SecurityGroupInvalidPortRange',
      );
      expect(await post({ protocol: 'tcp', port_range_min: 70000 })).to.equal(
        '400 SecurityGroupInvalidPortValue: Invalid value for port 70000',
      );
      expect(await post({ protocol: 'icmp', port_range_max: 3 })).to.contain(
        '400 SecurityGroupMissingIcmpType',
      );
      expect(await post({ protocol: 'icmp', port_range_min: 300 })).to.contain(
        '400 SecurityGroupInvalidIcmpValue',
      );
      expect(await post({ protocol: 'gre', port_range_min: 3 })).to.contain(
        '400 SecurityGroupInvalidProtocolForPort',
      );
    });

    it('returns 400 for an invalid protocol or ethertype', async () => {
      expect(await post({ protocol: 'smoke' })).to.contain(
        '400 SecurityGroupRuleInvalidProtocol: Security group rule protocol smoke not supported.',
      );
      expect(await post({ protocol: 'ipv6-icmp' })).to.contain(
        '400 SecurityGroupEthertypeConflictWithProtocol',
      );
      expect(await post({ ethertype: 'IPv5' })).to.contain('400 SecurityGroupRuleInvalidEtherType');
    });

    it('returns 400 for an invalid remote or direction', async () => {
      expect(await post({ remote_ip_prefix: '2001:db8::/32' })).to.contain(
        '400 SecurityGroupRuleParameterConflict',
      );
      expect(await post({ remote_ip_prefix: 'x' })).to.equal(
        '400 InvalidCIDR: Invalid CIDR x given as IP prefix.',
      );
      expect(await post({ remote_ip_prefix: '10.0.0.0/8', remote_group_id: group.id })).to.contain(
        '400 SecurityGroupMultipleRemoteEntites',
      );
      expect(await post({ direction: 'up' })).to.contain("up is not in ['ingress', 'egress']");
    });

    it('returns 404 for an unknown group', async () => {
      expect(await post({ remote_group_id: 'x' })).to.equal(
        '404 SecurityGroupNotFound: Security group x does not exist',
      );
      expect(await post({ security_group_id: 'x' })).to.equal(
        '404 SecurityGroupNotFound: Security group x does not exist',
      );
    });

    it('returns 403 for a group of another project', async () => {
      expect(await post({}, otherMember)).to.contain('403 PolicyNotAuthorized');
    });
  });

  describe('GET /v2.0/security-group-rules', () => {
    it('filters rules by group, protocol and port', async () => {
      const created = await rule({ protocol: 'tcp', port_range_min: 80, port_range_max: 80 });
      const { body } = await ask(
        world,
        'GET',
        `/security-group-rules?security_group_id=${group.id}&protocol=tcp&port_range_min=80`,
        undefined,
        member,
      );
      expect(body.security_group_rules.map(({ id }: Resource) => id)).to.deep.equal([created.id]);
    });
  });

  describe('GET and DELETE /v2.0/security-group-rules/{id}', () => {
    it('lets members create and delete, and readers read, the rules of their project only', async () => {
      const one = await rule({ protocol: 'tcp' });
      const path = `/security-group-rules/${one.id}`;
      const fields = {
        security_group_rule: { security_group_id: group.id, direction: 'egress', protocol: 'udp' },
      };
      const status = async (
        method: string,
        at: string,
        as: Asked,
        body?: object,
      ): Promise<number> => (await ask(world, method, at, body, as)).status;
      const nobody = someone('', 'dan', 'blue');
      expect(await status('POST', '/security-group-rules', reader, fields)).to.equal(403);
      expect(await status('POST', '/security-group-rules', nobody, fields)).to.equal(403);
      expect(await status('POST', '/security-group-rules', otherMember, fields)).to.equal(403);
      expect(await status('GET', path, reader)).to.equal(200);
      expect(await status('GET', path, nobody)).to.equal(404);
      expect(await status('GET', path, otherMember)).to.equal(404);
      expect(await status('DELETE', path, reader)).to.equal(403);
      expect(await status('DELETE', path, nobody)).to.equal(404);
      expect(await status('DELETE', path, otherMember)).to.equal(404);
      const listed = (await ask(world, 'GET', '/security-group-rules', undefined, otherMember)).body
        .security_group_rules as Resource[];
      expect(listed.filter(({ security_group_id: of }) => of === group.id)).to.deep.equal([]);
      expect(await status('GET', path, member)).to.equal(200);
      expect(await status('DELETE', path, member)).to.equal(204);
    });

    it('lets the owner of the group delete rules that others created', async () => {
      const fields = { security_group_id: group.id, direction: 'ingress', protocol: 'tcp' };
      const one = await make(world, 'security_group_rule', fields);
      expect(one['project_id']).to.equal('admin');
      const path = `/security-group-rules/${one.id}`;
      await ask(world, 'DELETE', path, undefined, member).expect(204);
      await ask(world, 'GET', path).expect(404);
    });

    it('returns 404 to another project, and after deletion', async () => {
      const created = await rule({ protocol: 'tcp', port_range_min: 80, port_range_max: 80 });
      await ask(world, 'GET', `/security-group-rules/${created.id}`, undefined, otherMember).expect(
        404,
      );
      await ask(world, 'DELETE', `/security-group-rules/${created.id}`, undefined, member).expect(
        204,
      );
      expect(
        errorOf(await ask(world, 'GET', `/security-group-rules/${created.id}`, undefined, member)),
      ).to.equal(`404 SecurityGroupRuleNotFound: Security group rule ${created.id} does not exist`);
    });
  });
});
