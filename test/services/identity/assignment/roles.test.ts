// Roles, implied roles, grants and role assignments.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import {
  ask,
  ids,
  make,
  makeUser,
  message,
  onDomain,
  onProject,
  onSystem,
  signIn,
} from '../support.ts';

interface Assignment {
  role: { id: string; name?: string };
  user?: { id: string; name?: string; domain?: object };
  group?: { id: string };
  scope: {
    project?: { id: string; name?: string };
    domain?: { id: string };
    system?: object;
    'OS-INHERIT:inherited_to'?: string;
  };
  links: Record<string, string>;
}

onEachDatabase('identity: roles', {}, (world) => {
  describe('/v3/roles', () => {
    it('lists global roles, and the roles of a domain only if the query names it', async () => {
      const domain = await make(world, 'domain', { name: 'other' });
      await make(world, 'role', { name: 'local', domain_id: domain.id });
      const names = async (query: string) =>
        (await ask(world, 'GET', `/v3/roles${query}`)).body.roles.map(
          (role: { name: string }) => role.name,
        );
      expect(await names('')).to.deep.equal(['admin', 'manager', 'member', 'reader', 'service']);
      expect(await names(`?domain_id=${domain.id}`)).to.deep.equal(['local']);
      expect(await names('?name=reader')).to.deep.equal(['reader']);
    });

    it('creates, shows, updates and deletes a role', async () => {
      const role = await make(world, 'role', { name: 'Op "1"', description: 'd', extra: 1 });
      expect(role).to.deep.include({
        name: 'Op "1"',
        description: 'd',
        domain_id: null,
        options: {},
        extra: 1,
      });
      const changed = await ask(world, 'PATCH', `/v3/roles/${role.id}`, {
        body: { role: { name: 'op' } },
      });
      expect(changed.body.role).to.include({ name: 'op', description: 'd' });
      expect((await ask(world, 'GET', `/v3/roles/${role.id}`)).body).to.deep.equal(changed.body);
      expect((await ask(world, 'DELETE', `/v3/roles/${role.id}`)).status).to.equal(204);
      expect(message(await ask(world, 'GET', `/v3/roles/${role.id}`))).to.equal(
        `Could not find role: ${role.id}.`,
      );
    });

    it('returns 409 for a duplicate name in the same domain', async () => {
      const again = await ask(world, 'POST', '/v3/roles', { body: { role: { name: 'admin' } } });
      expect(message(again)).to.equal(
        'Conflict occurred attempting to store role - Duplicate entry found with name admin.',
      );
      const domain = await make(world, 'domain', { name: 'other' });
      await make(world, 'role', { name: 'admin', domain_id: domain.id });
    });

    it('returns 403 without the role admin, and 404 for an unknown role', async () => {
      const { id: domain_id } = await make(world, 'domain', { name: 'other' });
      const global = await make(world, 'role', { name: 'global' });
      const local = await make(world, 'role', { name: 'local', domain_id });
      const token = await signIn(world, { name: 'demo' });
      for (const method of ['GET', 'PATCH', 'DELETE'])
        for (const [id, status] of [
          [global.id, 403],
          [local.id, 403],
          ['nope', 404],
        ] as const) {
          const body = method === 'PATCH' ? { body: { role: { name: 'x' } } } : {};
          const reply = await ask(world, method, `/v3/roles/${id}`, { token, ...body });
          expect(reply.status, `${method} ${id}`).to.equal(status);
        }
    });

    it('returns 404 for an unknown domain', async () => {
      const missing = await ask(world, 'POST', '/v3/roles', {
        body: { role: { name: 'x', domain_id: 'nope' } },
      });
      expect(missing.status).to.equal(404);
    });

    it('returns 403 for changes to an immutable role', async () => {
      const role = await make(world, 'role', { name: 'fixed', options: { immutable: true } });
      expect(
        (await ask(world, 'PATCH', `/v3/roles/${role.id}`, { body: { role: { name: 'x' } } }))
          .status,
      ).to.equal(403);
      expect((await ask(world, 'DELETE', `/v3/roles/${role.id}`)).status).to.equal(403);
    });
  });

  describe('/v3/roles/{prior_role_id}/implies/{implied_role_id}', () => {
    it('creates, shows, lists and deletes an implication', async () => {
      const prior = await make(world, 'role', { name: 'prior' });
      const path = `/v3/roles/${prior.id}/implies/${ids.role('reader')}`;
      const none = await ask(world, 'GET', path);
      expect(none.status).to.equal(404);
      expect(message(none)).to.equal(`${prior.id} does not imply ${ids.role('reader')}.`);
      const made = await ask(world, 'PUT', path);
      expect(made.status).to.equal(201);
      expect(made.body.role_inference.prior_role).to.include({ id: prior.id, name: 'prior' });
      expect(made.body.role_inference.implies).to.include({
        id: ids.role('reader'),
        name: 'reader',
      });
      expect((await ask(world, 'PUT', path)).status).to.equal(409);
      expect((await ask(world, 'GET', path)).status).to.equal(200);
      expect((await ask(world, 'HEAD', path)).status).to.equal(204);
      const list = await ask(world, 'GET', `/v3/roles/${prior.id}/implies`);
      expect(
        list.body.role_inference.implies.map((role: { name: string }) => role.name),
      ).to.deep.equal(['reader']);
      expect((await ask(world, 'DELETE', path)).status).to.equal(204);
      expect((await ask(world, 'DELETE', path)).status).to.equal(404);
    });

    it('returns 403 for implying admin, or a domain-specific role by a global one', async () => {
      const domain = await make(world, 'domain', { name: 'other' });
      const local = await make(world, 'role', { name: 'local', domain_id: domain.id });
      expect(
        (await ask(world, 'PUT', `/v3/roles/${ids.role('reader')}/implies/${ids.role('admin')}`))
          .status,
      ).to.equal(403);
      expect(
        (await ask(world, 'PUT', `/v3/roles/${ids.role('reader')}/implies/${local.id}`)).status,
      ).to.equal(403);
      expect(
        (await ask(world, 'PUT', `/v3/roles/${local.id}/implies/${ids.role('reader')}`)).status,
      ).to.equal(201);
    });

    it('affects tokens immediately, even if roles imply each other', async () => {
      await makeUser(world, 'eva', 'reader');
      const roles = async () => {
        const token = await signIn(world, {
          name: 'eva',
          password: 'pw',
          scope: onProject('demo'),
        });
        const shown = await ask(world, 'GET', '/v3/auth/tokens', {
          token,
          headers: { 'x-subject-token': token },
        });
        return shown.body.token.roles.map((role: { name: string }) => role.name);
      };
      expect(await roles()).to.deep.equal(['reader']);
      await ask(world, 'PUT', `/v3/roles/${ids.role('reader')}/implies/${ids.role('service')}`);
      await ask(world, 'PUT', `/v3/roles/${ids.role('service')}/implies/${ids.role('reader')}`);
      expect(await roles()).to.deep.equal(['reader', 'service']);
    });
  });

  describe('GET /v3/role_inferences', () => {
    it('lists the roles that each role implies directly', async () => {
      const reply = await ask(world, 'GET', '/v3/role_inferences');
      const rules = reply.body.role_inferences.map(
        (one: { prior_role: { name: string }; implies: { name: string }[] }) => [
          one.prior_role.name,
          ...one.implies.map((role) => role.name),
        ],
      );
      expect(rules).to.deep.equal([
        ['admin', 'manager'],
        ['manager', 'member'],
        ['member', 'reader'],
      ]);
    });
  });

  const targets: Record<string, (actor: string) => string> = {
    'a project': (actor) => `/v3/projects/${ids.demoProject}/${actor}/roles`,
    'a domain': (actor) => `/v3/domains/default/${actor}/roles`,
    'the system': (actor) => `/v3/system/${actor}/roles`,
  };
  for (const [target, path] of Object.entries(targets)) {
    describe(`grants on ${target}`, () => {
      it('are created, checked, listed and deleted for users and groups', async () => {
        const user = (await make(world, 'user', { name: 'eva' })).id;
        const group = (await make(world, 'group', { name: 'team' })).id;
        for (const actor of [`users/${user}`, `groups/${group}`]) {
          const grant = `${path(actor)}/${ids.role('member')}`;
          expect((await ask(world, 'GET', grant)).status).to.equal(404);
          expect((await ask(world, 'PUT', grant)).status).to.equal(204);
          expect((await ask(world, 'PUT', grant)).status).to.equal(204);
          expect((await ask(world, 'GET', grant)).status).to.equal(204);
          expect((await ask(world, 'HEAD', grant)).status).to.equal(204);
          expect(
            (await ask(world, 'GET', path(actor))).body.roles.map(
              (role: { name: string }) => role.name,
            ),
          ).to.deep.equal(['member']);
          expect((await ask(world, 'DELETE', grant)).status).to.equal(204);
          const gone = await ask(world, 'DELETE', grant);
          expect(gone.status).to.equal(404);
          expect(message(gone)).to.match(/^Could not find role assignment with role: /);
        }
      });

      it('return 404 for an unknown role, user or group', async () => {
        expect((await ask(world, 'PUT', `${path(`users/${ids.demo}`)}/nope`)).status).to.equal(404);
        expect(
          (await ask(world, 'PUT', `${path('users/nope')}/${ids.role('member')}`)).status,
        ).to.equal(404);
        expect(
          (await ask(world, 'PUT', `${path('groups/nope')}/${ids.role('member')}`)).status,
        ).to.equal(404);
      });

      it('return 403 without the role admin', async () => {
        const token = await signIn(world, { name: 'demo' });
        expect(
          (await ask(world, 'PUT', `${path(`users/${ids.demo}`)}/${ids.role('admin')}`, { token }))
            .status,
        ).to.equal(403);
        expect((await ask(world, 'GET', path(`users/${ids.demo}`), { token })).status).to.equal(
          403,
        );
      });
    });
  }

  describe('grants', () => {
    it('are rejected for a role of another domain', async () => {
      const domain = await make(world, 'domain', { name: 'other' });
      const local = await make(world, 'role', { name: 'local', domain_id: domain.id });
      expect(
        (
          await ask(
            world,
            'PUT',
            `/v3/projects/${ids.demoProject}/users/${ids.demo}/roles/${local.id}`,
          )
        ).status,
      ).to.equal(403);
      expect(
        (await ask(world, 'PUT', `/v3/system/users/${ids.demo}/roles/${local.id}`)).status,
      ).to.equal(400);
      const project = await make(world, 'project', { name: 'p', domain_id: domain.id });
      expect(
        (await ask(world, 'PUT', `/v3/projects/${project.id}/users/${ids.demo}/roles/${local.id}`))
          .status,
      ).to.equal(204);
    });

    it('can be created by managers of the domain, except for the role admin', async () => {
      const manager = await makeUser(world, 'boss');
      await ask(world, 'PUT', `/v3/domains/default/users/${manager}/roles/${ids.role('manager')}`);
      const token = await signIn(world, {
        name: 'boss',
        password: 'pw',
        scope: onDomain('default'),
      });
      const put = (role: string) =>
        ask(
          world,
          'PUT',
          `/v3/projects/${ids.demoProject}/users/${ids.demo}/roles/${ids.role(role)}`,
          { token },
        );
      expect((await put('reader')).status).to.equal(204);
      expect((await put('admin')).status).to.equal(403);
    });

    it('that are inherited apply to child projects and not to the project itself', async () => {
      const child = await make(world, 'project', { name: 'child', parent_id: ids.adminProject });
      const user = await makeUser(world, 'eva');
      const roles = `/v3/OS-INHERIT/projects/${ids.adminProject}/users/${user}/roles`;
      const grant = `${roles}/${ids.role('member')}/inherited_to_projects`;
      expect((await ask(world, 'PUT', grant)).status).to.equal(204);
      expect((await ask(world, 'HEAD', grant)).status).to.equal(204);
      await signIn(world, { name: 'eva', password: 'pw', scope: { project: { id: child.id } } });
      const above = await world.ask('identity', 'POST', '/identity/v3/auth/tokens', {
        token: null,
        body: {
          auth: {
            identity: { methods: ['password'], password: { user: { id: user, password: 'pw' } } },
            scope: { project: { id: ids.adminProject } },
          },
        },
      });
      expect(above.status).to.equal(401);
      expect(
        (await ask(world, 'GET', `/v3/projects/${ids.adminProject}/users/${user}/roles`)).body
          .roles,
      ).to.deep.equal([]);
      expect((await ask(world, 'DELETE', grant)).status).to.equal(204);
    });

    it('that are inherited from a domain apply to all its projects', async () => {
      const path = `/v3/OS-INHERIT/domains/default/users/${ids.demo}/roles`;
      await ask(world, 'PUT', `${path}/${ids.role('reader')}/inherited_to_projects`);
      const list = await ask(world, 'GET', `${path}/inherited_to_projects`);
      expect(list.body.roles.map((role: { name: string }) => role.name)).to.deep.equal(['reader']);
      await signIn(world, { name: 'demo', scope: onProject('service') });
    });

    it('can be deleted for a group or user that no longer exists', async () => {
      const reply = await ask(
        world,
        'DELETE',
        `/v3/projects/${ids.demoProject}/groups/gone/roles/${ids.role('member')}`,
      );
      expect(message(reply)).to.match(/^Could not find role assignment/);
    });
  });

  describe('GET /v3/role_assignments', () => {
    const list = async (query: string): Promise<Assignment[]> => {
      const reply = await ask(world, 'GET', `/v3/role_assignments?${query}`);
      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      return reply.body.role_assignments;
    };

    it('lists and filters assignments, with links to the grants', async () => {
      const all = await list('');
      expect(all).to.have.length(5);
      const system = all.find((one) => one.scope.system)!;
      expect(system.links['assignment']).to.match(
        new RegExp(`/v3/system/users/${ids.admin}/roles/${ids.role('admin')}$`),
      );
      expect(system.role).to.deep.equal({ id: ids.role('admin') });
      expect((await list('scope.system=all')).length).to.equal(1);
      expect((await list(`user.id=${ids.demo}`)).length).to.equal(1);
      expect(
        (await list(`role.id=${ids.role('admin')}&scope.project.id=${ids.demoProject}`)).length,
      ).to.equal(1);
      expect((await list('scope.domain.id=default')).length).to.equal(1);
    });

    it('adds names with include_names', async () => {
      const [one] = await list(`user.id=${ids.demo}&include_names`);
      expect(one!.user).to.deep.equal({
        id: ids.demo,
        name: 'demo',
        domain: { id: 'default', name: 'Default' },
      });
      expect(one!.role).to.deep.equal({ id: ids.role('member'), name: 'member' });
      expect(one!.scope.project).to.deep.equal({
        id: ids.demoProject,
        name: 'demo',
        domain: { id: 'default', name: 'Default' },
      });
    });

    it('resolves groups, inheritance and implied roles with effective', async () => {
      const child = await make(world, 'project', { name: 'child', parent_id: ids.adminProject });
      const group = await make(world, 'group', { name: 'team' });
      await ask(world, 'PUT', `/v3/groups/${group.id}/users/${ids.demo}`);
      const roles = `OS-INHERIT/projects/${ids.adminProject}/groups/${group.id}/roles`;
      const grant = `${roles}/${ids.role('member')}/inherited_to_projects`;
      await ask(world, 'PUT', `/v3/${grant}`);
      const direct = await list(`group.id=${group.id}`);
      expect(direct[0]!.scope['OS-INHERIT:inherited_to']).to.equal('projects');
      const effective = await list(`user.id=${ids.demo}&effective&scope.project.id=${child.id}`);
      expect(effective.map((one) => one.role.id)).to.deep.equal([
        ids.role('member'),
        ids.role('reader'),
      ]);
      const [member, reader] = effective as [Assignment, Assignment];
      expect(member.user).to.deep.equal({ id: ids.demo });
      expect(member.links['assignment']).to.match(new RegExp(`/v3/${grant}$`));
      expect(member.links['membership']).to.match(
        new RegExp(`/v3/groups/${group.id}/users/${ids.demo}$`),
      );
      expect(reader.links['prior_role']).to.be.a('string');
      const inherited = await list('effective&scope.OS-INHERIT:inherited_to=projects');
      expect(inherited).to.have.length(2);
      // The filter ignores assignments on the system, as upstream.
      expect(
        (await list('scope.OS-INHERIT:inherited_to=projects')).map(
          (one) => Object.keys(one.scope).length,
        ),
      ).to.have.members([1, 2]);
    });

    it('includes child projects with include_subtree', async () => {
      const child = await make(world, 'project', { name: 'child', parent_id: ids.adminProject });
      await ask(
        world,
        'PUT',
        `/v3/projects/${child.id}/users/${ids.demo}/roles/${ids.role('reader')}`,
      );
      expect(await list(`scope.project.id=${ids.adminProject}`)).to.have.length(1);
      expect(await list(`scope.project.id=${ids.adminProject}&include_subtree`)).to.have.length(2);
    });

    it('returns 400 for filters that contradict each other', async () => {
      const cases: Record<string, string> = {
        'scope.domain.id=default&scope.project.id=x': 'Specify a domain or project, not both',
        'scope.domain.id=default&scope.system=all': 'Specify system or domain, not both',
        'scope.project.id=x&scope.system=all': 'Specify system or project, not both',
        'user.id=x&group.id=y': 'Specify a user or group, not both',
        'effective&group.id=y':
          'Combining effective and group filter will always result in an empty list.',
        include_subtree: 'scope.project.id must be specified if include_subtree is also specified',
      };
      for (const [query, text] of Object.entries(cases)) {
        const reply = await ask(world, 'GET', `/v3/role_assignments?${query}`);
        expect(reply.status, query).to.equal(400);
        expect(message(reply)).to.equal(text);
      }
    });

    it('lists only the assignments on the domain of a domain-scoped token', async () => {
      const other = await make(world, 'domain', { name: 'other' });
      await ask(
        world,
        'PUT',
        `/v3/domains/${other.id}/users/${ids.demo}/roles/${ids.role('reader')}`,
      );
      const token = await signIn(world, { name: 'demo', scope: onDomain(other.id) });
      const reply = await ask(world, 'GET', '/v3/role_assignments', { token });
      expect(reply.body.role_assignments).to.have.length(1);
      await ask(world, 'PUT', `/v3/system/users/${ids.demo}/roles/${ids.role('reader')}`);
      const system = await signIn(world, { name: 'demo', scope: onSystem });
      expect(
        (await ask(world, 'GET', '/v3/role_assignments', { token: system })).body.role_assignments,
      ).to.have.length(7);
      expect((await ask(world, 'HEAD', '/v3/role_assignments', { token: system })).status).to.equal(
        200,
      );
    });
  });
});
