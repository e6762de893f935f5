// Tests of the catalogs in a cloud with a profile: tenants see the central region only.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { threePods } from '../gateway/support.ts';
import { ask, ids, make, onProject, signIn, signInReply } from '../identity/support.ts';

const withKeystone = { ...threePods, auth: 'keystone' } as const;
const allRegions = withKeystone.regions!;

onEachDatabase('tricircle: catalogs of a profile', withKeystone, (world) => {
  interface Token {
    readonly catalog: { readonly endpoints: { readonly region_id: string }[] }[];
  }

  /** The regions in the catalog of a user's token for a project. */
  const regionsFor = async (name: string, project = name): Promise<string[]> => {
    const reply = await signInReply(world, { name, scope: onProject(project) }).expect(201);
    const { catalog } = (reply.body as { token: Token }).token;
    return [
      ...new Set(catalog.flatMap(({ endpoints }) => endpoints.map((one) => one.region_id))),
    ].toSorted();
  };

  /** Creates a project on which admin has a role. */
  const makeProject = async (name: string): Promise<void> => {
    const { id } = await make(world, 'project', { name });
    await ask(world, 'PUT', `/v3/projects/${id}/users/${ids.admin}/roles/${ids.role('member')}`);
  };

  const settings = '/_emulator/identity/settings';

  it('show a tenant the central region only #tricircle-3', async () => {
    expect(await regionsFor('demo')).to.deep.equal(['CentralRegion']);
  });

  it('show the project admin all regions', async () => {
    expect(await regionsFor('admin')).to.have.members(allRegions);
  });

  it('show a project that is created later the central region only', async () => {
    await makeProject('later');
    expect(await regionsFor('admin', 'later')).to.deep.equal(['CentralRegion']);
  });

  it('show all regions if the administrator removes the endpoint group of a project', async () => {
    const { body } = await world.ask('emulator', 'GET', settings).expect(200);
    const group = (body as { default_endpoint_group: string }).default_endpoint_group;
    const path = `/v3/OS-EP-FILTER/endpoint_groups/${group}/projects/${ids.demoProject}`;
    expect((await ask(world, 'DELETE', path)).status).to.equal(204);
    expect(await regionsFor('demo')).to.have.members(allRegions);
  });

  it('show a new project all regions without a default endpoint group', async () => {
    const body = { default_endpoint_group: null };
    await world.ask('emulator', 'PUT', settings, { body }).expect(200);
    await makeProject('later');
    expect(await regionsFor('admin', 'later')).to.have.members(allRegions);
  });

  it('show a new project all regions after the default endpoint group was deleted', async () => {
    const { endpoint_groups: groups } = (
      await ask(world, 'GET', '/v3/OS-EP-FILTER/endpoint_groups?name=CentralRegion')
    ).body as { endpoint_groups: { id: string }[] };
    await ask(world, 'DELETE', `/v3/OS-EP-FILTER/endpoint_groups/${groups[0]!.id}`);
    await makeProject('later');
    expect(await regionsFor('admin', 'later')).to.have.members(allRegions);
  });

  for (const service of ['identity', 'tricircle'])
    it(`show a tenant the central region only after a reset of ${service}`, async () => {
      await world.ask('emulator', 'POST', '/_emulator/reset', { body: { service } }).expect(204);
      expect(await regionsFor('demo')).to.deep.equal(['CentralRegion']);
    });

  it("do not prevent a tenant's request to the URL of a pod", async () => {
    const token = await signIn(world, { name: 'demo' });
    await world.ask('compute', 'GET', '/Pod2/compute/v2.1/servers', { token }).expect(200);
  });
});
