// Domains, which contain projects, users and groups.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, message, onDomain, onProject, signIn } from '../support.ts';

onEachDatabase('identity: domains', {}, (world) => {
  const patch = (id: string, domain: object) =>
    ask(world, 'PATCH', `/v3/domains/${id}`, { body: { domain } });

  describe('POST /v3/domains', () => {
    it('creates a domain, optionally with a given id', async () => {
      const domain = await make(world, 'domain', {
        name: 'Ünï',
        explicit_domain_id: '0123456789abcdef0123456789abcdef',
        x: 1,
      });
      expect(domain).to.include({
        id: '0123456789abcdef0123456789abcdef',
        name: 'Ünï',
        enabled: true,
        description: '',
        x: 1,
      });
    });

    it('returns 400 for an invalid id', async () => {
      const bad = await ask(world, 'POST', '/v3/domains', {
        body: { domain: { name: 'y', explicit_domain_id: 'y' } },
      });
      expect(message(bad)).to.equal('Domain ID does not conform to required UUID format.');
    });

    it('returns 409 for a duplicate name', async () => {
      const again = await ask(world, 'POST', '/v3/domains', {
        body: { domain: { name: 'Default' } },
      });
      expect(again.status).to.equal(409);
      expect(message(again)).to.contain(
        'it is not permitted to have two projects acting as domains with the same name: Default',
      );
    });

    it('returns 400 for the reserved name', async () => {
      expect(
        (await ask(world, 'POST', '/v3/domains', { body: { domain: { name: 'Federated' } } }))
          .status,
      ).to.equal(400);
    });
  });

  describe('GET /v3/domains', () => {
    it('filters by name and enabled', async () => {
      const list = await ask(world, 'GET', '/v3/domains?name=Default');
      expect(list.body.domains).to.have.length(1);
      expect(list.body.domains[0]).to.include({ id: 'default', name: 'Default', enabled: true });
      expect((await ask(world, 'GET', '/v3/domains?enabled=0')).body.domains).to.deep.equal([]);
    });

    it('shows their domain to members, and returns 403 for the list', async () => {
      const token = await signIn(world, { name: 'demo' });
      expect((await ask(world, 'GET', '/v3/domains/default', { token })).status).to.equal(200);
      expect((await ask(world, 'GET', '/v3/domains', { token })).status).to.equal(403);
    });

    it('returns 404 for the id of a project', async () => {
      expect(message(await ask(world, 'GET', `/v3/domains/${ids.demoProject}`))).to.equal(
        `Could not find domain: ${ids.demoProject}.`,
      );
    });
  });

  describe('PATCH and DELETE /v3/domains/{domain_id}', () => {
    it('return 403 without the role admin, and 404 for an unknown domain', async () => {
      const token = await signIn(world, { name: 'demo' });
      const status = async (method: string, id: string): Promise<number> => {
        const body = method === 'PATCH' ? { body: { domain: { name: 'x' } } } : {};
        return (await ask(world, method, `/v3/domains/${id}`, { token, ...body })).status;
      };
      for (const method of ['PATCH', 'DELETE']) {
        expect(await status(method, 'default'), method).to.equal(403);
        expect(await status(method, 'nope'), method).to.equal(404);
        expect(await status(method, ids.demoProject), method).to.equal(404);
      }
      expect(await status('GET', 'nope')).to.equal(403);
    });
  });

  describe('DELETE /v3/domains/{domain_id}', () => {
    it('deletes a disabled domain with all its resources', async () => {
      const { id } = await make(world, 'domain', { name: 'other' });
      const project = await make(world, 'project', { name: 'p', domain_id: id });
      const child = await make(world, 'project', {
        name: 'c',
        domain_id: id,
        parent_id: project.id,
      });
      const user = await make(world, 'user', { name: 'u', domain_id: id });
      const group = await make(world, 'group', { name: 'g', domain_id: id });
      const role = await make(world, 'role', { name: 'r', domain_id: id });
      const enabled = await ask(world, 'DELETE', `/v3/domains/${id}`);
      expect(enabled.status).to.equal(403);
      expect(message(enabled)).to.equal(
        'Cannot delete a domain that is enabled, please disable it first.',
      );
      expect((await patch(id, { enabled: false })).body.domain.enabled).to.equal(false);
      expect((await ask(world, 'DELETE', `/v3/domains/${id}`)).status).to.equal(204);
      for (const path of [
        `domains/${id}`,
        `projects/${project.id}`,
        `projects/${child.id}`,
        `users/${user.id}`,
        `groups/${group.id}`,
        `roles/${role.id}`,
      ]) {
        expect((await ask(world, 'GET', `/v3/${path}`)).status, path).to.equal(404);
      }
    });
  });

  describe('GET /v3/auth/domains', () => {
    it('lists the domains on which the user has a role', async () => {
      const token = await signIn(world, { name: 'demo', scope: onProject('demo') });
      expect((await ask(world, 'GET', '/v3/auth/domains', { token })).body.domains).to.deep.equal(
        [],
      );
      await ask(world, 'PUT', `/v3/domains/default/users/${ids.demo}/roles/${ids.role('member')}`);
      expect((await ask(world, 'GET', '/v3/auth/domains', { token })).body.domains[0].id).to.equal(
        'default',
      );
    });

    it('returns 403 for the catalog of a domain-scoped token, and lists the system', async () => {
      const scoped = await signIn(world, { scope: onDomain('default') });
      expect((await ask(world, 'GET', '/v3/auth/catalog', { token: scoped })).status).to.equal(403);
      expect(
        (await ask(world, 'GET', '/v3/auth/system', { token: scoped })).body.system,
      ).to.deep.equal([{ all: true }]);
    });
  });
});
