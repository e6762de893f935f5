// Tests of the gateways' routes: version documents, unknown paths, and pods without an endpoint.
import { expect } from 'chai';
import { bumpAuthRevision } from '../../../src/kernel/db/state.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, messageOf, Tenancy, threePods } from './support.ts';

onEachDatabase('gateway: routes', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  it('serves version documents with links to the gateway', async () => {
    for (const path of ['/compute/', '/compute/v2.1', '/volume/']) {
      const { text } = await world.http.get(`/CentralRegion${path}`);
      expect(text).to.contain(`/CentralRegion${path.split('/').slice(0, 2).join('/')}/v`);
    }
  });

  it('returns 401 for a request without a token', async () => {
    await world.http.get('/CentralRegion/compute/v2.1/flavors').expect(401);
  });

  it('returns 404 for resources of single pods, such as hypervisors and services', async () => {
    for (const path of ['/os-hypervisors', '/os-services', '/os-aggregates'])
      await cloud.nova('GET', path, { as: admin }).expect(404);
    await cloud.cinder('GET', '/os-services', { as: admin }).expect(404);
  });

  describe('if the catalog has no endpoint of a pod', () => {
    let id: string;
    beforeEach(async () => {
      id = (await cloud.server('a'))['id'] as string;
      const { central, sharedState } = world.cloud;
      await central.db('identity_endpoints').where({ region_id: 'Pod1' }).delete();
      await bumpAuthRevision(central.db);
      sharedState.invalidate();
    });

    it('returns 404 with the text of upstream for a server in the pod', async () => {
      expect(messageOf((await cloud.nova('GET', `/servers/${id}`).expect(404)).body)).to.equal(
        'Bottom Pod endpoint incorrect',
      );
    });

    it('leaves the pod out of lists and quotas', async () => {
      for (const path of ['/servers/detail', '/servers?all_tenants=1', '/limits'])
        await cloud.nova('GET', path, { as: admin }).expect(200);
      for (const path of ['/volumes/detail?all_tenants=1', '/snapshots?all_tenants=1'])
        await cloud.cinder('GET', path, { as: admin }).expect(200);
      const { body } = await cloud.nova('GET', '/servers').expect(200);
      expect((body as { servers: unknown[] }).servers).to.deep.equal([]);
    });

    it('creates new servers in another pod', async () => {
      expect(await cloud.podOf((await cloud.server('b'))['id'])).to.equal('Pod2');
    });
  });
});
