// Tests of leases that cannot start or end: what they leave for other leases, and the reason.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  compute,
  config,
  createLease,
  hostReservation,
  instanceReservation,
  inventoriesOf,
  network,
  ask,
  registerHosts,
  showLease,
  type Fields,
} from './support.ts';

onEachDatabase('leases that fail', config, (world) => {
  const aggregateNamed = async (name: string): Promise<number> => {
    const { body } = await compute(world, 'GET', '/os-aggregates').expect(200);
    const found = ((body as Fields)['aggregates'] as Fields[]).find((one) => one['name'] === name);
    return found!['id'] as number;
  };
  const reservationOf = (lease: Fields): string => lease['reservations'][0].id as string;
  const deleteAggregateOf = async (lease: Fields): Promise<void> => {
    const path = `/os-aggregates/${await aggregateNamed(reservationOf(lease))}`;
    const hosts = (await aggregates(world))[reservationOf(lease)]!;
    for (const host of hosts)
      await compute(world, 'POST', `${path}/action`, { body: { remove_host: { host } } });
    await compute(world, 'DELETE', path).expect(200);
  };
  /** Puts a host into an aggregate of a zone. */
  const putIntoZone = async (host: string): Promise<number> => {
    const aggregate = { name: 'other', availability_zone: 'elsewhere' };
    const { body } = await compute(world, 'POST', '/os-aggregates', { body: { aggregate } });
    const { id } = (body as Fields)['aggregate'] as { id: number };
    const action = { add_host: { host } };
    await compute(world, 'POST', `/os-aggregates/${id}/action`, { body: action }).expect(200);
    return id;
  };
  const later = { start_date: '2026-11-20 15:00', end_date: '2026-11-20 16:00' };
  const freepool = async (): Promise<string[]> => (await aggregates(world))['freepool']!;

  /** Expects that a lease has failed with a reason, and has left its host in the freepool. */
  async function expectFailed(lease: Fields, reason: RegExp): Promise<void> {
    const shown = await showLease(world, lease['id'] as string);
    expect(shown).to.include({ status: 'ERROR' });
    expect(shown['status_reason']).to.match(reason);
    expect(shown['reservations'][0]).to.include({ status: 'error' });
    expect(await freepool()).to.deep.equal(['compute-1']);
  }

  async function expectNextStarts(): Promise<void> {
    const next = await createLease(world, [hostReservation()], later);
    await world.setTime('2026-11-20T15:00:00Z');
    expect((await showLease(world, next['id'] as string))['status']).to.equal('ACTIVE');
    await world.setTime('2026-11-20T16:00:00Z');
    expect(await freepool()).to.deep.equal(['compute-1']);
  }

  it('keep their host in the freepool if the aggregate is missing at the start', async () => {
    await registerHosts(world, 1);
    const lease = await createLease(world, [hostReservation()]);
    await deleteAggregateOf(lease);
    await world.setTime('2026-11-20T13:00:00Z');
    await expectFailed(lease, /Aggregate \d+ could not be found/);
    await world.setTime('2026-11-20T14:00:00Z');
    await expectNextStarts();
  });

  it('keep their host in the freepool if it is in another zone at the start', async () => {
    await registerHosts(world, 1);
    const lease = await createLease(world, [hostReservation()]);
    const other = await putIntoZone('compute-1');
    await world.setTime('2026-11-20T13:00:00Z');
    await expectFailed(lease, /availability zone/i);
    await ask(world, 'DELETE', `/v1/leases/${lease['id']}`).expect(204);
    const action = { remove_host: { host: 'compute-1' } };
    await compute(world, 'POST', `/os-aggregates/${other}/action`, { body: action }).expect(200);
    await expectNextStarts();
  });

  it('give the host back at the end if the aggregate has been deleted', async () => {
    await registerHosts(world, 1);
    const lease = await createLease(world, [hostReservation()]);
    await world.setTime('2026-11-20T13:00:00Z');
    await deleteAggregateOf(lease);
    expect(await freepool()).to.deep.equal([]);
    await world.setTime('2026-11-20T14:00:00Z');
    expect(await freepool()).to.deep.equal(['compute-1']);
    expect(await showLease(world, lease['id'] as string)).to.include({ status: 'TERMINATED' });
  });

  it('undo the start of an instance reservation whose aggregate is missing #blazar-15', async () => {
    await registerHosts(world, 2);
    const lease = await createLease(world, [instanceReservation({ amount: 2 })]);
    await deleteAggregateOf(lease);
    await world.setTime('2026-11-20T13:00:00Z');
    const shown = await showLease(world, lease['id'] as string);
    expect(shown).to.include({ status: 'ERROR' });
    expect(shown['status_reason']).to.match(/Aggregate \d+ could not be found/);
    for (const host of ['compute-1', 'compute-2'])
      expect((await inventoriesOf(world, host)) ?? {}).to.deep.equal({});
    const { body } = await compute(
      world,
      'GET',
      `/flavors/${reservationOf(lease)}/os-flavor-access`,
    );
    expect((body as Fields)['flavor_access']).to.deep.equal([]);
    await ask(world, 'DELETE', `/v1/leases/${lease['id']}`).expect(204);
    await compute(world, 'GET', `/flavors/${reservationOf(lease)}`).expect(404);
  });

  it('undo the start of a floating IP reservation whose address is in use', async () => {
    const { body: created } = await network(world, 'POST', '/networks', {
      network: { name: 'public-2', 'router:external': true },
    });
    const { id: networkId } = (created as Fields)['network'] as { id: string };
    await network(world, 'POST', '/subnets', {
      subnet: {
        network_id: networkId,
        ip_version: 4,
        cidr: '10.8.0.0/24',
        allocation_pools: [{ start: '10.8.0.100', end: '10.8.0.200' }],
      },
    });
    for (const address of ['10.8.0.10', '10.8.0.11'])
      await ask(world, 'POST', '/v1/floatingips', {
        body: { floating_network_id: networkId, floating_ip_address: address },
      }).expect(201);
    const lease = await createLease(world, [
      { resource_type: 'virtual:floatingip', network_id: networkId, amount: 2 },
    ]);
    await network(world, 'POST', '/floatingips', {
      floatingip: { floating_network_id: networkId, floating_ip_address: '10.8.0.11' },
    });
    await world.setTime('2026-11-20T13:00:00Z');
    const shown = await showLease(world, lease['id'] as string);
    expect(shown).to.include({ status: 'ERROR' });
    expect(shown['status_reason']).to.match(/^Failed to create floating IP: /);
    const { body } = await network(world, 'GET', `/floatingips?floating_network_id=${networkId}`);
    expect(
      ((body as Fields)['floatingips'] as Fields[]).map(
        (ip) => ip['floating_ip_address'] as string,
      ),
    ).to.deep.equal(['10.8.0.11']);
  });
});
