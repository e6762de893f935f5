// Registered limits and limits.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, makeUser, message, onDomain, onProject, signIn } from '../support.ts';

onEachDatabase('identity: limits', {}, (world) => {
  let service: string;
  beforeEach(async () => {
    service = (await make(world, 'service', { type: 'test', name: 'test' })).id;
  });
  const register = (more: object = {}) =>
    ask(world, 'POST', '/v3/registered_limits', {
      body: {
        registered_limits: [
          { service_id: service, resource_name: 'cores', default_limit: 10, ...more },
        ],
      },
    });
  const limit = (more: object = {}) =>
    ask(world, 'POST', '/v3/limits', {
      body: {
        limits: [{ service_id: service, resource_name: 'cores', resource_limit: 5, ...more }],
      },
    });

  it('PATCH and DELETE of an unknown limit return 404 without the role admin', async () => {
    const token = await signIn(world, { name: 'demo' });
    const body = { limit: { resource_limit: 1 } };
    expect((await ask(world, 'PATCH', '/v3/limits/nope', { token, body })).status).to.equal(404);
    expect((await ask(world, 'DELETE', '/v3/limits/nope', { token })).status).to.equal(404);
    expect((await ask(world, 'GET', '/v3/limits/nope', { token })).status).to.equal(403);
  });

  it('PATCH and DELETE of a limit return 403 without the role admin', async () => {
    await register();
    const { id } = (await limit({ project_id: ids.demoProject })).body.limits[0] as { id: string };
    const token = await signIn(world, { name: 'demo' });
    const body = { limit: { resource_limit: 1 } };
    expect((await ask(world, 'PATCH', `/v3/limits/${id}`, { token, body })).status).to.equal(403);
    expect((await ask(world, 'DELETE', `/v3/limits/${id}`, { token })).status).to.equal(403);
  });

  describe('/v3/registered_limits', () => {
    it('creates, shows, lists, updates and deletes a registered limit', async () => {
      const reply = await register({ region_id: 'RegionOne', description: 'd' });
      expect(reply.status).to.equal(201);
      expect(reply.body).to.have.all.keys('registered_limits');
      const [made] = reply.body.registered_limits;
      expect(made).to.include({
        service_id: service,
        region_id: 'RegionOne',
        default_limit: 10,
        description: 'd',
      });
      const one = `/v3/registered_limits/${made.id}`;
      expect((await ask(world, 'GET', one)).body.registered_limit).to.deep.equal(made);
      expect(
        (await ask(world, 'GET', '/v3/registered_limits?resource_name=ram')).body.registered_limits,
      ).to.deep.equal([]);
      expect(message(await ask(world, 'GET', '/v3/registered_limits?service_id=x'))).to.equal(
        "Invalid input for field/attribute service_id. Value: x. 'x' is not a 'uuid'",
      );
      const changed = await ask(world, 'PATCH', one, {
        body: { registered_limit: { default_limit: -1, region_id: null } },
      });
      expect(changed.body.registered_limit).to.include({
        default_limit: -1,
        region_id: null,
        resource_name: 'cores',
      });
      expect((await ask(world, 'DELETE', one)).status).to.equal(204);
      expect(message(await ask(world, 'GET', one))).to.equal(
        `Could not find registered limit for ${made.id}.`,
      );
    });

    it('returns 409 for a duplicate, and 400 for an unknown service or region', async () => {
      await register();
      const again = await register();
      expect(again.status).to.equal(409);
      expect(message(again)).to.equal(
        'Conflict occurred attempting to store registered_limit - Duplicate entry.',
      );
      expect(message(await register({ service_id: '0'.repeat(32) }))).to.match(
        /^Expecting to find service_id in registered_limit\./,
      );
      expect(message(await register({ region_id: 'x' }))).to.match(
        /^Expecting to find region_id in registered_limit\./,
      );
      expect((await register({ region_id: 'RegionOne' })).status).to.equal(201);
    });

    it('returns 403 for changes while limits depend on the registered limit', async () => {
      const [{ id }] = (await register()).body.registered_limits;
      const [{ id: used }] = (await limit({ project_id: ids.demoProject })).body.limits;
      const why =
        `Unable to update or delete registered limit ${id} because there are project ` +
        'limits associated with it.';
      const one = `/v3/registered_limits/${id}`;
      expect(
        message(
          await ask(world, 'PATCH', one, { body: { registered_limit: { default_limit: 1 } } }),
        ),
      ).to.equal(why);
      expect(message(await ask(world, 'DELETE', one))).to.equal(why);
      await ask(world, 'DELETE', `/v3/limits/${used}`);
      expect((await ask(world, 'DELETE', one)).status).to.equal(204);
    });
  });

  describe('/v3/limits', () => {
    it('returns 403 without a registered limit', async () => {
      expect(message(await limit({ project_id: ids.demoProject }))).to.equal(
        'Unable to create a limit that has no corresponding registered limit.',
      );
    });

    it('creates a limit of a project or a domain, and returns 409 for a duplicate', async () => {
      await register();
      const [made] = (await limit({ project_id: ids.demoProject, description: 'd' })).body.limits;
      expect(made).to.include({
        project_id: ids.demoProject,
        domain_id: null,
        resource_limit: 5,
        region_id: null,
        description: 'd',
      });
      expect(message(await limit({ project_id: ids.demoProject }))).to.equal(
        'Conflict occurred attempting to store limit - Duplicate entry.',
      );
      expect((await limit({ project_id: 'default' })).body.limits[0]).to.include({
        project_id: null,
        domain_id: 'default',
      });
      expect((await limit({ domain_id: 'default' })).status).to.equal(409);
    });

    it('returns 400 for an unknown owner, and without exactly one owner', async () => {
      await register();
      expect(message(await limit({ project_id: 'x' }))).to.match(
        /^Expecting to find project_id in limit\./,
      );
      expect(message(await limit({ domain_id: ids.demoProject }))).to.match(
        /^Expecting to find domain_id in limit\./,
      );
      expect((await limit({})).status).to.equal(400);
      expect((await limit({ project_id: ids.demoProject, domain_id: 'default' })).status).to.equal(
        400,
      );
    });

    it('updates, lists and deletes a limit', async () => {
      await register();
      const [made] = (await limit({ project_id: ids.demoProject, description: 'd' })).body.limits;
      const one = `/v3/limits/${made.id}`;
      const change = async (fields: object) =>
        (await ask(world, 'PATCH', one, { body: { limit: fields } })).body.limit;
      expect(await change({ resource_limit: 7 })).to.include({
        resource_limit: 7,
        description: 'd',
      });
      expect(await change({ resource_limit: 0, description: null })).to.include({
        resource_limit: 7,
        description: 'd',
      });
      expect(
        (await ask(world, 'GET', `/v3/limits?project_id=${ids.demoProject}`)).body.limits,
      ).to.have.length(1);
      expect((await ask(world, 'DELETE', one)).status).to.equal(204);
      expect(message(await ask(world, 'GET', one))).to.equal(
        `Could not find limit for ${made.id}.`,
      );
    });

    it("lists the limits of the token's project or domain", async () => {
      await register();
      const [{ id }] = (await limit({ project_id: ids.demoProject })).body.limits;
      const [{ id: other }] = (await limit({ project_id: ids.adminProject })).body.limits;
      const eva = await makeUser(world, 'eva', 'member');
      await ask(world, 'PUT', `/v3/domains/default/users/${eva}/roles/${ids.role('member')}`);
      const seen = async (scope: unknown) => {
        const token = await signIn(world, { name: 'eva', password: 'pw', scope });
        const all = (await ask(world, 'GET', '/v3/limits', { token })).body.limits.map(
          (one: { id: string }) => one.id,
        );
        return [all, (await ask(world, 'GET', `/v3/limits/${other}`, { token })).status] as unknown;
      };
      expect(await seen(onProject('demo'))).to.deep.equal([[id], 403]);
      expect(await seen(onDomain('default'))).to.deep.equal([[id, other].toSorted(), 200]);
      expect(await seen(null)).to.deep.equal([[], 403]);
      const token = await signIn(world, { name: 'eva', password: 'pw', scope: null });
      expect((await ask(world, 'GET', '/v3/limits/model', { token })).body.model.name).to.equal(
        'flat',
      );
    });

    it('deletes limits with their project', async () => {
      await register();
      const project = await make(world, 'project', { name: 'p' });
      const [{ id }] = (await limit({ project_id: project.id })).body.limits;
      await ask(world, 'DELETE', `/v3/projects/${project.id}`);
      expect((await ask(world, 'GET', `/v3/limits/${id}`)).status).to.equal(404);
    });
  });
});
