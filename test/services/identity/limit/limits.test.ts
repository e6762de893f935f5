// Registered limits, limits, and the configuration of domains.
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
      const why = `Unable to update or delete registered limit ${id} because there are project limits associated with it.`;
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

  describe('/v3/domains/{domain_id}/config', () => {
    const invalid = 'Invalid domain specific configuration: ';
    let path: string;
    let missing: (what: string) => string;
    beforeEach(async () => {
      const { id } = await make(world, 'domain', { name: 'd' });
      path = `/v3/domains/${id}/config`;
      missing = (what) => `Could not find ${what} in domain configuration for domain ${id}.`;
    });
    const send = (method: string, place: string, config: unknown) =>
      ask(world, method, `${path}${place}`, { body: { config } });

    it('is created, replaced, updated and deleted, as a whole and in parts', async () => {
      expect(message(await ask(world, 'GET', path))).to.equal(missing('any options'));
      const first = await send('PUT', '', {
        ldap: { url: 'u', password: 'p' },
        identity: { driver: 'ldap' },
      });
      expect(first.status).to.equal(201);
      expect(first.body.config).to.deep.equal({ ldap: { url: 'u' }, identity: { driver: 'ldap' } });
      expect((await send('PUT', '', { ldap: { url: 'v' } })).status).to.equal(200);
      expect((await ask(world, 'GET', path)).body.config).to.deep.equal({ ldap: { url: 'v' } });
      expect((await send('PATCH', '', { ldap: { suffix: 's' } })).body.config).to.deep.equal({
        ldap: { url: 'v', suffix: 's' },
      });
      expect((await send('PATCH', '/ldap', { ldap: { url: 'w' } })).body.config.ldap.url).to.equal(
        'w',
      );
      expect((await send('PATCH', '/ldap/url', { url: 'x' })).body.config.ldap.url).to.equal('x');
      expect((await ask(world, 'GET', `${path}/ldap/url`)).body.config).to.deep.equal({ url: 'x' });
      expect(message(await send('PATCH', '/ldap/page_size', { page_size: 5 }))).to.equal(
        missing('option page_size in group ldap'),
      );
      expect((await ask(world, 'DELETE', `${path}/ldap/url`)).status).to.equal(204);
      expect(message(await ask(world, 'DELETE', `${path}/ldap/url`))).to.equal(
        missing('option url in group ldap'),
      );
      expect((await ask(world, 'DELETE', `${path}/ldap`)).status).to.equal(204);
      expect(message(await ask(world, 'DELETE', `${path}/ldap`))).to.equal(missing('group ldap'));
      expect((await ask(world, 'DELETE', path)).status).to.equal(204);
    });

    it('returns 403 for unsupported options, and for options other than those in the path', async () => {
      const refusal = async (place: string, config: unknown) =>
        message(await send('PATCH', place, config)).replace(invalid, '');
      await send('PUT', '', { ldap: { url: 'u' } });
      expect(await refusal('', {})).to.equal('No options specified.');
      expect(await refusal('', { ldap: 5 })).to.equal(
        'The value of group ldap specified in the config should be a dictionary of options.',
      );
      expect(await refusal('', { x: { url: 1 } })).to.equal(
        'Group x is not supported for domain specific configurations.',
      );
      expect(await refusal('', { ldap: { x: 1 } })).to.contain(
        'Option x in group ldap is not supported',
      );
      expect(await refusal('/ldap', { identity: { driver: 'x' } })).to.contain(
        'config provided contains group identity instead',
      );
      expect(await refusal('/ldap', { identity: { driver: 'x' }, ldap: { url: 'x' } })).to.contain(
        'and only that, group must be',
      );
      expect(await refusal('/ldap/url', { suffix: 'x' })).to.contain(
        'config provided contains option suffix instead',
      );
      expect(await refusal('/ldap/url', { suffix: 'x', url: 'x' })).to.contain(
        'so that, and only that, option must be specified',
      );
    });

    it('has defaults for administrators, and password requirements for everyone', async () => {
      const shown = async (place: string) =>
        (await ask(world, 'GET', `/v3/domains/${place}`)).body.config as object;
      expect(await shown('config/identity/default')).to.deep.equal({
        identity: { driver: 'sql', list_limit: null },
      });
      expect(await shown('config/ldap/url/default')).to.deep.equal({ url: 'ldap://localhost' });
      expect(await shown('config/default')).to.have.all.keys('ldap', 'identity');
      const secret = await ask(world, 'GET', '/v3/domains/config/ldap/password/default');
      expect(message(secret)).to.contain(
        'Reading the default for option password in group ldap is not supported',
      );
      const token = await signIn(world, { name: 'demo' });
      const compliance = await ask(world, 'GET', '/v3/domains/default/config/security_compliance', {
        token,
      });
      expect(compliance.body.config.security_compliance).to.deep.equal({
        password_regex: null,
        password_regex_description: null,
      });
      expect((await ask(world, 'GET', `${path}/security_compliance`, { token })).status).to.equal(
        403,
      );
      expect((await ask(world, 'GET', '/v3/domains/config/default', { token })).status).to.equal(
        403,
      );
    });
  });
});
