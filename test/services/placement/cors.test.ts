// What pages of other origins may do: preflights, and the headers that they may read.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { asking, newest } from './makers.ts';

onEachDatabase(
  'Placement: for browsers',
  { auth: 'noauth2', corsOrigin: ['http://ui.example'] },
  (world) => {
    const preflight = { 'access-control-request-method': 'PUT' };

    it('a preflight is answered before anything is asked', async () => {
      const headers = { ...preflight, origin: 'http://ui.example' };
      const answer = await asking(world)('OPTIONS /resource_providers', '1.99', {
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

    it('a preflight from elsewhere gets an empty yes', async () => {
      const headers = { ...preflight, origin: 'http://elsewhere.example' };
      const answer = await asking(world)('OPTIONS /resource_providers', newest, {
        token: null,
        headers,
      });
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.not.have.property('access-control-allow-origin');
    });

    it('an OPTIONS that is no preflight is a method like others', async () => {
      await asking(world)('OPTIONS /resource_providers', newest).expect(405);
    });

    it('answers say what a page may read of them', async () => {
      const { headers } = await asking(world)('GET /resource_providers', newest, {
        headers: { origin: 'http://ui.example' },
      }).expect(200);
      expect(headers['access-control-allow-origin']).to.equal('http://ui.example');
      const exposed =
        'X-Auth-Token,X-Openstack-Request-Id,X-Subject-Token,X-Service-Token,OpenStack-API-Version';
      expect(headers['access-control-expose-headers']).to.equal(exposed);
    });
  },
);
