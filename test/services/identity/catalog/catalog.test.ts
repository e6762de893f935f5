// The catalog of a token.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, ids, make, signIn } from '../support.ts';

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
});
