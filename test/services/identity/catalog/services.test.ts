// Services in the catalog.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, make, message, signIn } from '../support.ts';

onEachDatabase('identity: services', { regions: ['RegionOne', 'RegionTwo'] }, (world) => {
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
});
