// Tests of availability zones.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault, member } from '../support.ts';

onEachDatabase('compute: availability zones', config, (world) => {
  const addHostToZone = async (host: string, zone: string): Promise<void> => {
    const body = { aggregate: { name: 'a', availability_zone: zone } };
    const made = await ask(world, 'POST', '/os-aggregates', { body }).expect(200);
    const { id } = (made.body as { aggregate: { id: number } }).aggregate;
    const action = { add_host: { host } };
    await ask(world, 'POST', `/os-aggregates/${id}/action`, { body: action }).expect(200);
  };

  describe('GET /os-availability-zone', () => {
    const disable = async (host: string): Promise<void> =>
      void (await ask(world, 'PUT', '/os-services/disable', {
        body: { host, binary: 'nova-compute' },
      }));

    it('lists zones without hosts for a member', async () => {
      await addHostToZone('compute-1', 'z1');
      const { body } = await ask(world, 'GET', '/os-availability-zone', member);
      expect(body.availabilityZoneInfo).to.deep.equal([
        { zoneName: 'z1', zoneState: { available: true }, hosts: null },
        { zoneName: 'nova', zoneState: { available: true }, hosts: null },
      ]);
    });

    it('shows a zone as unavailable if all of its services are disabled', async () => {
      await addHostToZone('compute-1', 'z1');
      await disable('compute-1');
      expect(
        (await ask(world, 'GET', '/os-availability-zone', member)).body.availabilityZoneInfo,
      ).to.deep.equal([
        { zoneName: 'nova', zoneState: { available: true }, hosts: null },
        { zoneName: 'z1', zoneState: { available: false }, hosts: null },
      ]);
    });

    it('lists hosts and services for an administrator, including the control plane', async () => {
      await addHostToZone('compute-1', 'z1');
      const { body } = await ask(world, 'GET', '/os-availability-zone/detail');
      const [internal, zone, nova] = body.availabilityZoneInfo;
      expect(internal.zoneName).to.equal('internal');
      expect(Object.keys(internal.hosts.controller as object).toSorted()).to.deep.equal([
        'nova-conductor',
        'nova-scheduler',
      ]);
      expect(zone.hosts).to.deep.equal({
        'compute-1': {
          'nova-compute': {
            available: true,
            active: true,
            updated_at: '2026-11-20T12:00:00.000000',
          },
        },
      });
      expect(Object.keys(nova.hosts as object)).to.deep.equal(['compute-2', 'compute-3']);
    });

    it('returns 403 for the details that a member requests', async () => {
      expectFault(
        await ask(world, 'GET', '/os-availability-zone/detail', member),
        403,
        "Policy doesn't allow os_compute_api:os-availability-zone:detail to be performed.",
      );
    });
  });
});
