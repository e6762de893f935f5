// Endpoint groups, and the endpoints that are associated with projects.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, makeUser, message, onProject, signIn, signInReply } from '../support.ts';

interface CatalogEntry {
  readonly type: string;
  readonly endpoints: readonly { readonly id: string; readonly interface: string }[];
}

onEachDatabase('identity: endpoint filters', {}, (world) => {
  const groups = '/v3/OS-EP-FILTER/endpoint_groups';
  const filter = '/v3/OS-EP-FILTER';
  const make1 = async (filters: object): Promise<string> =>
    (await ask(world, 'POST', groups, { body: { endpoint_group: { name: 'g', filters } } })).body
      .endpoint_group.id as string;
  const endpointOf = async (type: string, face: string) => {
    const [service] = (await ask(world, 'GET', `/v3/services?type=${type}`)).body.services;
    const [endpoint] = (
      await ask(world, 'GET', `/v3/endpoints?service_id=${service.id}&interface=${face}`)
    ).body.endpoints;
    return { service: service.id as string, endpoint: endpoint.id as string };
  };
  const catalog = async (): Promise<CatalogEntry[]> =>
    (await signInReply(world, { name: 'demo' })).body.token.catalog as CatalogEntry[];

  describe('/v3/OS-EP-FILTER/endpoint_groups', () => {
    it('creates, shows, updates, lists and deletes groups, and lists their endpoints', async () => {
      const body = {
        endpoint_group: { name: 'admins', description: 'd', filters: { interface: 'admin' } },
      };
      const { endpoint_group: group } = (await ask(world, 'POST', groups, { body })).body;
      expect(group).to.deep.include({
        name: 'admins',
        description: 'd',
        filters: { interface: 'admin' },
      });
      expect(group.links.self).to.match(
        new RegExp(`/v3/OS-EP-FILTER/endpoint_groups/${group.id}$`),
      );
      const one = `${groups}/${group.id}`;
      expect((await ask(world, 'GET', one)).body.endpoint_group).to.deep.equal(group);
      const { endpoints } = (await ask(world, 'GET', `${one}/endpoints`)).body;
      expect(
        endpoints.every((endpoint: { interface: string }) => endpoint.interface === 'admin'),
      ).to.equal(true);
      const changed = await ask(world, 'PATCH', one, {
        body: { endpoint_group: { name: 'all', filters: {} } },
      });
      expect(changed.body.endpoint_group).to.deep.include({
        name: 'all',
        description: 'd',
        filters: {},
      });
      expect((await ask(world, 'GET', `${groups}?name=all`)).body.endpoint_groups).to.have.length(
        1,
      );
      expect((await ask(world, 'GET', `${groups}?name=none`)).body.endpoint_groups).to.deep.equal(
        [],
      );
      expect(message(await ask(world, 'GET', `${groups}?other=x`))).to.contain(
        "'other' was unexpected",
      );
      expect((await ask(world, 'DELETE', one)).status).to.equal(204);
      expect(message(await ask(world, 'GET', one))).to.equal(
        `Could not find Endpoint Group: ${group.id}.`,
      );
    });

    it('returns 400 without filters, or for an unknown filter', async () => {
      const post = async (group?: object) =>
        message(await ask(world, 'POST', groups, { body: group ? { endpoint_group: group } : {} }));
      expect(await post()).to.equal('filters field is required and cannot be empty');
      expect(await post({ name: 'g', filters: {} })).to.equal(
        'filters field is required and cannot be empty',
      );
      expect(await post({ name: 'g' })).to.contain("'filters' is a required property");
      expect(await post({ name: 'g', filters: { enabled: true } })).to.match(
        /^Expecting to find service_id or region_id or interface/,
      );
    });
  });

  describe('associations with projects', () => {
    it("restrict the projects' catalogs to the associated endpoints and groups", async () => {
      const all = await catalog();
      expect(all.length).to.be.greaterThan(3);
      const compute = await endpointOf('compute', 'public');
      const path = `${filter}/projects/${ids.demoProject}/endpoints/${compute.endpoint}`;
      expect(message(await ask(world, 'GET', path))).to.equal(
        `Endpoint ${compute.endpoint} not found in project ${ids.demoProject}`,
      );
      expect((await ask(world, 'PUT', path)).status).to.equal(204);
      expect((await ask(world, 'GET', path)).status).to.equal(204);
      const again = await ask(world, 'PUT', path);
      expect(again.status).to.equal(409);
      expect(message(again)).to.equal(
        'Conflict occurred attempting to store project_endpoint - Duplicate entry.',
      );
      const given = await catalog();
      expect(
        given.map(({ type, endpoints }) => [type, endpoints.map((one) => one.interface)]),
      ).to.deep.equal([['compute', ['public']]]);
      const group = await make1({ service_id: (await endpointOf('image', 'public')).service });
      const toGroup = `${groups}/${group}/projects/${ids.demoProject}`;
      expect(message(await ask(world, 'GET', toGroup))).to.equal(
        'Endpoint Group Project Association not found',
      );
      expect((await ask(world, 'PUT', toGroup)).status).to.equal(204);
      expect((await ask(world, 'PUT', toGroup)).status).to.equal(409);
      expect((await ask(world, 'GET', toGroup)).body.project_endpoint_group).to.include({
        project_id: ids.demoProject,
      });
      expect((await catalog()).map(({ type }) => type)).to.have.members(['compute', 'image']);
      const listed = (await ask(world, 'GET', `${filter}/projects/${ids.demoProject}/endpoints`))
        .body.endpoints;
      expect(listed).to.have.length(4);
      const token = await signIn(world, { name: 'demo' });
      expect((await ask(world, 'GET', '/v3/auth/catalog', { token })).body.catalog).to.have.length(
        2,
      );
      for (const one of [path, toGroup]) {
        expect((await ask(world, 'DELETE', one)).status).to.equal(204);
        expect((await ask(world, 'DELETE', one)).status).to.equal(404);
      }
      expect(await catalog()).to.deep.equal(all);
    });

    it('are listed by endpoint, group or project, and deleted with the project', async () => {
      const project = await make(world, 'project', { name: 'p' });
      const { endpoint } = await endpointOf('compute', 'public');
      const group = await make1({ interface: 'admin' });
      await ask(world, 'PUT', `${filter}/projects/${project.id}/endpoints/${endpoint}`);
      await ask(world, 'PUT', `${groups}/${group}/projects/${project.id}`);
      const names = async (path: string) =>
        (await ask(world, 'GET', path)).body.projects.map(
          (one: { name: string }) => one.name,
        ) as string[];
      expect(await names(`${filter}/endpoints/${endpoint}/projects`)).to.deep.equal(['p']);
      expect(await names(`${groups}/${group}/projects`)).to.deep.equal(['p']);
      expect(
        (await ask(world, 'GET', `${filter}/projects/${project.id}/endpoint_groups`)).body
          .endpoint_groups,
      ).to.have.length(1);
      await ask(world, 'DELETE', `/v3/projects/${project.id}`);
      expect(await names(`${filter}/endpoints/${endpoint}/projects`)).to.deep.equal([]);
      expect(await names(`${groups}/${group}/projects`)).to.deep.equal([]);
    });

    it('return 404 for an unknown project', async () => {
      expect((await ask(world, 'GET', `${filter}/projects/x/endpoints`)).status).to.equal(404);
    });

    it('return 403 without the role admin', async () => {
      await makeUser(world, 'eva', 'member');
      const token = await signIn(world, { name: 'eva', password: 'pw', scope: onProject('demo') });
      expect((await ask(world, 'GET', groups, { token })).status).to.equal(403);
    });
  });
});
