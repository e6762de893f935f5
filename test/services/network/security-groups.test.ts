// Security groups and their rules.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import {
  ask,
  make,
  makeNetwork,
  member,
  reader,
  refusal,
  someone,
  stranger,
  type Thing,
} from './support.ts';

onEachDatabase('network: security groups', { auth: 'noauth2' }, (world) => {
  const list = async (query: string, as = {}): Promise<Thing[]> =>
    (await ask(world, 'GET', `/security-groups${query}`, undefined, as).expect(200)).body
      .security_groups;
  const told = (rules: Thing[]): string[] =>
    rules
      .map(
        (rule) =>
          `${rule['direction']} ${rule['ethertype']} ${rule['remote_group_id'] ? 'group' : 'any'}`,
      )
      .toSorted();

  it('have a default one, made when somebody looks, with four rules', async () => {
    const [group, ...more] = await list('', member);
    expect(more).to.deep.equal([]);
    expect(group).to.include({
      name: 'default',
      description: 'Default security group',
      project_id: 'blue',
      stateful: true,
      shared: false,
    });
    expect(told(group!['security_group_rules'])).to.deep.equal([
      'egress IPv4 any',
      'egress IPv6 any',
      'ingress IPv4 group',
      'ingress IPv6 group',
    ]);
    expect((await list('', member))[0]!.id).to.equal(group!.id);
    expect(
      (await list('?name=default&project_id=green')).map((one) => one['project_id']),
    ).to.deep.equal(['green']);
    expect(await list('?project_id=green', member)).to.deep.equal([]);
  });

  it('get one default group, however many look at once', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => list('', member)));
    expect(new Set(replies.flat().map(({ id }) => id)).size).to.equal(1);
  });

  it('that are made let all out and nothing in', async () => {
    const group = await make(world, 'security_group', { name: 'g', description: 'd' }, member);
    expect(told(group['security_group_rules'])).to.deep.equal([
      'egress IPv4 any',
      'egress IPv6 any',
    ]);
    expect((await list('', member)).map((one) => one['name']).toSorted()).to.deep.equal([
      'default',
      'g',
    ]);
    const reply = await ask(
      world,
      'PUT',
      `/security-groups/${group.id}`,
      { security_group: { name: 'h', stateful: false } },
      member,
    ).expect(200);
    expect(reply.body.security_group).to.include({
      name: 'h',
      stateful: false,
      revision_number: 1,
    });
    await ask(world, 'DELETE', `/security-groups/${group.id}`, undefined, member).expect(204);
  });

  it('keep the name default for the default one', async () => {
    const post = async (fields: object, as = member): Promise<string> =>
      refusal(await ask(world, 'POST', '/security-groups', { security_group: fields }, as));
    expect(await post({ name: 'Default' })).to.equal(
      '409 SecurityGroupDefaultAlreadyExists: Default security group already exists.',
    );
    expect(await post({ name: 'x' }, reader)).to.contain('403 PolicyNotAuthorized');
    const [group] = await list('', member);
    expect(
      refusal(
        await ask(
          world,
          'PUT',
          `/security-groups/${group!.id}`,
          { security_group: { name: 'x' } },
          member,
        ),
      ),
    ).to.equal(
      '409 SecurityGroupCannotUpdateDefault: Updating default security group not allowed.',
    );
    expect(
      refusal(await ask(world, 'DELETE', `/security-groups/${group!.id}`, undefined, member)),
    ).to.equal(
      '409 SecurityGroupCannotRemoveDefault: Insufficient rights for removing default security group.',
    );
    await ask(world, 'DELETE', `/security-groups/${group!.id}`).expect(204);
    expect((await list('', member))[0]!.id).to.not.equal(group!.id);
  });

  it('stay while ports are in them', async () => {
    const { network } = await makeNetwork(world, '10.1.0.0/24', member);
    const group = await make(world, 'security_group', { name: 'g' }, member);
    const port = await make(
      world,
      'port',
      { network_id: network.id, security_groups: [group.id] },
      member,
    );
    expect(
      refusal(await ask(world, 'DELETE', `/security-groups/${group.id}`, undefined, member)),
    ).to.equal(`409 SecurityGroupInUse: Security Group ${group.id} in use.`);
    await ask(world, 'DELETE', `/ports/${port.id}`, undefined, member).expect(204);
    await ask(world, 'DELETE', `/security-groups/${group.id}`, undefined, member).expect(204);
    await ask(world, 'GET', `/security-groups/${group.id}`, undefined, stranger).expect(404);
  });

  describe('rules', () => {
    let group: Thing;
    beforeEach(
      async () => void (group = await make(world, 'security_group', { name: 'g' }, member)),
    );

    const post = async (fields: object, as = member): Promise<string> =>
      refusal(
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

    it('are made, as they are kept', async () => {
      const made = await rule({
        protocol: 'TCP',
        port_range_min: '22',
        port_range_max: 22,
        remote_ip_prefix: '10.1.2.3/8',
        description: 'd',
      });
      expect(made).to.include({
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
      const reply = await ask(world, 'GET', `/security-groups/${group.id}`, undefined, member);
      expect(reply.body.security_group).to.deep.include({ revision_number: 4 });
      expect(reply.body.security_group.security_group_rules).to.have.length(6);
    });

    it('stand once in a group', async () => {
      const { id } = await rule({ protocol: 'tcp' });
      expect(await post({ protocol: '6', remote_ip_prefix: '0.0.0.0/0' })).to.equal(
        `409 SecurityGroupRuleExists: Security group rule already exists. Rule id is ${id}.`,
      );
      const same = { security_group_id: group.id, direction: 'ingress', protocol: 'udp' };
      expect(
        refusal(
          await ask(
            world,
            'POST',
            '/security-group-rules',
            { security_group_rules: [same, same] },
            member,
          ),
        ),
      ).to.contain('409 DuplicateSecurityGroupRuleInPost');
      const replies = await Promise.all([1, 2, 3].map(() => post({ protocol: 'udp' })));
      expect(replies.filter((text) => text.startsWith('201'))).to.have.length(1);
    });

    it('are refused where their parts do not go together', async () => {
      expect(await post({ port_range_min: 1 })).to.equal(
        '400 SecurityGroupProtocolRequiredWithPorts: Must also specify protocol if port range is given.',
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
      expect(await post({ protocol: 'smoke' })).to.contain(
        '400 SecurityGroupRuleInvalidProtocol: Security group rule protocol smoke not supported.',
      );
      expect(await post({ protocol: 'ipv6-icmp' })).to.contain(
        '400 SecurityGroupEthertypeConflictWithProtocol',
      );
      expect(await post({ ethertype: 'IPv5' })).to.contain('400 SecurityGroupRuleInvalidEtherType');
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
      expect(await post({ remote_group_id: 'x' })).to.equal(
        '404 SecurityGroupNotFound: Security group x does not exist',
      );
      expect(await post({ security_group_id: 'x' })).to.equal(
        '404 SecurityGroupNotFound: Security group x does not exist',
      );
      expect(await post({}, stranger)).to.contain('403 PolicyNotAuthorized');
    });

    it('are made, seen and deleted by members of the group’s project, seen by its readers, and by no others', async () => {
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
      expect(await status('POST', '/security-group-rules', stranger, fields)).to.equal(403);
      expect(await status('GET', path, reader)).to.equal(200);
      expect(await status('GET', path, nobody)).to.equal(404);
      expect(await status('GET', path, stranger)).to.equal(404);
      expect(await status('DELETE', path, reader)).to.equal(403);
      expect(await status('DELETE', path, nobody)).to.equal(404);
      expect(await status('DELETE', path, stranger)).to.equal(404);
      const listed = (await ask(world, 'GET', '/security-group-rules', undefined, stranger)).body
        .security_group_rules as Thing[];
      expect(listed.filter(({ security_group_id: of }) => of === group.id)).to.deep.equal([]);
      expect(await status('GET', path, member)).to.equal(200);
      expect(await status('DELETE', path, member)).to.equal(204);
    });

    it('are the group’s owner’s, whoever made them', async () => {
      const fields = { security_group_id: group.id, direction: 'ingress', protocol: 'tcp' };
      const one = await make(world, 'security_group_rule', fields);
      expect(one['project_id']).to.equal('admin');
      const path = `/security-group-rules/${one.id}`;
      await ask(world, 'DELETE', path, undefined, member).expect(204);
      await ask(world, 'GET', path).expect(404);
    });

    it('are listed and go', async () => {
      const made = await rule({ protocol: 'tcp', port_range_min: 80, port_range_max: 80 });
      const { body } = await ask(
        world,
        'GET',
        `/security-group-rules?security_group_id=${group.id}&protocol=tcp&port_range_min=80`,
        undefined,
        member,
      );
      expect(body.security_group_rules.map(({ id }: Thing) => id)).to.deep.equal([made.id]);
      await ask(world, 'GET', `/security-group-rules/${made.id}`, undefined, stranger).expect(404);
      await ask(world, 'DELETE', `/security-group-rules/${made.id}`, undefined, member).expect(204);
      expect(
        refusal(await ask(world, 'GET', `/security-group-rules/${made.id}`, undefined, member)),
      ).to.equal(`404 SecurityGroupRuleNotFound: Security group rule ${made.id} does not exist`);
    });
  });
});
