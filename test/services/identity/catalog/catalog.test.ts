// The catalog: services, endpoints and regions.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, message, signIn } from '../support.ts';

onEachDatabase('identity: catalog', { regions: ['RegionOne', 'RegionTwo'] }, (world) => {
  const urls = async (type: string): Promise<string[]> => {
    const reply = await ask(world, 'GET', '/v3/auth/catalog');
    const found = reply.body.catalog.find((service: { type: string }) => service.type === type);
    return found.endpoints.map(
      (endpoint: { region: string; interface: string; url: string }) =>
        `${endpoint.region} ${endpoint.interface} ${endpoint.url}`,
    );
  };

  describe('GET /v3/auth/catalog', () => {
    it('lists every service in every region, at the address that the client used', async () => {
      const placement = await urls('placement');
      expect(placement).to.have.length(6);
      const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(placement[0]!)![0];
      expect(placement).to.include(`RegionOne public ${origin}/placement`);
      expect(placement).to.include(`RegionTwo internal ${origin}/RegionTwo/placement`);
      expect(await urls('identity')).to.include(`RegionTwo public ${origin}/identity`);
      const reply = await ask(world, 'GET', '/v3/auth/catalog', {
        headers: { host: 'localhost:8443', 'x-forwarded-proto': 'https' },
      });
      expect(JSON.stringify(reply.body)).to.contain('https://localhost:8443/RegionTwo/placement');
    });

    it('lists block storage under both of its types', async () => {
      const reply = await ask(world, 'GET', '/v3/auth/catalog');
      type Listed = {
        type: string;
        name: string;
        id: string;
        endpoints: { id: string; url: string }[];
      };
      const [old, own] = ['volumev3', 'block-storage'].map((type) =>
        (reply.body.catalog as Listed[]).find((one) => one.type === type)!,
      );
      expect([old!.name, own!.name]).to.deep.equal(['cinderv3', 'cinder']);
      expect(own!.id).to.not.equal(old!.id);
      expect(own!.endpoints.map(({ url }) => url)).to.have.members(
        old!.endpoints.map(({ url }) => url),
      );
      expect(own!.endpoints[0]!.url).to.match(/\/volume\/v3\/[0-9a-f]{32}$/);
      expect(own!.endpoints.map(({ id }) => id)).to.not.include.members(
        old!.endpoints.map(({ id }) => id),
      );
    });

    it('expands URLs, and omits endpoints that are disabled or cannot be expanded', async () => {
      const service = await make(world, 'service', { type: 'store', name: 'st' });
      const endpoint = { service_id: service.id, interface: 'public', region_id: 'RegionOne' };
      const first = await make(world, 'endpoint', {
        ...endpoint,
        url: 'http://x/%(tenant_id)s/$(user_id)s',
      });
      await make(world, 'endpoint', { ...endpoint, url: 'http://y', enabled: false });
      expect(await urls('store')).to.deep.equal([
        `RegionOne public http://x/${ids.adminProject}/${ids.admin}`,
      ]);
      const token = await signIn(world, { scope: { system: { all: true } } });
      const shown = await ask(world, 'GET', '/v3/auth/tokens', {
        token,
        headers: { 'x-subject-token': token },
      });
      const store = shown.body.token.catalog.find((one: { type: string }) => one.type === 'store');
      expect(store.endpoints).to.deep.equal([]);
      await ask(world, 'PATCH', `/v3/services/${service.id}`, {
        body: { service: { enabled: false } },
      });
      const catalog = (await ask(world, 'GET', '/v3/auth/catalog')).body.catalog;
      expect(catalog.some((one: { type: string }) => one.type === 'store')).to.equal(false);
      expect((await ask(world, 'GET', `/v3/endpoints/${first.id}`)).body.endpoint.url).to.equal(
        'http://x/%(tenant_id)s/$(user_id)s',
      );
    });
  });

  describe('/v3/services', () => {
    it('creates, lists, shows, updates and deletes a service', async () => {
      const service = await make(world, 'service', { type: 'a', description: 'd', more: { x: 1 } });
      expect(service).to.deep.include({
        type: 'a',
        name: '',
        enabled: true,
        description: 'd',
        more: { x: 1 },
      });
      expect((await ask(world, 'GET', '/v3/services?type=a')).body.services).to.have.length(1);
      expect(
        (await ask(world, 'GET', '/v3/services?name=keystone')).body.services[0].type,
      ).to.equal('identity');
      const changed = await ask(world, 'PATCH', `/v3/services/${service.id}`, {
        body: { service: { name: 'n', enabled: false } },
      });
      expect(changed.body.service).to.include({
        type: 'a',
        name: 'n',
        enabled: false,
        description: 'd',
      });
      expect((await ask(world, 'GET', `/v3/services/${service.id}`)).body).to.deep.equal(
        changed.body,
      );
      expect((await ask(world, 'DELETE', `/v3/services/${service.id}`)).status).to.equal(204);
      expect(message(await ask(world, 'GET', `/v3/services/${service.id}`))).to.equal(
        `Could not find service: ${service.id}.`,
      );
    });

    it('returns 400 without a type', async () => {
      expect(
        (await ask(world, 'POST', '/v3/services', { body: { service: { name: 'x' } } })).status,
      ).to.equal(400);
    });

    it('returns 403 without the role admin', async () => {
      const token = await signIn(world, { name: 'demo' });
      expect((await ask(world, 'GET', '/v3/services', { token })).status).to.equal(403);
    });
  });

  describe('/v3/endpoints', () => {
    it('creates, lists, shows, updates and deletes an endpoint', async () => {
      const service = await make(world, 'service', { type: 'a' });
      const fields = {
        service_id: service.id,
        interface: 'public',
        url: 'http://x',
        name: 'n',
        description: null,
      };
      const endpoint = await make(world, 'endpoint', fields);
      expect(endpoint).to.deep.include({ ...fields, region: null, region_id: null, enabled: true });
      expect(
        (await ask(world, 'GET', `/v3/endpoints?service_id=${service.id}&interface=public`)).body
          .endpoints,
      ).to.have.length(1);
      expect(
        (await ask(world, 'GET', '/v3/endpoints?region_id=RegionTwo&interface=admin')).body
          .endpoints.length,
      ).to.be.greaterThan(1);
      expect((await ask(world, 'GET', '/v3/endpoints?interface=none')).status).to.equal(400);
      const changed = await ask(world, 'PATCH', `/v3/endpoints/${endpoint.id}`, {
        body: { endpoint: { url: 'http://y', region_id: 'RegionOne' } },
      });
      expect(changed.body.endpoint).to.include({
        url: 'http://y',
        region: 'RegionOne',
        region_id: 'RegionOne',
        name: 'n',
      });
      expect((await ask(world, 'DELETE', `/v3/endpoints/${endpoint.id}`)).status).to.equal(204);
      expect((await ask(world, 'GET', `/v3/endpoints/${endpoint.id}`)).status).to.equal(404);
    });

    it('creates the region that `region` names', async () => {
      const service = await make(world, 'service', { type: 'a' });
      const fields = { service_id: service.id, interface: 'public', url: 'http://x' };
      const endpoint = await make(world, 'endpoint', { ...fields, region: 'new' });
      expect(endpoint).to.include({ region: 'new', region_id: 'new' });
      expect((await ask(world, 'GET', '/v3/regions/new')).status).to.equal(200);
    });

    it('returns 400 for an unknown region_id or service, and for an invalid URL', async () => {
      const service = await make(world, 'service', { type: 'a' });
      const fields = { service_id: service.id, interface: 'public', url: 'http://x' };
      const absent = await ask(world, 'POST', '/v3/endpoints', {
        body: { endpoint: { ...fields, region_id: 'absent' } },
      });
      expect(message(absent)).to.match(/^Expecting to find endpoint region_id in region table\./);
      const service2 = await ask(world, 'POST', '/v3/endpoints', {
        body: { endpoint: { ...fields, service_id: 'nope' } },
      });
      expect(message(service2)).to.match(
        /^Expecting to find endpoint service_id in service table\./,
      );
      const url = await ask(world, 'POST', '/v3/endpoints', {
        body: { endpoint: { ...fields, url: 'http://x/$(nope)s' } },
      });
      expect(message(url)).to.equal(
        'Cannot create an endpoint with an invalid URL: http://x/$(nope)s.',
      );
    });
  });

  describe('/v3/regions', () => {
    it('creates, lists, shows, updates and deletes a region', async () => {
      const region = await make(world, 'region', {
        id: 'Ré 1',
        description: null,
        parent_region_id: 'RegionOne',
        x: 1,
      });
      expect(region).to.deep.include({
        id: 'Ré 1',
        description: '',
        parent_region_id: 'RegionOne',
        x: 1,
      });
      const path = `/v3/regions/${encodeURIComponent('Ré 1')}`;
      expect((await ask(world, 'GET', path)).body.region).to.deep.equal(region);
      expect(
        (await ask(world, 'GET', '/v3/regions?parent_region_id=RegionOne')).body.regions,
      ).to.have.length(1);
      expect((await ask(world, 'GET', '/v3/regions?unheard=of')).status).to.equal(400);
      const changed = await ask(world, 'PATCH', path, { body: { region: { description: 'd' } } });
      expect(changed.body.region).to.include({
        description: 'd',
        parent_region_id: 'RegionOne',
        x: 1,
      });
      expect((await ask(world, 'DELETE', path)).status).to.equal(204);
      expect(message(await ask(world, 'GET', path))).to.equal('Could not find region: Ré 1.');
    });

    it('creates a region with the id in the path, and returns 409 for a duplicate id', async () => {
      expect(
        (await ask(world, 'PUT', '/v3/regions/R3', { body: { region: {} } })).body.region.id,
      ).to.equal('R3');
      const again = await ask(world, 'PUT', '/v3/regions/R3', { body: { region: {} } });
      expect(again.status).to.equal(409);
      expect(message(again)).to.equal(
        'Conflict occurred attempting to store region - Duplicate ID, R3..',
      );
    });

    it('returns 400 if the body has another id than the path', async () => {
      const other = await ask(world, 'PUT', '/v3/regions/R4', { body: { region: { id: 'R5' } } });
      expect(message(other)).to.equal('Conflicting region IDs specified: "R4" != "R5"');
    });

    it('generates an id if the id is empty', async () => {
      expect((await make(world, 'region', { id: '' })).id).to.match(/^[0-9a-f]{32}$/);
    });

    it('returns 400 for a circular hierarchy', async () => {
      await make(world, 'region', { id: 'child', parent_region_id: 'RegionOne' });
      const circle = await ask(world, 'PATCH', '/v3/regions/RegionOne', {
        body: { region: { parent_region_id: 'child' } },
      });
      expect(circle.status).to.equal(400);
      expect(message(circle)).to.equal(
        'The specified parent region child would create a circular region hierarchy.',
      );
    });

    it('returns 404 for an unknown parent', async () => {
      expect(
        (
          await ask(world, 'POST', '/v3/regions', {
            body: { region: { parent_region_id: 'nope' } },
          })
        ).status,
      ).to.equal(404);
    });

    it('returns 403 for deleting a region with endpoints', async () => {
      const used = await ask(world, 'DELETE', '/v3/regions/RegionOne');
      expect(used.status).to.equal(403);
      expect(message(used)).to.equal(
        'Unable to delete region RegionOne because it or its child regions have associated endpoints.',
      );
    });

    it('lists regions for every user, and returns 403 for changes', async () => {
      const token = await signIn(world, { name: 'demo', scope: null });
      expect((await ask(world, 'GET', '/v3/regions', { token })).body.regions).to.have.length(2);
      expect(
        (await ask(world, 'POST', '/v3/regions', { token, body: { region: {} } })).status,
      ).to.equal(403);
    });
  });
});
