// The steps of the specification of instance reservations in Placement, with Placement's state
// after each of them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  bootServer,
  classOf,
  compute,
  config,
  hostOf,
  instanceReservation,
  inventoriesOf,
  liftQuota,
  createLease,
  member,
  placement,
  registerHosts,
  showLease,
  type Fields,
} from './support.ts';

onEachDatabase('instance reservations', config, (world) => {
  const hosts = ['compute-1', 'compute-2', 'compute-3'];

  /** The slots of a reservation on each host in Placement. */
  async function slotsOf(reservation: string): Promise<number[]> {
    const name = classOf(reservation);
    const totals = [];
    for (const host of hosts)
      totals.push(((await inventoriesOf(world, host)) ?? {})[name]?.total ?? 0);
    return totals;
  }

  const classes = async (): Promise<string[]> => {
    const { body } = await placement(world, 'GET', '/resource_classes').expect(200);
    return ((body as Fields)['resource_classes'] as Fields[])
      .map(({ name }) => name as string)
      .filter((name) => name.startsWith('CUSTOM_'));
  };

  const flavors = async (): Promise<string[]> => {
    const { body } = await compute(world, 'GET', '/flavors?is_public=False').expect(200);
    return ((body as Fields)['flavors'] as Fields[]).map(({ id }) => id as string);
  };

  beforeEach(() => liftQuota(world));

  it('creates classes, flavors and slots for a lease, and deletes them at its end #blazar-8 #blazar-9 #blazar-12 #blazar-14 #blazar-16 #blazar-20 #blazar-21 #blazar-22', async () => {
    const ids = await registerHosts(world);
    expect(await Promise.all(hosts.map((host) => inventoriesOf(world, host)))).to.deep.equal([
      {},
      {},
      {},
    ]);

    const lease = await createLease(world, [instanceReservation({ amount: 2, vcpus: 8 })]);
    const { id } = lease['reservations'][0] as Fields;
    expect(lease).to.deep.include({
      status: 'PENDING',
      start_date: '2026-11-20T13:00:00.000000',
      degraded: false,
    });
    expect(await classes()).to.deep.equal([classOf(id as string)]);
    expect(await slotsOf(id as string)).to.deep.equal([0, 0, 0]);
    expect(await flavors()).to.deep.equal([id]);
    const specs = (await compute(world, 'GET', `/flavors/${id}/os-extra_specs`).expect(200))
      .body as Fields;
    expect(specs['extra_specs']).to.deep.equal({
      'aggregate_instance_extra_specs:reservation': id,
      [`resources:${classOf(id as string)}`]: '1',
    });
    await compute(world, 'GET', `/flavors/${id}`, member).expect(404);
    expect((await aggregates(world))[id as string]).to.deep.equal([]);

    await world.setTime('2026-11-20T13:00:00Z');
    expect(await showLease(world, lease['id'] as string)).to.include({ status: 'ACTIVE' });
    expect(await slotsOf(id as string)).to.deep.equal([2, 0, 0]);
    expect((await inventoriesOf(world, 'compute-1'))![classOf(id as string)]).to.deep.equal({
      total: 2,
      allocation_ratio: 1,
      min_unit: 1,
      max_unit: 1,
      step_size: 1,
      reserved: 0,
    });
    expect(await aggregates(world)).to.deep.include({
      freepool: hosts,
      [id as string]: ['compute-1'],
    });

    await compute(world, 'GET', `/flavors/${id}`, member).expect(200);
    const [first, second, third] = [
      await bootServer(world, id as string),
      await bootServer(world, id as string),
      await bootServer(world, id as string),
    ];
    expect([first, second].map(hostOf)).to.deep.equal(['compute-1', 'compute-1']);
    expect([first!, second!, third!].map(({ status }) => status as string)).to.deep.equal([
      'ACTIVE',
      'ACTIVE',
      'ERROR',
    ]);
    expect((await bootServer(world, '1'))['status']).to.equal('ERROR');

    await world.setTime('2026-11-20T14:00:00Z');
    const over = await showLease(world, lease['id'] as string);
    expect(over).to.include({ status: 'TERMINATED' });
    expect(over['reservations'][0].status).to.equal('deleted');
    expect(
      (over['events'] as Fields[]).map(({ event_type: type, status }) => [type, status]),
    ).to.deep.equal([
      ['start_lease', 'DONE'],
      ['before_end_lease', 'DONE'],
      ['end_lease', 'DONE'],
    ]);
    await compute(world, 'GET', `/servers/${first!['id']}`).expect(404);
    expect(await flavors()).to.deep.equal([]);
    expect(await classes()).to.deep.equal([]);
    expect(await Promise.all(hosts.map((host) => inventoriesOf(world, host)))).to.deep.equal([
      {},
      {},
      {},
    ]);
    expect(await aggregates(world)).to.deep.equal({ freepool: hosts });

    for (const host of ids) await ask(world, 'DELETE', `/v1/os-hosts/${host}`).expect(204);
    expect(await Promise.all(hosts.map((host) => inventoriesOf(world, host)))).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('counts the servers of a reservation as usage in Placement #blazar-17', async () => {
    await registerHosts(world, 1);
    const lease = await createLease(world, [instanceReservation({ amount: 3 })], {
      start_date: 'now',
    });
    const { id } = lease['reservations'][0] as Fields;
    const name = '/resource_providers?name=blazar_compute-1';
    const { body } = await placement(world, 'GET', name).expect(200);
    const [{ uuid }] = (body as Fields)['resource_providers'] as [Fields];
    const usages = async (): Promise<unknown> =>
      (
        (await placement(world, 'GET', `/resource_providers/${uuid}/usages`).expect(200))
          .body as Fields
      )['usages'];
    expect(await usages()).to.deep.equal({ [classOf(id as string)]: 0 });
    for (let i = 0; i < 2; i++) await bootServer(world, id as string);
    expect(await usages()).to.deep.equal({ [classOf(id as string)]: 2 });
  });

  it('distributes ten instances over three hosts without affinity #blazar-1 #blazar-2 #blazar-3 #blazar-7 #blazar-25 #blazar-26', async () => {
    await registerHosts(world);
    const reservation = { ...instanceReservation({ amount: 10, vcpus: 4 }), affinity: undefined };
    const lease = await createLease(world, [reservation], { start_date: 'now' });
    expect(lease['status']).to.equal('PENDING');
    const { id, affinity, server_group_id: group } = lease['reservations'][0] as Fields;
    expect([affinity, group]).to.deep.equal([null, null]);
    expect((await showLease(world, lease['id'] as string))['status']).to.equal('ACTIVE');
    expect(await slotsOf(id as string)).to.deep.equal([4, 4, 2]);
    const states = [];
    for (let count = 0; count < 11; count++)
      states.push((await bootServer(world, id as string))['status']);
    expect(states.filter((state) => state === 'ACTIVE')).to.have.length(10);
    expect(states.at(-1)).to.equal('ERROR');
  });

  it('reserves slots on one host with affinity, and on several with anti-affinity #blazar-1 #blazar-11 #blazar-15', async () => {
    await registerHosts(world);
    const affinity = await createLease(
      world,
      [instanceReservation({ amount: 4, vcpus: 4, affinity: true })],
      { start_date: 'now' },
    );
    const antiAffinity = await createLease(
      world,
      [instanceReservation({ amount: 2, vcpus: 1, affinity: 'False' })],
      { start_date: 'now' },
    );
    const [one, two] = [
      affinity['reservations'][0] as Fields,
      antiAffinity['reservations'][0] as Fields,
    ];
    expect(await slotsOf(one['id'] as string)).to.deep.equal([4, 0, 0]);
    expect(await slotsOf(two['id'] as string)).to.deep.equal([0, 1, 1]);
    const { server_group: group } = (
      await compute(world, 'GET', `/os-server-groups/${two['server_group_id']}`, member)
    ).body as Fields;
    expect(group).to.deep.include({
      name: `reservation:${two['id']}`,
      policies: ['anti-affinity'],
    });
    const hint = { group: two['server_group_id'] };
    const booted = [
      await bootServer(world, two['id'] as string, hint),
      await bootServer(world, two['id'] as string, hint),
    ];
    expect(booted.map(hostOf).toSorted()).to.deep.equal(['compute-2', 'compute-3']);
    expect((await bootServer(world, two['id'] as string, hint))['status']).to.equal('ERROR');
    await world.setTime('2026-11-20T14:00:00Z');
    await compute(world, 'GET', `/os-server-groups/${two['server_group_id']}`).expect(404);
  });

  it('creates no aggregate and no server group with strict settings #blazar-10 #blazar-11 #blazar-18 #blazar-19 #blazar-25', async () => {
    await registerHosts(world);
    const settings = { strict: true };
    await world.http.put('/_emulator/reservation/settings').send(settings).expect(200);
    const lease = await createLease(world, [instanceReservation({ amount: 2, affinity: false })], {
      start_date: 'now',
    });
    const { id, ...reservation } = lease['reservations'][0] as Fields;
    expect(reservation).to.include({ aggregate_id: null, server_group_id: null, affinity: false });
    const specs = (await compute(world, 'GET', `/flavors/${id}/os-extra_specs`).expect(200))
      .body as Fields;
    expect(specs['extra_specs']).to.deep.equal({ [`resources:${classOf(id as string)}`]: '1' });
    expect(Object.keys(await aggregates(world))).to.deep.equal(['freepool']);
    expect(await slotsOf(id as string)).to.deep.equal([1, 1, 0]);
    expect((await bootServer(world, id as string))['status']).to.equal('ACTIVE');
    await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
    expect(await classes()).to.deep.equal([]);
  });

  it('ends a lease before starting another at the same time', async () => {
    await registerHosts(world, 1);
    const reservations = [instanceReservation({ amount: 16 })];
    const span = (from: number) => ({
      start_date: `2026-11-20 ${from}:00`,
      end_date: `2026-11-20 ${from + 1}:00`,
    });
    // The later lease is created first, so that its job precedes the other one in the queue.
    const later = await createLease(world, reservations, span(14));
    const sooner = await createLease(world, reservations, span(13));
    const full = await ask(world, 'POST', '/v1/leases', {
      ...member,
      body: {
        name: 'x',
        start_date: '2026-11-20 13:30',
        end_date: '2026-11-20 14:30',
        reservations,
      },
    });
    expect(full.status).to.equal(500);
    expect((full.body as Fields)['error_message']).to.equal('Not enough hosts available');
    expect((full.body as Fields)['error_reasons']).to.deep.equal([
      { reason: 'has no room left beside other reservations (16 fit)', hosts: 1 },
    ]);
    await world.setTime('2026-11-20T14:00:00Z');
    expect((await showLease(world, sooner['id'] as string))['status']).to.equal('TERMINATED');
    expect((await showLease(world, later['id'] as string))['status']).to.equal('ACTIVE');
    const { id } = later['reservations'][0] as Fields;
    expect(await slotsOf(id as string)).to.deep.equal([16, 0, 0]);
  });

  it('creates a missing reservation provider #blazar-13', async () => {
    await registerHosts(world, 1);
    const { body } = await placement(
      world,
      'GET',
      '/resource_providers?name=blazar_compute-1',
    ).expect(200);
    await placement(
      world,
      'DELETE',
      `/resource_providers/${(body as Fields)['resource_providers'][0].uuid}`,
    ).expect(204);
    const lease = await createLease(world, [instanceReservation()], { start_date: 'now' });
    await showLease(world, lease['id'] as string);
    expect(await slotsOf((lease['reservations'][0] as Fields)['id'] as string)).to.deep.equal([
      1, 0, 0,
    ]);
  });
});
