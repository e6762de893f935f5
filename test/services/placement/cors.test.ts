// Cross-origin requests of browsers: preflights, and the headers that scripts can read.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { senderFor, newest } from './helpers.ts';

onEachDatabase(
  'Placement: CORS',
  { auth: 'noauth2', corsOrigin: ['http://ui.example'] },
  (world) => {
    const preflight = { 'access-control-request-method': 'PUT' };

    it('answers a preflight before authentication', async () => {
      const headers = { ...preflight, origin: 'http://ui.example' };
      const answer = await senderFor(world)('OPTIONS /resource_providers', '1.99', {
        token: null,
        headers,
      });
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.include({
        'access-control-allow-origin': 'http://ui.example',
        'access-control-allow-credentials': 'true',
      });
      expect(answer.headers).to.include({
        'access-control-allow-methods': 'GET,PUT,POST,DELETE,PATCH',
        'access-control-max-age': '3600',
      });
    });

    it('returns 200 without headers for a preflight from another origin', async () => {
      const headers = { ...preflight, origin: 'http://elsewhere.example' };
      const answer = await senderFor(world)('OPTIONS /resource_providers', newest, {
        token: null,
        headers,
      });
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.not.have.property('access-control-allow-origin');
    });

    it('treats OPTIONS without preflight headers like any other method', async () => {
      await senderFor(world)('OPTIONS /resource_providers', newest).expect(405);
    });

    it('lists the headers that scripts can read', async () => {
      const { headers } = await senderFor(world)('GET /resource_providers', newest, {
        headers: { origin: 'http://ui.example' },
      }).expect(200);
      expect(headers['access-control-allow-origin']).to.equal('http://ui.example');
      const exposed =
        'X-Auth-Token,X-Openstack-Request-Id,X-Subject-Token,X-Service-Token,OpenStack-API-Version';
      expect(headers['access-control-expose-headers']).to.equal(exposed);
    });
  },
);
