// Tests of availability zones at the gateways, which are the zones of the pods.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, bottomRegions, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: availability zones', threePods, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  const zones = async (): Promise<unknown> =>
    ((await cloud.nova('GET', '/os-availability-zone').expect(200)).body as Json)[
      'availabilityZoneInfo'
    ];

  it("lists the pods' zone as available #tricircle-1", async () => {
    expect(await zones()).to.deep.equal([
      { zoneName: 'az1', zoneState: { available: true }, hosts: null },
    ]);
  });

  it('lists a zone as available while one of its pods is not under maintenance', async () => {
    for (const name of bottomRegions.slice(1))
      await cloud.pod(name, { is_under_maintenance: true });
    expect(await zones()).to.deep.equal([
      { zoneName: 'az1', zoneState: { available: true }, hosts: null },
    ]);
  });

  it('lists a zone as unavailable while all of its pods are under maintenance', async () => {
    for (const name of bottomRegions) await cloud.pod(name, { is_under_maintenance: true });
    expect(await zones()).to.deep.equal([
      { zoneName: 'az1', zoneState: { available: false }, hosts: null },
    ]);
    await cloud.cinder('GET', '/os-availability-zone').expect(200, {
      availabilityZoneInfo: [{ zoneName: 'az1', zoneState: { available: false } }],
    });
  });

  it('shows details to administrators only', async () => {
    await cloud.nova('GET', '/os-availability-zone/detail').expect(403);
    await cloud.nova('GET', '/os-availability-zone/detail', { as: admin }).expect(200);
  });
});
