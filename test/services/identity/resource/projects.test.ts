// Projects, their tags and their hierarchy.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, message, signIn } from '../support.ts';

onEachDatabase('identity: projects', {}, (world) => {
  const patch = (id: string, project: object) =>
    ask(world, 'PATCH', `/v3/projects/${id}`, { body: { project } });

  describe('POST /v3/projects', () => {
    it('creates a top-level project in the domain', async () => {
      const reply = await ask(world, 'POST', '/v3/projects', {
        body: { project: { name: '项目 \'x\' "y"', tags: ['b', 'a'], more: true } },
      });
      expect(reply.status).to.equal(201);
      const { id, links, ...project } = reply.body.project;
      expect(links.self).to.contain(`/v3/projects/${id}`);
      expect(project).to.deep.equal({
        name: '项目 \'x\' "y"',
        domain_id: 'default',
        parent_id: 'default',
        is_domain: false,
        enabled: true,
        description: '',
        tags: ['b', 'a'],
        options: {},
        more: true,
      });
    });

    it('returns 409 for a duplicate name in the domain', async () => {
      const reply = await ask(world, 'POST', '/v3/projects', {
        body: { project: { name: 'demo' } },
      });
      expect(reply.status).to.equal(409);
      expect(message(reply)).to.match(
        /^Conflict occurred attempting to store project - it is not permitted to have two projects with either the same name or same id in the same domain: name is demo, project id [0-9a-f]{32}\.$/,
      );
    });

    it('returns 400 for an unknown, foreign or disabled parent', async () => {
      const other = await make(world, 'domain', { name: 'other' });
      const post = async (project: object) => {
        const reply = await ask(world, 'POST', '/v3/projects', {
          body: { project: { name: 'x', ...project } },
        });
        expect(reply.status).to.equal(400);
        return message(reply);
      };
      expect(await post({ domain_id: 'nope' })).to.equal('Could not find domain: nope.');
      expect(await post({ parent_id: 'nope' })).to.equal('Could not find project: nope.');
      expect(await post({ parent_id: other.id })).to.contain('is acting as a domain');
      expect(await post({ parent_id: ids.demoProject, domain_id: other.id })).to.contain(
        'a parent in a different domain (default)',
      );
      await patch(ids.demoProject, { enabled: false });
      expect(await post({ parent_id: ids.demoProject })).to.equal(
        `cannot create a project in a branch containing a disabled project: ${ids.demoProject}`,
      );
    });

    it('returns 403 for a hierarchy that is too deep', async () => {
      let parent = ids.demoProject;
      for (const name of ['2', '3', '4', '5'])
        parent = (await make(world, 'project', { name, parent_id: parent })).id;
      const reply = await ask(world, 'POST', '/v3/projects', {
        body: { project: { name: '6', parent_id: parent } },
      });
      expect(reply.status).to.equal(403);
      expect(message(reply)).to.equal(`Max hierarchy depth reached for ${parent} branch.`);
    });

    it('creates a domain with is_domain', async () => {
      const project = await make(world, 'project', { name: 'dom', is_domain: true });
      expect(project).to.include({ domain_id: null, parent_id: null, is_domain: true });
      expect((await ask(world, 'GET', `/v3/domains/${project.id}`)).body.domain.name).to.equal(
        'dom',
      );
    });
  });

  describe('GET /v3/projects', () => {
    it('filters projects, and omits domains without is_domain', async () => {
      const child = await make(world, 'project', {
        name: 'child',
        parent_id: ids.demoProject,
        enabled: false,
      });
      const names = async (query: string) =>
        (await ask(world, 'GET', `/v3/projects?${query}`)).body.projects.map(
          (one: { name: string }) => one.name,
        );
      expect(await names('')).to.have.members(['admin', 'demo', 'service', 'child']);
      expect(await names('is_domain=1')).to.deep.equal(['Default']);
      expect(await names(`parent_id=${ids.demoProject}`)).to.deep.equal(['child']);
      expect(await names('enabled=false')).to.deep.equal(['child']);
      expect(await names('name=demo&domain_id=default')).to.deep.equal(['demo']);
      expect(child.name).to.equal('child');
    });

    it('filters by tags, tags-any, not-tags and not-tags-any', async () => {
      await make(world, 'project', { name: 'ab', tags: ['a', 'b'] });
      await make(world, 'project', { name: 'b', tags: ['b'] });
      const names = async (query: string) =>
        (await ask(world, 'GET', `/v3/projects?${query}`)).body.projects
          .map((one: { name: string }) => one.name)
          .filter((name: string) => name.length < 3);
      expect(await names('tags=a,b')).to.deep.equal(['ab']);
      expect(await names('tags-any=a,b')).to.deep.equal(['ab', 'b']);
      expect(await names('not-tags=a,b')).to.deep.equal(['b']);
      expect(await names('not-tags-any=a')).to.deep.equal(['b']);
    });
  });

  describe('GET /v3/projects/{project_id}', () => {
    it("includes relatives as ids, and as lists with the caller's projects only", async () => {
      const child = await make(world, 'project', { name: 'child', parent_id: ids.demoProject });
      const grandchild = await make(world, 'project', { name: 'grandchild', parent_id: child.id });
      const show = async (id: string, query: string) =>
        (await ask(world, 'GET', `/v3/projects/${id}?${query}`)).body.project;
      expect((await show(grandchild.id, 'parents_as_ids')).parents).to.deep.equal({
        [child.id]: { [ids.demoProject]: { default: null } },
      });
      expect((await show(ids.demoProject, 'subtree_as_ids=1')).subtree).to.deep.equal({
        [child.id]: { [grandchild.id]: null },
      });
      expect((await show(grandchild.id, 'subtree_as_ids')).subtree).to.equal(null);
      expect(
        (await show(child.id, 'parents_as_list')).parents.map(
          (one: { project: { name: string } }) => one.project.name,
        ),
      ).to.deep.equal(['demo']);
      expect((await show(ids.demoProject, 'subtree_as_list')).subtree).to.deep.equal([]);
      expect(await show(child.id, 'parents_as_list=0')).not.to.have.property('parents');
      const both = await ask(
        world,
        'GET',
        `/v3/projects/${child.id}?parents_as_list&parents_as_ids`,
      );
      expect(message(both)).to.equal(
        'Cannot use parents_as_list and parents_as_ids query params at the same time.',
      );
    });

    it('returns 403 for a project on which the user has no role', async () => {
      const token = await signIn(world, { name: 'demo' });
      expect(
        (await ask(world, 'GET', `/v3/projects/${ids.demoProject}`, { token })).status,
      ).to.equal(200);
      expect(
        (await ask(world, 'GET', `/v3/projects/${ids.adminProject}`, { token })).status,
      ).to.equal(403);
    });

    it('returns 404 for an unknown project', async () => {
      expect(message(await ask(world, 'GET', '/v3/projects/nope'))).to.equal(
        'Could not find project: nope.',
      );
    });
  });

  describe('PATCH /v3/projects/{project_id}', () => {
    it('updates attributes', async () => {
      const reply = await patch(ids.demoProject, { name: 'renamed', description: null, note: 'n' });
      expect(reply.body.project).to.include({ name: 'renamed', description: null, note: 'n' });
    });

    it('returns an error for another parent or domain, and for a duplicate name', async () => {
      expect(message(await patch(ids.demoProject, { parent_id: 'x' }))).to.equal(
        'Update of `parent_id` is not allowed.',
      );
      expect(message(await patch(ids.demoProject, { is_domain: true }))).to.equal(
        'Update of `is_domain` is not allowed.',
      );
      expect(message(await patch(ids.demoProject, { domain_id: 'x' }))).to.equal(
        'Cannot change Domain ID',
      );
      expect((await patch(ids.demoProject, { name: 'admin' })).status).to.equal(409);
    });

    it('returns an error if a project would be enabled below a disabled one', async () => {
      const child = await make(world, 'project', { name: 'child', parent_id: ids.demoProject });
      expect(message(await patch(ids.demoProject, { enabled: false }))).to.equal(
        `Cannot disable project ${ids.demoProject} since its subtree contains enabled projects.`,
      );
      await patch(child.id, { enabled: false });
      await patch(ids.demoProject, { enabled: false });
      expect(message(await patch(child.id, { enabled: true }))).to.equal(
        `Cannot enable project ${child.id} since it has disabled parents`,
      );
    });

    it('returns 403 for an immutable project until the option is removed', async () => {
      const { id } = await make(world, 'project', { name: 'fixed', options: { immutable: true } });
      const refused = await patch(id, { name: 'other' });
      expect(refused.status).to.equal(403);
      expect(message(refused)).to.contain('Unable to update immutable project resource');
      expect((await ask(world, 'DELETE', `/v3/projects/${id}`)).status).to.equal(403);
      expect((await ask(world, 'PUT', `/v3/projects/${id}/tags/x`)).status).to.equal(403);
      expect(
        (await patch(id, { options: { immutable: null } })).body.project.options,
      ).to.deep.equal({});
      expect((await patch(id, { name: 'other' })).status).to.equal(200);
    });
  });

  describe('DELETE /v3/projects/{project_id}', () => {
    it('deletes a leaf with its grants, and clears it as default project', async () => {
      const child = await make(world, 'project', { name: 'child', parent_id: ids.demoProject });
      expect(message(await ask(world, 'DELETE', `/v3/projects/${ids.demoProject}`))).to.contain(
        'since it is not a leaf in the hierarchy',
      );
      await ask(world, 'DELETE', `/v3/projects/${child.id}`);
      await ask(world, 'PATCH', `/v3/users/${ids.demo}`, {
        body: { user: { default_project_id: ids.demoProject } },
      });
      expect((await ask(world, 'DELETE', `/v3/projects/${ids.demoProject}`)).status).to.equal(204);
      expect(
        (await ask(world, 'GET', `/v3/role_assignments?scope.project.id=${ids.demoProject}`)).body
          .role_assignments,
      ).to.deep.equal([]);
      expect((await ask(world, 'GET', `/v3/users/${ids.demo}`)).body.user).not.to.have.property(
        'default_project_id',
      );
    });
  });

  describe('/v3/projects/{project_id}/tags', () => {
    it('lists, replaces, adds and removes tags', async () => {
      const tags = `/v3/projects/${ids.demoProject}/tags`;
      expect(
        (await ask(world, 'PUT', tags, { body: { tags: ['one', 'two'] } })).body.tags,
      ).to.deep.equal(['one', 'two']);
      const added = await ask(world, 'PUT', `${tags}/three%20%E5%90%8D`);
      expect(added.status).to.equal(201);
      expect(added.headers['location']).to.match(
        new RegExp(`/v3/${ids.demoProject}/tags/three%20`),
      );
      expect((await ask(world, 'GET', tags)).body.tags).to.deep.equal(['one', 'two', 'three 名']);
      expect((await ask(world, 'GET', `${tags}/two`)).status).to.equal(204);
      expect((await ask(world, 'HEAD', `${tags}/four`)).status).to.equal(404);
      expect((await ask(world, 'DELETE', `${tags}/two`)).status).to.equal(204);
      expect(message(await ask(world, 'DELETE', `${tags}/two`))).to.equal(
        'Could not find project tag: two.',
      );
      expect((await ask(world, 'DELETE', tags)).status).to.equal(204);
      expect((await ask(world, 'GET', tags)).body.tags).to.deep.equal([]);
    });

    it('returns 400 for an invalid tag, and for more than 80 tags', async () => {
      const tags = `/v3/projects/${ids.demoProject}/tags`;
      expect((await ask(world, 'PUT', tags, { body: { tags: ['a,b'] } })).status).to.equal(400);
      expect((await ask(world, 'PUT', `${tags}/a,b`)).status).to.equal(400);
      expect(
        (
          await ask(world, 'PUT', tags, {
            body: { tags: Array.from({ length: 81 }, (_, n) => `t${n}`) },
          })
        ).status,
      ).to.equal(400);
    });
  });
});
