// Tests of os-server-groups at every microversion that changes them.
import { expect } from 'chai';
import { onEachDatabase, type Asked, type World } from '../../support/cloud.ts';
import { ask, config, expectFault, member, reader, someone } from './support.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Group {
  id: string;
  name: string;
  members: string[];
}

const post = (world: World, version: string, server_group: unknown, as: Asked = member) =>
  ask(world, 'POST', '/os-server-groups', { ...as, version, body: { server_group } });

async function made(world: World, name: string, as: Asked = member): Promise<Group> {
  const reply = await post(world, '2.64', { name, policy: 'anti-affinity' }, as);
  expect(reply.status, reply.text).to.equal(200);
  return (reply.body as { server_group: Group }).server_group;
}

const names = (body: unknown): string[] =>
  (body as { server_groups: Group[] }).server_groups.map(({ name }) => name);

onEachDatabase('compute: server groups', config, (world) => {
  describe('POST /os-server-groups', () => {
    it('returns 200 with policies and empty metadata at 2.1', async () => {
      const { status, body } = await post(world, '2.12', { name: 'g', policies: ['affinity'] });
      expect(status).to.equal(200);
      expect(Object.keys(body.server_group).toSorted()).to.deep.equal([
        'id',
        'members',
        'metadata',
        'name',
        'policies',
      ]);
      expect(body.server_group).to.deep.include({
        name: 'g',
        policies: ['affinity'],
        metadata: {},
        members: [],
      });
      expect(body.server_group.id).to.match(uuid);
    });

    it('shows project and user from 2.13 on', async () => {
      const { body } = await post(world, '2.13', { name: 'g', policies: ['affinity'] });
      expect(body.server_group).to.deep.include({
        project_id: 'demo',
        user_id: 'demo',
        policies: ['affinity'],
        metadata: {},
      });
    });

    it('accepts soft policies from 2.15 on', async () => {
      for (const policy of ['soft-affinity', 'soft-anti-affinity']) {
        const refused = await post(world, '2.14', { name: 'g', policies: [policy] });
        expectFault(
          refused,
          400,
          `Invalid input for field/attribute 0. Value: ${policy}. '${policy}' is not one ` +
            "of ['anti-affinity', 'affinity']",
        );
        const taken = await post(world, '2.15', { name: 'g', policies: [policy] });
        expect(taken.body.server_group.policies).to.deep.equal([policy]);
      }
    });

    it('has policy and rules instead of policies and metadata from 2.64 on #server-groups-1 #server-groups-15 #server-groups-16', async () => {
      const { status, body } = await post(world, '2.64', {
        name: 'g',
        policy: 'anti-affinity',
        rules: { max_server_per_host: 3 },
      });
      expect(status).to.equal(200);
      const { id, ...rest } = body.server_group;
      expect(id).to.match(uuid);
      expect(rest).to.deep.equal({
        name: 'g',
        policy: 'anti-affinity',
        rules: { max_server_per_host: 3 },
        members: [],
        project_id: 'demo',
        user_id: 'demo',
      });
    });

    it('accepts max_server_per_host as text, and returns a number #server-groups-9', async () => {
      for (const [given, told] of [
        ['2', 2],
        ['007', 7],
        [5, 5],
      ] as const) {
        const { body } = await post(world, '2.64', {
          name: 'g',
          policy: 'anti-affinity',
          rules: { max_server_per_host: given },
        });
        expect(body.server_group.rules).to.deep.equal({ max_server_per_host: told });
      }
    });

    it('accepts empty rules with every policy, and returns {} #server-groups-8 #server-groups-12', async () => {
      for (const policy of ['affinity', 'anti-affinity', 'soft-affinity', 'soft-anti-affinity']) {
        const { body } = await post(world, '2.64', { name: 'g', policy, rules: {} });
        expect(body.server_group, policy).to.deep.include({ policy, rules: {} });
      }
    });

    it('omits the rule of a group before 2.64 #server-groups-7', async () => {
      const { body } = await post(world, '2.64', {
        name: 'g',
        policy: 'anti-affinity',
        rules: { max_server_per_host: 3 },
      });
      const shown = await ask(world, 'GET', `/os-server-groups/${body.server_group.id}`, {
        ...member,
        version: '2.63',
      });
      expect(shown.body.server_group.policies).to.deep.equal(['anti-affinity']);
      expect(shown.body.server_group).to.not.have.any.keys('rules', 'policy');
    });

    it('accepts a name that exists', async () => {
      expect((await made(world, 'same')).id).to.not.equal((await made(world, 'same')).id);
    });

    const prefix = 'Invalid input for field/attribute';
    const refusals: readonly (readonly [
      what: string,
      version: string,
      group: unknown,
      message: string,
    ])[] = [
      ['null', '2.64', null, `${prefix} server_group. Value: None. None is not of type 'object'`],
      [
        'no name',
        '2.1',
        { policies: ['affinity'] },
        `${prefix} server_group. Value: {'policies': ['affinity']}. 'name' is a required property`,
      ],
      [
        'an empty name',
        '2.1',
        { name: '', policies: ['affinity'] },
        `${prefix} name. Value: . '' is too short`,
      ],
      [
        'a name that begins with a blank',
        '2.1',
        { name: ' a', policies: ['affinity'] },
        "An invalid 'name' value was provided. The name must be: printable characters. Can " +
          'not start or end with whitespace.',
      ],
      [
        'a name of blanks',
        '2.64',
        { name: '  ', policy: 'affinity' },
        "An invalid 'name' value was provided. The name must be: printable characters. Can " +
          'not start or end with whitespace.',
      ],
      [
        'a long name',
        '2.1',
        { name: 'a'.repeat(256), policies: ['affinity'] },
        `${prefix} name. Value: ${'a'.repeat(256)}. '${'a'.repeat(256)}' is too long`,
      ],
      [
        'a number for a name',
        '2.1',
        { name: 1, policies: ['affinity'] },
        `${prefix} name. Value: 1. 1 is not of type 'string'`,
      ],
      [
        'no policies',
        '2.1',
        { name: 'n', policies: [] },
        `${prefix} policies. Value: []. [] is too short`,
      ],
      [
        'two policies',
        '2.1',
        { name: 'n', policies: ['affinity', 'anti-affinity'] },
        `${prefix} policies. Value: ['affinity', 'anti-affinity']. ['affinity', ` +
          "'anti-affinity'] is too long",
      ],
      [
        'a policy twice',
        '2.1',
        { name: 'n', policies: ['affinity', 'affinity'] },
        `${prefix} policies. Value: ['affinity', 'affinity']. ['affinity', 'affinity'] has ` +
          'non-unique elements',
      ],
      [
        'policies as text',
        '2.1',
        { name: 'n', policies: 'affinity' },
        `${prefix} policies. Value: affinity. 'affinity' is not of type 'array'`,
      ],
      [
        'the new form before 2.64',
        '2.63',
        { name: 'n', policy: 'affinity' },
        `${prefix} server_group. Value: {'name': 'n', 'policy': 'affinity'}. 'policies' is ` +
          'a required property',
      ],
      [
        'rules before 2.64',
        '2.63',
        { name: 'n', policies: ['affinity'], rules: {} },
        `${prefix} server_group. Value: {'name': 'n', 'policies': ['affinity'], 'rules': ` +
          "{}}. Additional properties are not allowed ('rules' was unexpected)",
      ],
      [
        'the old form from 2.64 on',
        '2.64',
        { name: 'n', policies: ['affinity'] },
        `${prefix} server_group. Value: {'name': 'n', 'policies': ['affinity']}. 'policy' ` +
          'is a required property',
      ],
      [
        'an unknown policy',
        '2.64',
        { name: 'n', policy: 'bogus' },
        `${prefix} policy. Value: bogus. 'bogus' is not one of ['anti-affinity', ` +
          "'affinity', 'soft-anti-affinity', 'soft-affinity']",
      ],
      [
        'a policy with rules inside',
        '2.64',
        { name: 'n', policy: { name: 'anti-affinity', rules: { max_server_per_host: 3 } } },
        `${prefix} policy. Value: {'name': 'anti-affinity', 'rules': ` +
          "{'max_server_per_host': 3}}. {'name': 'anti-affinity', 'rules': " +
          "{'max_server_per_host': 3}} is not of type 'string'",
      ],
      [
        'a rule of 0',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: { max_server_per_host: 0 } },
        `${prefix} max_server_per_host. Value: 0. 0 is less than the minimum of 1`,
      ],
      [
        'a rule of 0 as text',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: { max_server_per_host: '0' } },
        `${prefix} max_server_per_host. Value: 0. 0 is less than the minimum of 1`,
      ],
      [
        'a negative rule',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: { max_server_per_host: -1 } },
        `${prefix} max_server_per_host. Value: -1. -1 is less than the minimum of 1`,
      ],
      [
        'a rule that is no number',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: { max_server_per_host: 'a' } },
        `${prefix} max_server_per_host. Value: a. 'a' does not match '^[0-9]*$'`,
      ],
      [
        'a rule with a fraction',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: { max_server_per_host: 1.5 } },
        `${prefix} max_server_per_host. Value: 1.5. 1.5 is not of type 'integer', 'string'`,
      ],
      [
        'a rule that is true',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: { max_server_per_host: true } },
        `${prefix} max_server_per_host. Value: True. True is not of type 'integer', 'string'`,
      ],
      [
        'a rule that is null',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: { max_server_per_host: null } },
        `${prefix} max_server_per_host. Value: None. None is not of type 'integer', 'string'`,
      ],
      [
        'an unknown rule',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: { foo: 1 } },
        `${prefix} rules. Value: {'foo': 1}. Additional properties are not allowed ('foo' ` +
          'was unexpected)',
      ],
      [
        'rules that are null',
        '2.64',
        { name: 'n', policy: 'anti-affinity', rules: null },
        `${prefix} rules. Value: None. None is not of type 'object'`,
      ],
      [
        'rules with another policy',
        '2.64',
        { name: 'n', policy: 'affinity', rules: { max_server_per_host: 2 } },
        'Only anti-affinity policy supports rules.',
      ],
    ];
    for (const [what, version, group, message] of refusals) {
      it(`returns 400 for ${what} at ${version} #server-groups-7 #server-groups-9 #server-groups-10 #server-groups-11 #server-groups-13 #server-groups-14`, async () => {
        expectFault(await post(world, version, group), 400, message);
      });
    }

    it('returns 400 for an empty body, or one without a group', async () => {
      expectFault(
        await ask(world, 'POST', '/os-server-groups', { ...member, body: {} }),
        400,
        "'server_group' is a required property",
      );
      expectFault(
        await ask(world, 'POST', '/os-server-groups', member),
        400,
        "None is not of type 'object'",
      );
      expectFault(
        await ask(world, 'POST', '/os-server-groups', { ...member, body: '{' }),
        400,
        'Malformed request body',
      );
      const xml = await ask(world, 'POST', '/os-server-groups', {
        ...member,
        body: '<a/>',
        headers: { ...member.headers, 'content-type': 'application/xml' },
      });
      expectFault(xml, 415, 'Unsupported Content-Type');
    });

    it('checks the schema before the policy', async () => {
      expectFault(await post(world, '2.64', {}, reader), 400, /is a required property/);
      expectFault(
        await post(world, '2.64', { name: 'n', policy: 'affinity' }, reader),
        403,
        "Policy doesn't allow os_compute_api:os-server-groups:create to be performed.",
      );
    });

    it('returns 403 at the project’s quota, and at the user’s', async () => {
      for (let count = 0; count < 10; count++) await made(world, `g${count}`);
      expectFault(
        await post(world, '2.64', { name: 'n', policy: 'affinity' }),
        403,
        'Quota exceeded, too many server groups.',
      );
      await made(world, 'of another project', someone('member', 'demo', 'other'));
      await ask(world, 'PUT', '/os-quota-sets/demo', {
        body: { quota_set: { server_groups: 11 } },
      });
      await made(world, 'g10');
      await ask(world, 'PUT', '/os-quota-sets/demo', {
        body: { quota_set: { server_groups: -1 } },
      });
      await made(world, 'g11');
      await ask(world, 'PUT', '/os-quota-sets/demo?user_id=second', {
        body: { quota_set: { server_groups: 1 } },
      });
      await made(world, 'g12', someone('member', 'second'));
      expectFault(
        await post(world, '2.64', { name: 'n', policy: 'affinity' }, someone('member', 'second')),
        403,
        'Quota exceeded, too many server groups.',
      );
    });

    it('never exceeds the quota, also with concurrent requests', async () => {
      await ask(world, 'PUT', '/os-quota-sets/demo', { body: { quota_set: { server_groups: 3 } } });
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          post(world, '2.64', { name: `g${n}`, policy: 'affinity' }),
        ),
      );
      expect(replies.map(({ status }) => status).toSorted()).to.deep.equal([
        200, 200, 200, 403, 403, 403, 403, 403,
      ]);
    });
  });

  describe('GET /os-server-groups', () => {
    it('lists the groups of the project in order of creation #server-groups-15', async () => {
      const groups = [await made(world, 'c'), await made(world, 'a'), await made(world, 'b')];
      await made(world, 'foreign', someone('member', 'demo', 'other'));
      const { body } = await ask(world, 'GET', '/os-server-groups', { ...reader, version: '2.64' });
      expect(body.server_groups).to.deep.equal(groups);
    });

    it('lists the groups of all projects for an administrator with all_projects, of any value', async () => {
      await made(world, 'one');
      await made(world, 'two', someone('member', 'demo', 'other'));
      expect(names((await ask(world, 'GET', '/os-server-groups')).body)).to.deep.equal([]);
      for (const query of ['all_projects', 'all_projects=True', 'all_projects=False']) {
        expect(
          names((await ask(world, 'GET', `/os-server-groups?${query}`)).body),
          query,
        ).to.deep.equal(['one', 'two']);
        expect(
          names((await ask(world, 'GET', `/os-server-groups?${query}`, member)).body),
          query,
        ).to.deep.equal(['one']);
      }
    });

    it('returns a page by offset and limit: the last value counts, and 0 means no limit', async () => {
      for (const name of ['a', 'b', 'c', 'd']) await made(world, name);
      const page = async (query: string): Promise<string[]> =>
        names((await ask(world, 'GET', `/os-server-groups?${query}`, member)).body);
      expect(await page('limit=2')).to.deep.equal(['a', 'b']);
      expect(await page('limit=2&offset=1')).to.deep.equal(['b', 'c']);
      expect(await page('offset=3')).to.deep.equal(['d']);
      expect(await page('limit=0')).to.deep.equal(['a', 'b', 'c', 'd']);
      expect(await page('limit=1&limit=3')).to.deep.equal(['a', 'b', 'c']);
      expect(await page('offset=99999999999999999999')).to.deep.equal([]);
    });

    it('ignores unknown parameters such as marker until 2.74, and returns 400 from 2.75 on', async () => {
      const { id } = await made(world, 'a');
      const old = await ask(world, 'GET', `/os-server-groups?marker=${id}`, {
        ...member,
        version: '2.74',
      });
      expect(names(old.body)).to.deep.equal(['a']);
      const asked = { ...member, version: '2.75' };
      expectFault(
        await ask(world, 'GET', '/os-server-groups?marker=x', asked),
        400,
        "Additional properties are not allowed ('marker' was unexpected)",
      );
      expectFault(
        await ask(world, 'GET', '/os-server-groups?foo=1&bar=2', asked),
        400,
        "Additional properties are not allowed ('bar', 'foo' were unexpected)",
      );
    });

    it('returns 400 for a limit that is not a number', async () => {
      for (const value of ['-1', 'a'])
        expectFault(
          await ask(world, 'GET', `/os-server-groups?limit=${value}`, member),
          400,
          `Invalid input for query parameters limit. Value: ${value}. '${value}' does not ` +
            "match '^[0-9]*$'",
        );
    });

    it('returns 404 for other methods', async () => {
      const { id } = await made(world, 'a');
      for (const [method, path] of [
        ['PUT', `/${id}`],
        ['PATCH', `/${id}`],
        ['PUT', ''],
        ['POST', `/${id}`],
        ['GET', `/${id}/members`],
      ] as const)
        expectFault(
          await ask(world, method, `/os-server-groups${path}`, member),
          404,
          'The resource could not be found.',
        );
    });
  });

  describe('GET and DELETE /os-server-groups/{id}', () => {
    it('shows and deletes a group #server-groups-15 #server-groups-16 #server-groups-17', async () => {
      const group = await made(world, 'a');
      const shown = await ask(world, 'GET', `/os-server-groups/${group.id}`, {
        ...reader,
        version: '2.64',
      });
      expect(shown.body.server_group).to.deep.equal(group);
      const gone = await ask(world, 'DELETE', `/os-server-groups/${group.id}`, member);
      expect([gone.status, gone.text]).to.deep.equal([204, '']);
      expectFault(
        await ask(world, 'GET', `/os-server-groups/${group.id}`, member),
        404,
        `Instance group ${group.id} could not be found.`,
      );
      expectFault(
        await ask(world, 'DELETE', `/os-server-groups/${group.id}`, member),
        404,
        `Instance group ${group.id} could not be found.`,
      );
    });

    it('returns 404 for an unknown group, and for groups of other projects', async () => {
      const { id } = await made(world, 'foreign', someone('member', 'demo', 'other'));
      for (const text of ['name', id]) {
        expectFault(
          await ask(world, 'GET', `/os-server-groups/${text}`, member),
          404,
          `Instance group ${text} could not be found.`,
        );
        expectFault(
          await ask(world, 'DELETE', `/os-server-groups/${text}`, member),
          404,
          `Instance group ${text} could not be found.`,
        );
      }
      expect((await ask(world, 'GET', `/os-server-groups/${id}`)).status).to.equal(200);
      expect((await ask(world, 'DELETE', `/os-server-groups/${id}`)).status).to.equal(204);
    });

    it('lets a reader show, but not delete', async () => {
      const { id } = await made(world, 'a');
      expectFault(
        await ask(world, 'DELETE', `/os-server-groups/${id}`, reader),
        403,
        "Policy doesn't allow os_compute_api:os-server-groups:delete to be performed.",
      );
    });

    it('ignores unknown parameters until 2.101, and returns 400 from 2.102 on', async () => {
      const { id } = await made(world, 'a');
      expect(
        (await ask(world, 'GET', `/os-server-groups/${id}?x=1`, { ...member, version: '2.101' }))
          .status,
      ).to.equal(200);
      expectFault(
        await ask(world, 'GET', `/os-server-groups/${id}?x=1`, { ...member, version: '2.102' }),
        400,
        "Additional properties are not allowed ('x' was unexpected)",
      );
    });
  });
});
