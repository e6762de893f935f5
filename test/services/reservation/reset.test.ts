// Tests of hosts and leases after a reset of Compute, Placement or Reservation alone.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  bootServer,
  classOf,
  compute,
  config,
  hostReservation,
  instanceReservation,
  inventoriesOf,
  createLease,
  placement,
  registerHosts,
  showLease,
  type Fields,
} from './support.ts';

onEachDatabase('reservation after a reset', config, (world) => {
  const reset = (service: string) =>
    world.http.post('/_emulator/reset').send({ service }).expect(204);
  const listed = async (path: string, key: string): Promise<Fields[]> =>
    ((await ask(world, 'GET', path).expect(200)).body as Fields)[key] as Fields[];
  const classes = async (): Promise<string[]> => {
    const { body } = await placement(world, 'GET', '/resource_classes').expect(200);
    return ((body as Fields)['resource_classes'] as Fields[])
      .map(({ name }) => name as string)
      .filter((name) => name.startsWith('CUSTOM_'));
  };
  const reservationOf = (lease: Fields): string =>
    (lease['reservations'][0] as Fields)['id'] as string;

  it('of Compute leaves no hosts, no leases, and nothing in Placement', async () => {
    await registerHosts(world, 2);
    const running = await createLease(
      world,
      [instanceReservation({ amount: 2 }), hostReservation()],
      {
        start_date: 'now',
      },
    );
    await createLease(world, [instanceReservation()]);
    const empty = await createLease(world, []);
    expect((await bootServer(world, reservationOf(running)))['status']).to.equal('ACTIVE');
    await reset('compute');
    expect(await listed('/v1/os-hosts', 'hosts')).to.deep.equal([]);
    expect((await listed('/v1/leases', 'leases')).map(({ id }) => id as string)).to.deep.equal([
      empty['id'],
    ]);
    expect(await classes()).to.deep.equal([]);
    expect(await inventoriesOf(world, 'compute-1')).to.equal(undefined);
    expect(await aggregates(world)).to.deep.equal({});
    // Hosts can be registered and leased again.
    await world.setTime('2026-11-20T13:00:00Z');
    await registerHosts(world, 2);
    const again = await createLease(world, [instanceReservation()], {
      start_date: 'now',
      end_date: '2026-11-20 15:00',
    });
    expect((await bootServer(world, reservationOf(again)))['status']).to.equal('ACTIVE');
  });

  it('of Placement recreates providers, classes and slots', async () => {
    await registerHosts(world, 2);
    const running = await createLease(world, [instanceReservation({ amount: 17 })], {
      start_date: 'now',
    });
    const later = await createLease(world, [instanceReservation()], {
      start_date: '2026-11-20 14:30',
      end_date: '2026-11-20 15:00',
    });
    await showLease(world, running['id'] as string);
    await reset('placement');
    const ownClass = classOf(reservationOf(running));
    expect(await classes()).to.have.members([ownClass, classOf(reservationOf(later))]);
    const total = async (host: string): Promise<unknown> =>
      ((await inventoriesOf(world, host))![ownClass] as Fields)['total'];
    expect([await total('compute-1'), await total('compute-2')]).to.deep.equal([16, 1]);
    expect((await bootServer(world, reservationOf(running)))['status']).to.equal('ACTIVE');
    await world.setTime('2026-11-20T16:00:00Z');
    expect(
      (await listed('/v1/leases', 'leases')).map(({ status }) => status as string),
    ).to.deep.equal(['TERMINATED', 'TERMINATED']);
    expect(await classes()).to.deep.equal([]);
    expect(await inventoriesOf(world, 'compute-1')).to.deep.equal({});
  });

  it('of Reservation leaves nothing of its leases and hosts in other services', async () => {
    await registerHosts(world, 3);
    const running = await createLease(
      world,
      [instanceReservation({ amount: 2, affinity: true }), hostReservation()],
      {
        start_date: 'now',
      },
    );
    await createLease(world, [instanceReservation()]);
    const server = await bootServer(world, reservationOf(running));
    expect(server['status']).to.equal('ACTIVE');
    await reset('reservation');
    expect(await listed('/v1/os-hosts', 'hosts')).to.deep.equal([]);
    expect(await listed('/v1/leases', 'leases')).to.deep.equal([]);
    await compute(world, 'GET', `/servers/${server['id']}`).expect(404);
    expect(await classes()).to.deep.equal([]);
    expect(await inventoriesOf(world, 'compute-1')).to.equal(undefined);
    expect(await aggregates(world)).to.deep.equal({ freepool: [] });
    expect(
      ((await compute(world, 'GET', '/flavors?is_public=False').expect(200)).body as Fields)[
        'flavors'
      ],
    ).to.deep.equal([]);
    // Ordinary servers can use the hosts, and the hosts can be registered again.
    const plain = await bootServer(world, '1');
    expect(plain['status']).to.equal('ACTIVE');
    await compute(world, 'DELETE', `/servers/${plain['id']}`).expect(204);
    await registerHosts(world, 3);
  });
});

onEachDatabase(
  'reservation after a reset while servers are being deleted',
  { ...config, latency: { 'server.delete': 5_000_000 } },
  (world) => {
    it('leaves nothing of its leases in other services', async () => {
      await registerHosts(world, 2);
      const lease = await createLease(world, [instanceReservation(), hostReservation()], {
        start_date: 'now',
      });
      const [part] = lease['reservations'] as Fields[];
      await bootServer(world, part!['id'] as string);
      await world.http.post('/_emulator/reset').send({ service: 'reservation' }).expect(204);
      expect(await aggregates(world)).to.deep.equal({ freepool: [] });
      expect(await inventoriesOf(world, 'compute-1')).to.equal(undefined);
      expect(
        ((await compute(world, 'GET', '/flavors?is_public=False').expect(200)).body as Fields)[
          'flavors'
        ],
      ).to.deep.equal([]);
      await world.setTime('2026-11-20T12:01:00Z');
      expect(
        ((await compute(world, 'GET', '/servers?all_tenants=1').expect(200)).body as Fields)[
          'servers'
        ],
      ).to.deep.equal([]);
      await registerHosts(world, 2);
    });
  },
);
