// Tests of reservations of whole hosts.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  allocations,
  ask,
  bootServer,
  compute,
  config,
  expectError,
  hostOf,
  hostReservation,
  leaseBody,
  createLease,
  postLease,
  putLease,
  registerHosts,
  showLease,
  someone,
  type Fields,
} from './support.ts';

onEachDatabase('host reservations', config, (world) => {
  it('moves its hosts to its aggregate from its start to its end', async () => {
    await registerHosts(world, 2);
    const lease = await createLease(world, [hostReservation()]);
    const { id, ...reservation } = lease['reservations'][0] as Fields;
    expect(reservation).to.include({ status: 'pending', min: 1, max: 1, before_end: 'default' });
    expect(reservation).to.not.have.property('aggregate_id');
    expect((await bootServer(world, '1', { reservation: id }))['status']).to.equal('ERROR');
    await world.setTime('2026-11-20T13:00:00Z');
    expect(await aggregates(world)).to.deep.equal({
      freepool: ['compute-2'],
      [id as string]: ['compute-1'],
    });
    const server = await bootServer(world, '1', { reservation: id });
    expect([server['status'], hostOf(server)]).to.deep.equal(['ACTIVE', 'compute-1']);
    const otherProject = await bootServer(
      world,
      '1',
      { reservation: id },
      someone('member,reader', 'eve', 'other'),
    );
    expect(otherProject['status']).to.equal('ERROR');
    await world.setTime('2026-11-20T14:00:00Z');
    await compute(world, 'GET', `/servers/${server['id']}`).expect(404);
    expect(await aggregates(world)).to.deep.equal({ freepool: ['compute-1', 'compute-2'] });
    expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
  });

  it('creates images of its servers with before_end: snapshot', async () => {
    await registerHosts(world, 1);
    const lease = await createLease(world, [hostReservation({ before_end: 'snapshot' })], {
      start_date: 'now',
      before_end_date: '2026-11-20 13:30',
    });
    await bootServer(world, '1', { reservation: (lease['reservations'][0] as Fields)['id'] });
    await world.setTime('2026-11-20T14:00:00Z');
    const { body } = await world
      .ask('image', 'GET', '/image/v2/images?name=reserved_s')
      .expect(200);
    expect((body as Fields)['images']).to.have.length(1);
  });

  it('prefers hosts without reservations, and never shares a host', async () => {
    const ids = await registerHosts(world);
    const at = (hour: number): Fields => ({
      start_date: `2026-11-21 ${hour}:00`,
      end_date: `2026-11-21 ${hour + 1}:00`,
    });
    const first = await createLease(world, [hostReservation()], at(10));
    await createLease(world, [hostReservation()], at(11));
    const third = await createLease(world, [hostReservation({ max: 3 })], at(12));
    const reserved = await allocations(world);
    expect(reserved.map(({ resource_id: id }) => id as string)).to.deep.equal(ids);
    expect(reserved.map(({ reservations }) => (reservations as unknown[]).length)).to.deep.equal([
      1, 1, 1,
    ]);
    expect((reserved[0]!['reservations'] as Fields[])[0]).to.deep.equal({
      id: (first['reservations'][0] as Fields)['id'],
      lease_id: first['id'],
      start_date: '2026-11-21T10:00:00.000000',
      end_date: '2026-11-21T11:00:00.000000',
    });
    const ofLease = await allocations(world, `?lease_id=${third['id']}`);
    expect(ofLease.map(({ reservations }) => (reservations as unknown[]).length)).to.deep.equal([
      0, 0, 1,
    ]);
    const { body } = await ask(world, 'GET', `/v1/os-hosts/${ids[2]}/allocation`).expect(200);
    expect((body as Fields)['allocation']).to.deep.equal(reserved[2]);
    expectError(
      await postLease(world, leaseBody([hostReservation({ min: 3, max: 3 })], at(10))),
      500,
      'Not enough hosts available',
    );
  });

  it('replaces hosts before its start, and only adds hosts while it is active', async () => {
    const ids = await registerHosts(world, 3);
    const lease = await createLease(world, [hostReservation()]);
    const { id } = lease['reservations'][0] as Fields;
    const change = {
      reservations: [{ id, hypervisor_properties: '["==", "$hypervisor_hostname", "compute-2"]' }],
    };
    await putLease(world, lease['id'] as string, change).expect(200);
    const reserved = async (): Promise<string[]> =>
      (await allocations(world))
        .filter(({ reservations }) => (reservations as unknown[]).length)
        .map(({ resource_id }) => resource_id as string);
    expect(await reserved()).to.deep.equal([ids[1]]);
    await world.setTime('2026-11-20T13:00:00Z');
    await putLease(world, lease['id'] as string, {
      reservations: [{ id, hypervisor_properties: '', min: 2, max: 2 }],
    }).expect(200);
    expect(await reserved()).to.deep.equal([ids[0], ids[1]]);
    expect((await aggregates(world))[id as string]).to.deep.equal(['compute-1', 'compute-2']);
    expectError(
      await putLease(world, lease['id'] as string, { reservations: [{ id, min: 1, max: 1 }] }),
      500,
      'Not enough hosts available',
    );
    expect((await showLease(world, lease['id'] as string))['status']).to.equal('ACTIVE');
  });
});
