// Security groups: the default group of each project, and the groups that clients create.
import { expect } from 'chai';
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

onEachDatabase('network: security groups', { auth: 'noauth2' }, (world) => {
  const list = async (query: string, as = {}): Promise<Resource[]> =>
    (await ask(world, 'GET', `/security-groups${query}`, undefined, as).expect(200)).body
      .security_groups;
  const summaryOf = (rules: Resource[]): string[] =>
    rules
      .map(
        (rule) =>
          `${rule['direction']} ${rule['ethertype']} ${rule['remote_group_id'] ? 'group' : 'any'}`,
      )
      .toSorted();

  describe('GET /v2.0/security-groups', () => {
    it('creates the default group of a project with four rules', async () => {
      const [group, ...more] = await list('', member);
      expect(more).to.deep.equal([]);
      expect(group).to.include({
        name: 'default',
        description: 'Default security group',
        project_id: 'blue',
        stateful: true,
        shared: false,
      });
      expect(summaryOf(group!['security_group_rules'])).to.deep.equal([
        'egress IPv4 any',
        'egress IPv6 any',
        'ingress IPv4 group',
        'ingress IPv6 group',
      ]);
    });

    it('creates the default group once, for the project in the query', async () => {
      const [group] = await list('', member);
      expect((await list('', member))[0]!.id).to.equal(group!.id);
      expect(
        (await list('?name=default&project_id=green')).map((one) => one['project_id']),
      ).to.deep.equal(['green']);
      expect(await list('?project_id=green', member)).to.deep.equal([]);
    });

    it('creates one default group in concurrent requests', async () => {
      const replies = await Promise.all(Array.from({ length: 10 }, () => list('', member)));
      expect(new Set(replies.flat().map(({ id }) => id)).size).to.equal(1);
    });
  });

  describe('POST /v2.0/security-groups', () => {
    it('creates a group whose rules allow all egress and no ingress', async () => {
      const group = await make(world, 'security_group', { name: 'g', description: 'd' }, member);
      expect(summaryOf(group['security_group_rules'])).to.deep.equal([
        'egress IPv4 any',
        'egress IPv6 any',
      ]);
      expect((await list('', member)).map((one) => one['name']).toSorted()).to.deep.equal([
        'default',
        'g',
      ]);
    });

    it('returns 409 for the reserved name default, and 403 to readers', async () => {
      const post = async (fields: object, as = member): Promise<string> =>
        errorOf(await ask(world, 'POST', '/security-groups', { security_group: fields }, as));
      expect(await post({ name: 'Default' })).to.equal(
        '409 SecurityGroupDefaultAlreadyExists: Default security group already exists.',
      );
      expect(await post({ name: 'x' }, reader)).to.contain('403 PolicyNotAuthorized');
    });
  });

  describe('/v2.0/security-groups/{id}', () => {
    it('updates and deletes a group', async () => {
      const group = await make(world, 'security_group', { name: 'g', description: 'd' }, member);
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

    it('returns 409 when the default group is renamed', async () => {
      const [group] = await list('', member);
      expect(
        errorOf(
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
    });

    it('lets only administrators delete the default group, which is then created again', async () => {
      const [group] = await list('', member);
      expect(
        errorOf(await ask(world, 'DELETE', `/security-groups/${group!.id}`, undefined, member)),
      ).to.equal(
        '409 SecurityGroupCannotRemoveDefault: Insufficient rights for removing default ' +
          'security group.',
      );
      await ask(world, 'DELETE', `/security-groups/${group!.id}`).expect(204);
      expect((await list('', member))[0]!.id).to.not.equal(group!.id);
    });

    it('returns 409 while ports are in the group', async () => {
      const { network } = await makeNetwork(world, '10.1.0.0/24', member);
      const group = await make(world, 'security_group', { name: 'g' }, member);
      const port = await make(
        world,
        'port',
        { network_id: network.id, security_groups: [group.id] },
        member,
      );
      expect(
        errorOf(await ask(world, 'DELETE', `/security-groups/${group.id}`, undefined, member)),
      ).to.equal(`409 SecurityGroupInUse: Security Group ${group.id} in use.`);
      await ask(world, 'DELETE', `/ports/${port.id}`, undefined, member).expect(204);
      await ask(world, 'DELETE', `/security-groups/${group.id}`, undefined, member).expect(204);
    });

    it('returns 404 to another project', async () => {
      const group = await make(world, 'security_group', { name: 'g' }, member);
      await ask(world, 'GET', `/security-groups/${group.id}`, undefined, otherMember).expect(404);
    });
  });
});
