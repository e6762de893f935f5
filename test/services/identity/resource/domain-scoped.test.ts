// What a domain-scoped token can read and change: the resources of its domain only.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, onDomain, onProject, signIn } from '../support.ts';

onEachDatabase('identity: domain-scoped tokens', {}, (world) => {
  type DomainIds = Readonly<Record<'domain' | 'project' | 'user' | 'group', string>>;

  /** Creates a domain with a project, a user and a group. */
  async function createDomain(name: string): Promise<DomainIds> {
    const domain = (await make(world, 'domain', { name })).id;
    const create = async (noun: string): Promise<string> =>
      (await make(world, noun, { name: `${noun} of ${name}`, domain_id: domain })).id;
    return {
      domain,
      project: await create('project'),
      user: await create('user'),
      group: await create('group'),
    };
  }

  /** Creates a user with a role on a domain. @returns a token of the user */
  async function tokenOf(role: string, domain: string): Promise<string> {
    const user = await make(world, 'user', {
      name: `${role} of a domain`,
      password: 'pw',
      domain_id: domain,
    });
    await ask(world, 'PUT', `/v3/domains/${domain}/users/${user.id}/roles/${ids.role(role)}`);
    const identity = { methods: ['password'], password: { user: { id: user.id, password: 'pw' } } };
    return signIn(world, { identity, scope: onDomain(domain) });
  }

  const status = async (
    token: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<number> =>
    (await ask(world, method, `/v3${path}`, { token, ...(body ? { body } : {}) })).status;

  const reads = ({ domain, project, user, group }: DomainIds): string[] => [
    `/domains/${domain}`,
    `/projects/${project}`,
    `/projects/${project}/tags`,
    `/users/${user}`,
    `/users/${user}/groups`,
    `/users/${user}/projects`,
    `/groups/${group}`,
    `/groups/${group}/users`,
    `/domains/${domain}/users/${user}/roles`,
    `/projects/${project}/users/${user}/roles`,
  ];

  /** What a manager can do in a domain, with the expected status. */
  const writes = ({
    domain,
    project,
    user,
    group,
  }: DomainIds): [number, string, string, object?][] => [
    [201, 'POST', '/projects', { project: { name: 'new', domain_id: domain } }],
    [201, 'POST', '/users', { user: { name: 'new', domain_id: domain } }],
    [201, 'POST', '/groups', { group: { name: 'new', domain_id: domain } }],
    [200, 'PATCH', `/projects/${project}`, { project: { description: 'd' } }],
    [200, 'PATCH', `/users/${user}`, { user: { description: 'd' } }],
    [200, 'PATCH', `/groups/${group}`, { group: { description: 'd' } }],
    [201, 'PUT', `/projects/${project}/tags/a`],
    [204, 'PUT', `/groups/${group}/users/${user}`],
    [204, 'DELETE', `/groups/${group}/users/${user}`],
    [204, 'PUT', `/projects/${project}/users/${user}/roles/${ids.role('member')}`],
    [204, 'DELETE', `/projects/${project}/users/${user}/roles/${ids.role('member')}`],
    [204, 'PUT', `/domains/${domain}/groups/${group}/roles/${ids.role('reader')}`],
    [204, 'DELETE', `/domains/${domain}/groups/${group}/roles/${ids.role('reader')}`],
    [204, 'DELETE', `/groups/${group}`],
    [204, 'DELETE', `/users/${user}`],
    [204, 'DELETE', `/projects/${project}`],
  ];

  it('with the role reader can read their domain, and change nothing', async () => {
    const [own, other] = [await createDomain('own'), await createDomain('other')];
    const token = await tokenOf('reader', own.domain);
    for (const path of reads(own)) expect(await status(token, 'GET', path), path).to.equal(200);
    for (const path of reads(other)) expect(await status(token, 'GET', path), path).to.equal(403);
    for (const [, method, path, body] of [...writes(own), ...writes(other)])
      expect(await status(token, method, path, body), `${method} ${path}`).to.equal(403);
  });

  it('with the role manager can change their domain, and no other domain', async () => {
    const [own, other] = [await createDomain('own'), await createDomain('other')];
    const token = await tokenOf('manager', own.domain);
    for (const path of reads(own)) expect(await status(token, 'GET', path), path).to.equal(200);
    for (const path of reads(other)) expect(await status(token, 'GET', path), path).to.equal(403);
    for (const [, method, path, body] of writes(other))
      expect(await status(token, method, path, body), `${method} ${path}`).to.equal(403);
    for (const [expected, method, path, body] of writes(own))
      expect(await status(token, method, path, body), `${method} ${path}`).to.equal(expected);
  });

  it('list only the resources of their domain', async () => {
    const own = await createDomain('own');
    await createDomain('other');
    for (const role of ['reader', 'manager']) {
      const token = await tokenOf(role, own.domain);
      for (const [noun, mine] of Object.entries({
        user: own.user,
        group: own.group,
        project: own.project,
      })) {
        const reply = await ask(world, 'GET', `/v3/${noun}s`, { token });
        const listed = (reply.body as Record<string, { id: string; domain_id: string }[]>)[
          `${noun}s`
        ]!;
        expect(listed.map(({ id }) => id)).to.include(mine);
        expect(listed.filter(({ domain_id }) => domain_id !== own.domain)).to.deep.equal([]);
      }
    }
  });

  it('with the role manager get 403 for domains, roles, the catalog and the role admin', async () => {
    const { domain, project, user } = await createDomain('own');
    const token = await tokenOf('manager', domain);
    const refused: readonly [method: string, path: string, body?: object][] = [
      ['POST', '/domains', { domain: { name: 'new' } }],
      ['PATCH', `/domains/${domain}`, { domain: { description: 'd' } }],
      ['DELETE', `/domains/${domain}`],
      ['POST', '/roles', { role: { name: 'new' } }],
      ['PATCH', `/roles/${ids.role('member')}`, { role: { name: 'new' } }],
      ['DELETE', `/roles/${ids.role('member')}`],
      ['POST', '/services', { service: { type: 't' } }],
      ['GET', '/services'],
      ['POST', '/regions', { region: { id: 'r' } }],
      ['PUT', `/projects/${project}/users/${user}/roles/${ids.role('admin')}`],
      ['PUT', `/domains/${domain}/users/${user}/roles/${ids.role('admin')}`],
      ['PUT', `/system/users/${user}/roles/${ids.role('reader')}`],
    ];
    for (const [method, path, body] of refused)
      expect(await status(token, method, path, body), `${method} ${path}`).to.equal(403);
  });

  it('are required: a project manager gets 403 for the domain', async () => {
    const user = await make(world, 'user', { name: 'boss', password: 'pw' });
    await ask(
      world,
      'PUT',
      `/v3/projects/${ids.demoProject}/users/${user.id}/roles/${ids.role('manager')}`,
    );
    const token = await signIn(world, { name: 'boss', password: 'pw', scope: onProject('demo') });
    for (const path of ['/users', '/groups', '/projects'])
      expect(await status(token, 'GET', path), path).to.equal(403);
    expect(await status(token, 'POST', '/users', { user: { name: 'new' } })).to.equal(403);
    expect(await status(token, 'GET', `/projects/${ids.demoProject}`)).to.equal(200);
  });
});
