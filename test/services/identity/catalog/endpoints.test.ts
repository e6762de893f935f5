// Endpoints in the catalog.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, make, message } from '../support.ts';

onEachDatabase('identity: endpoints', { regions: ['RegionOne', 'RegionTwo'] }, (world) => {
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
});
