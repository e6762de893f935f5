// Tests of limits and quotas at the gateways.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, bottomRegions, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: limits and quotas', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  describe('usage', () => {
    beforeEach(async () => {
      await cloud.cad();
      await cloud.server('a');
      await cloud.server('b', { flavorRef: 'cad' });
      await cloud.volume('v', { size: 2 });
      await cloud.volume('w', { size: 3, volume_type: 'cad-vol' });
    });

    it('GET /limits adds up the usage of all pods, in both services #tricircle-3', async () => {
      const limits = ((await cloud.nova('GET', '/limits').expect(200)).body as Json)['limits']
        .absolute as Json;
      expect(limits).to.include({
        totalInstancesUsed: 2,
        totalCoresUsed: 2,
        maxTotalInstances: 10,
      });
      const volumes = ((await cloud.cinder('GET', '/limits').expect(200)).body as Json)['limits']
        .absolute as Json;
      expect(volumes).to.include({ totalVolumesUsed: 2, totalGigabytesUsed: 5 });
    });

    it('GET /os-quota-sets adds up the usage of all pods, in both services', async () => {
      const detail = (
        (await cloud.nova('GET', '/os-quota-sets/acme/detail').expect(200)).body as Json
      )['quota_set'] as Json;
      expect(detail['instances']).to.deep.equal({ limit: 10, in_use: 2, reserved: 0 });
      const usage = (
        (await cloud.cinder('GET', '/os-quota-sets/acme?usage=true').expect(200)).body as Json
      )['quota_set'] as Json;
      expect(usage['gigabytes']).to.include({ in_use: 5 });
    });
  });

  describe('PUT and DELETE /os-quota-sets/{project_id}', () => {
    const instancesIn = async (at: string): Promise<unknown> => {
      const { body } = await cloud
        .nova('GET', '/os-quota-sets/acme', { at, as: admin })
        .expect(200);
      return (body as Json)['quota_set'].instances as unknown;
    };
    beforeEach(() =>
      cloud
        .nova('PUT', '/os-quota-sets/acme', { as: admin, body: { quota_set: { instances: 3 } } })
        .expect(200),
    );

    it("sets Nova's quotas in the central region and in all pods", async () => {
      for (const at of ['CentralRegion', ...bottomRegions])
        expect(await instancesIn(at), at).to.equal(3);
    });

    it("resets Nova's quotas in the central region and in all pods", async () => {
      await cloud.nova('DELETE', '/os-quota-sets/acme', { as: admin }).expect(202);
      for (const at of ['CentralRegion', ...bottomRegions])
        expect(await instancesIn(at), at).to.equal(10);
    });

    it("sets Cinder's quotas in all pods", async () => {
      await cloud
        .cinder('PUT', '/os-quota-sets/acme', { as: admin, body: { quota_set: { volumes: 4 } } })
        .expect(200);
      const as = { token: 'admin:acme', roles: 'admin' };
      for (const at of bottomRegions) {
        const { body } = await cloud.cinder('GET', '/os-quota-sets/acme', { at, as }).expect(200);
        expect(((body as Json)['quota_set'] as Json)['volumes'], at).to.equal(4);
      }
    });
  });
});
