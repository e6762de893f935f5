// Tests of healing: the reservations on failed hosts.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  compute,
  config,
  hostReservation,
  createLease,
  registerHosts,
  showLease,
  updateSettings,
  type Fields,
} from './support.ts';

onEachDatabase('healing', config, (world) => {
  it('replaces a failed host, and marks resources as missing if no other is free', async () => {
    await registerHosts(world, 2);
    await updateSettings(world, { monitor_interval: 60 });
    const lease = await createLease(world, [hostReservation()], {
      start_date: 'now',
      end_date: '2026-11-21 12:00',
    });
    const { id } = lease['reservations'][0] as Fields;
    await world.setTime('2026-11-20T12:00:30Z');
    const disable = (host: string) =>
      compute(world, 'PUT', '/os-services/disable', {
        body: { host, binary: 'nova-compute' },
      }).expect(200);
    await disable('compute-1');
    await world.setTime('2026-11-20T12:02:00Z');
    const moved = await showLease(world, lease['id'] as string);
    expect(moved['degraded']).to.equal(true);
    expect(moved['reservations'][0]).to.include({
      status: 'active',
      resources_changed: true,
      missing_resources: false,
    });
    expect((await aggregates(world))[id as string]).to.deep.equal(['compute-2']);
    await disable('compute-2');
    await world.setTime('2026-11-20T12:04:00Z');
    const lost = await showLease(world, lease['id'] as string);
    expect(lost['reservations'][0]).to.include({ missing_resources: true });
    expect((await aggregates(world))[id as string]).to.deep.equal([]);
    await compute(world, 'PUT', '/os-services/enable', {
      body: { host: 'compute-1', binary: 'nova-compute' },
    }).expect(200);
    await world.setTime('2026-11-20T12:06:00Z');
    const { hosts } = (await ask(world, 'GET', '/v1/os-hosts').expect(200)).body as Fields;
    expect((hosts as Fields[]).map(({ reservable }) => reservable as boolean)).to.deep.equal([
      true,
      false,
    ]);
    await world.setTime('2026-11-21T12:00:00Z');
    expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
    expect((await aggregates(world))['freepool']).to.deep.equal(['compute-1', 'compute-2']);
  });

  it('does not choose a host that has failed at the same time', async () => {
    await registerHosts(world, 3);
    await updateSettings(world, { monitor_interval: 60 });
    const lease = await createLease(world, [hostReservation()], {
      start_date: 'now',
      end_date: '2026-11-21 12:00',
    });
    const { id } = lease['reservations'][0] as Fields;
    await world.setTime('2026-11-20T12:00:30Z');
    for (const host of ['compute-1', 'compute-2'])
      await compute(world, 'PUT', '/os-services/disable', {
        body: { host, binary: 'nova-compute' },
      }).expect(200);
    await world.setTime('2026-11-20T12:02:00Z');
    expect((await showLease(world, lease['id'] as string))['reservations'][0]).to.include({
      missing_resources: false,
    });
    expect((await aggregates(world))[id as string]).to.deep.equal(['compute-3']);
  });
});
