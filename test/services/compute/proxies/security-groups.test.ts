// Tests the proxy API for security groups and their rules.
import { expect } from 'chai';
import type supertest from 'supertest';
import { onEachDatabase, type Asked } from '../../../support/cloud.ts';
import { act, admin, madeServer, newest } from '../servers/makers.ts';
import { ask, config, expectFault, member, reader, someone } from '../support.ts';

interface Rule {
  readonly id: string;
  readonly [field: string]: unknown;
}

interface Group {
  readonly id: string;
  readonly name: string;
  readonly rules: Rule[];
  readonly [field: string]: unknown;
}

const nobody = '6b1e5a43-7a17-4b6f-9d2f-1a2b3c4d5e6f';

onEachDatabase('compute: security groups', config, (world) => {
  const groups = async (query = '', as: Asked = member): Promise<Group[]> =>
    (
      (await ask(world, 'GET', `/os-security-groups${query}`, as).expect(200)).body as {
        security_groups: Group[];
      }
    ).security_groups;
  const made = async (name: string, as: Asked = member): Promise<Group> => {
    const reply = await ask(world, 'POST', '/os-security-groups', {
      ...as,
      body: { security_group: { name, description: 'd' } },
    });
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as { security_group: Group }).security_group;
  };
  const addRule = (fields: object, as: Asked = member): supertest.Test =>
    ask(world, 'POST', '/os-security-group-rules', {
      ...as,
      body: { security_group_rule: fields },
    });
  const ruleOf = ({ body }: supertest.Response): Rule =>
    (body as { security_group_rule: Rule }).security_group_rule;
  const show = (id: string, as: Asked = member): supertest.Test =>
    ask(world, 'GET', `/os-security-groups/${id}`, as);

  describe('GET /os-security-groups', () => {
    it('lists the groups of the project by name, with the default group', async () => {
      await made('z');
      await made('a');
      const all = await groups();
      expect(all.map(({ name }) => name)).to.deep.equal(['a', 'default', 'z']);
      expect(all[0]).to.have.all.keys('id', 'name', 'description', 'tenant_id', 'rules');
      expect(all[1]!.rules).to.have.length(2);
      expect(all[1]!.rules[0]).to.deep.include({
        parent_group_id: all[1]!.id,
        ip_protocol: null,
        from_port: null,
        to_port: null,
        group: { name: 'default', tenant_id: 'demo' },
        ip_range: {},
      });
    });

    it('lists the groups of all projects for an administrator with all_tenants', async () => {
      const other = someone('member,reader', 'other', 'other');
      await made('theirs', other);
      const names = async (query: string, as: Asked): Promise<string[]> =>
        (await groups(query, as)).map(({ name }) => name);
      expect(await names('?all_tenants=1', admin)).to.include('theirs');
      expect(await names('', admin)).to.not.include('theirs');
      expect(await names('?all_tenants=1', member)).to.not.include('theirs');
    });

    it('applies offset and limit', async () => {
      await made('a');
      expect(await groups('?limit=1')).to.have.length(1);
      expect(await groups('?offset=1')).to.have.length(1);
      expect(await groups('?limit=0')).to.have.length(2);
      expectFault(
        await ask(world, 'GET', '/os-security-groups?limit=x', member),
        400,
        /^Invalid input for query parameters limit/,
      );
    });

    it('returns 404 from 2.36 on', async () => {
      expectFault(
        await ask(world, 'GET', '/os-security-groups', { ...member, version: '2.36' }),
        404,
        'The resource could not be found.',
      );
    });
  });

  describe('one group', () => {
    it('is created, shown, updated and deleted', async () => {
      const group = await made('web');
      expect(group).to.deep.include({
        name: 'web',
        description: 'd',
        tenant_id: 'demo',
        rules: [],
      });
      expect((await show(group.id).expect(200)).body).to.deep.equal({ security_group: group });
      const body = { security_group: { name: 'www', description: '' } };
      const changed = await ask(world, 'PUT', `/os-security-groups/${group.id}`, {
        ...member,
        body,
      });
      expect(changed.body).to.deep.equal({
        security_group: { ...group, name: 'www', description: '' },
      });
      const gone = await ask(world, 'DELETE', `/os-security-groups/${group.id}`, member);
      expect([gone.status, gone.text]).to.deep.equal([202, '']);
      expectFault(
        await show(group.id),
        404,
        new RegExp(`^Security group ${group.id} does not exist\nNeutron server returns`),
      );
    });

    it('returns 400 for a malformed id', async () => {
      const wrong = 'Security group id should be uuid';
      expectFault(await show('default'), 400, wrong);
      expectFault(await ask(world, 'DELETE', '/os-security-groups/x', member), 400, wrong);
      expectFault(await ask(world, 'DELETE', '/os-security-group-rules/x', member), 400, wrong);
      expectFault(
        await ask(world, 'DELETE', `/os-security-group-rules/${nobody}`, member),
        404,
        /^Security group rule .* does not exist/,
      );
    });

    it('returns errors for readers, missing descriptions, the quota, and the name default', async () => {
      const post = (fields: object, as: Asked): supertest.Test =>
        ask(world, 'POST', '/os-security-groups', { ...as, body: { security_group: fields } });
      const fields = { name: 'a', description: '' };
      expectFault(
        await post(fields, reader),
        403,
        "Policy doesn't allow os_compute_api:os-security-groups:create to be performed.",
      );
      expectFault(await post({ name: 'a' }, member), 400, /'description' is a required property/);
      expectFault(
        await post({ ...fields, name: 'default' }, member),
        403,
        /^Default security group already exists\./,
      );
      await world
        .ask('network', 'PUT', '/network/v2.0/quotas/demo', {
          body: { quota: { security_group: 1 } },
        })
        .expect(200);
      await groups();
      expectFault(
        await post(fields, member),
        403,
        /^Quota exceeded for resources: \['security_group'\]\.\nNeutron/,
      );
    });

    it('returns 400 for a group in use, and for the default group', async () => {
      const web = await made('web');
      await madeServer(world, { networks: 'auto', security_groups: [{ name: 'web' }] }, member);
      const used = await ask(world, 'DELETE', `/os-security-groups/${web.id}`, member);
      expectFault(used, 400, new RegExp(`^Security Group ${web.id} in use\\.`));
      const [own] = await groups();
      expectFault(
        await ask(world, 'DELETE', `/os-security-groups/${own!.id}`, member),
        400,
        /^Insufficient rights for removing default security group\./,
      );
    });
  });

  describe('rules', () => {
    it('allow a CIDR', async () => {
      const { id } = await made('web');
      const reply = await addRule({
        parent_group_id: id,
        ip_protocol: 'tcp',
        from_port: '22',
        to_port: 22,
        cidr: '10.0.0.0/8',
      });
      expect(reply.status, reply.text).to.equal(200);
      const rule = ruleOf(reply);
      expect(rule).to.deep.equal({
        id: rule.id,
        parent_group_id: id,
        ip_protocol: 'tcp',
        from_port: 22,
        to_port: 22,
        group: {},
        ip_range: { cidr: '10.0.0.0/8' },
      });
      expect((await show(id)).body)
        .to.have.nested.property('security_group.rules[0]')
        .that.deep.equals(rule);
      await ask(world, 'DELETE', `/os-security-group-rules/${rule.id}`, member).expect(202);
      expect((await show(id)).body)
        .to.have.nested.property('security_group.rules')
        .that.deep.equals([]);
    });

    it('allow every address without a CIDR, and IPv6 for an IPv6 CIDR', async () => {
      const { id } = await made('web');
      const icmp = ruleOf(
        await addRule({ parent_group_id: id, ip_protocol: 'icmp', from_port: -1, to_port: -1 }),
      );
      expect(icmp).to.deep.include({ from_port: -1, to_port: -1, ip_range: { cidr: '0.0.0.0/0' } });
      const udp = ruleOf(
        await addRule({
          parent_group_id: id,
          ip_protocol: 'udp',
          from_port: 1,
          to_port: 65535,
          cidr: '::/0',
        }),
      );
      expect(udp).to.deep.include({ from_port: 1, to_port: 65535, ip_range: { cidr: '::/0' } });
    });

    it('allow a group, on all ports if none are given', async () => {
      const [web, back] = [await made('web'), await made('back')];
      const tcp = ruleOf(
        await addRule({ parent_group_id: back.id, group_id: web.id, ip_protocol: 'tcp' }),
      );
      expect(tcp).to.deep.include({
        from_port: 1,
        to_port: 65535,
        group: { name: 'web', tenant_id: 'demo' },
        ip_range: {},
      });
      const any = ruleOf(await addRule({ parent_group_id: back.id, group_id: web.id }));
      expect(any).to.deep.include({ ip_protocol: null, from_port: null, to_port: null });
    });

    it('return errors for invalid rules', async () => {
      const { id } = await made('web');
      const tcp = { parent_group_id: id, ip_protocol: 'tcp', from_port: 1, to_port: 2 };
      const cases: readonly [object, number, string | RegExp][] = [
        [{ parent_group_id: 'x' }, 400, /is not a 'uuid'/],
        [
          { ...tcp, parent_group_id: nobody },
          404,
          /^Security group .* does not exist\nNeutron server/,
        ],
        [{ ...tcp, group_id: nobody }, 404, /^Security group .* does not exist/],
        [{ parent_group_id: id }, 400, 'Not enough parameters to build a valid rule.'],
        [{ ...tcp, cidr: '10.0.0.0' }, 400, '10.0.0.0 is not a valid IP network.'],
        [{ ...tcp, cidr: '10.0.0.0/0' }, 400, 'Bad prefix for network in cidr 10.0.0.0/0'],
        [{ ...tcp, cidr: ['a'] }, 400, "['a'] is not a valid IP network."],
        [{ ...tcp, ip_protocol: 'x' }, 400, 'Invalid IP protocol x.'],
        [
          { ...tcp, from_port: 'x' },
          400,
          'Invalid input received: To and From ports must be integers',
        ],
        [
          { ...tcp, ip_protocol: 'icmp', from_port: 'x' },
          400,
          'Invalid input received: Type and Code must be integers for ICMP protocol type',
        ],
        [
          { ...tcp, from_port: 3 },
          400,
          'Invalid port range 3:2. Former value cannot be greater than the later',
        ],
        [
          { ...tcp, from_port: 0 },
          400,
          'Invalid port range 0:2. Valid TCP ports should be between 1-65535',
        ],
        [
          { ...tcp, ip_protocol: 'icmp', from_port: 256 },
          400,
          'Invalid port range 256:2. For ICMP, the type:code must be valid',
        ],
        [{ ...tcp, from_port: {} }, 400, /malformed or otherwise incorrect/],
      ];
      for (const [fields, status, message] of cases)
        expectFault(await addRule(fields), status, message);
      await addRule(tcp).expect(200);
      expectFault(await addRule(tcp), 400, `This rule already exists in group ${id}`);
      expectFault(
        await addRule({ ...tcp, ip_protocol: 'TCP' }),
        403,
        /^Security group rule already exists/,
      );
    });
  });

  describe('addSecurityGroup and removeSecurityGroup', () => {
    const change = (id: string, action: object, as: Asked = member): supertest.Test =>
      ask(world, 'POST', `/servers/${id}/action`, { ...as, body: action });

    it('accept names and ids, and ignore a group that is set already', async () => {
      const { id: group } = await made('web');
      const { id } = await madeServer(world, { networks: 'auto' }, member);
      expectFault(
        await change(id, { addSecurityGroup: { name: 'default' } }),
        400,
        /Duplicate items in the list/,
      );
      await change(id, { addSecurityGroup: { name: group } }).expect(202);
      await change(id, { removeSecurityGroup: { name: 'web' } }).expect(202);
      const absent = await change(id, { removeSecurityGroup: { name: 'web' } });
      expectFault(absent, 404, `Security group web not associated with the instance ${id}`);
    });

    it('return errors for an unknown or ambiguous group, and without a suitable port', async () => {
      const { id } = await madeServer(world, { networks: 'auto' }, member);
      const add = (name: string, server = id): supertest.Test =>
        change(server, { addSecurityGroup: { name } });
      expectFault(await add('none'), 404, 'Security group none is not found for project demo');
      expectFault(await add(' '), 400, 'Security group name cannot be empty');
      await made('two');
      await made('two');
      const several =
        "Multiple security_group matches found for name 'two', use an ID to be more specific.";
      expectFault(await add('two'), 409, several);
      const { id: bare } = await madeServer(world, {}, member);
      expectFault(
        await add('default', bare),
        404,
        `instance_id ${bare} could not be found as device id on any ports`,
      );
      const { ports } = (await world.ask('network', 'GET', `/network/v2.0/ports?device_id=${id}`))
        .body as { ports: Group[] };
      const body = { port: { security_groups: [], port_security_enabled: false } };
      await world
        .ask('network', 'PUT', `/network/v2.0/ports/${ports[0]!.id}`, { body })
        .expect(200);
      expectFault(await add('default'), 400, /^Network requires port_security_enabled/);
    });
  });

  describe('GET /servers/{id}/os-security-groups', () => {
    const ofServer = (id: string, as: Asked = member, query = ''): supertest.Test =>
      ask(world, 'GET', `/servers/${id}/os-security-groups${query}`, { version: newest, ...as });
    const namesOf = ({ body }: supertest.Response): string[] =>
      (body as { security_groups: Group[] }).security_groups.map(({ name }) => name);

    it('shows the groups of the server’s ports, at every version', async () => {
      await made('web');
      const { id } = await madeServer(world, { networks: 'auto' }, member);
      expect(namesOf(await ofServer(id).expect(200))).to.deep.equal(['default']);
      await act(world, id, { addSecurityGroup: { name: 'web' } });
      const reply = await ofServer(id, { ...member, version: '2.1' }).expect(200);
      expect(namesOf(reply)).to.deep.equal(['default', 'web']);
      await act(world, id, { removeSecurityGroup: { name: 'web' } });
      expect(namesOf(await ofServer(id))).to.deep.equal(['default']);
    });

    it('is empty without ports, and 404 without a server', async () => {
      const { id } = await madeServer(world);
      expect((await ofServer(id)).body).to.deep.equal({ security_groups: [] });
      expectFault(await ofServer(nobody), 404, `Instance ${nobody} could not be found.`);
      expectFault(await ofServer(id, member, '?a=b'), 400, /Additional properties are not allowed/);
      await ofServer(id, { ...member, version: '2.101' }, '?a=b').expect(200);
    });
  });
});
