// Tests of the strict setting: reservations rely on Placement alone, and a trait keeps ordinary
// servers off the registered hosts.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  bootServer,
  compute,
  config,
  createLease,
  hostOf,
  hostReservation,
  instanceReservation,
  member,
  placement,
  registerHosts,
  updateSettings,
  type Fields,
} from './support.ts';

const trait = 'CUSTOM_BLAZAR_RESERVABLE';

onEachDatabase('reservations with the strict setting', config, (world) => {
  /** The names of the providers with the trait. */
  const marked = async (): Promise<string[]> => {
    const { body } = await placement(world, 'GET', '/resource_providers').expect(200);
    const names: string[] = [];
    for (const { uuid, name } of (body as Fields)['resource_providers'] as Fields[]) {
      const reply = await placement(world, 'GET', `/resource_providers/${uuid}/traits`);
      if (((reply.body as Fields)['traits'] as string[]).includes(trait))
        names.push(name as string);
    }
    return names.toSorted();
  };
  const all = ['compute-1', 'compute-2', 'compute-3'];
  const reset = (body: object) => world.http.post('/_emulator/reset').send(body).expect(204);

  it('marks the hosts that are registered, and unmarks those that are not any more', async () => {
    await updateSettings(world, { strict: true });
    const [first] = await registerHosts(world, 2);
    expect(await marked()).to.deep.equal(['compute-1', 'compute-2']);
    await ask(world, 'DELETE', `/v1/os-hosts/${first}`).expect(204);
    expect(await marked()).to.deep.equal(['compute-2']);
  });

  it('marks and unmarks registered hosts when it is changed', async () => {
    await registerHosts(world);
    expect(await marked()).to.deep.equal([]);
    await updateSettings(world, { strict: true });
    expect(await marked()).to.deep.equal(all);
    await updateSettings(world, { strict: false });
    expect(await marked()).to.deep.equal([]);
  });

  it('leaves registered hosts out of the candidates of ordinary servers #blazar-28', async () => {
    await updateSettings(world, { strict: true });
    await registerHosts(world, 2);
    const query = `resources=VCPU:1&required=!${trait}`;
    const { body } = await placement(world, 'GET', `/allocation_candidates?${query}`).expect(200);
    expect((body as Fields)['allocation_requests']).to.have.length(1);
    // Without the aggregate, Compute's filter would accept the hosts.
    const listed = (await compute(world, 'GET', '/os-aggregates').expect(200)).body as Fields;
    const [freepool] = listed['aggregates'] as [Fields];
    for (const host of freepool['hosts'] as string[])
      await compute(world, 'POST', `/os-aggregates/${freepool['id']}/action`, {
        body: { remove_host: { host } },
      }).expect(200);
    for (let i = 0; i < 3; i++) expect(hostOf(await bootServer(world, '1'))).to.equal('compute-3');
    await updateSettings(world, { strict: false });
    const hosts = new Set<unknown>();
    for (let i = 0; i < 3; i++) hosts.add(hostOf(await bootServer(world, '1')));
    expect([...hosts].some((host) => host !== 'compute-3')).to.equal(true);
  });

  it('gives no host to an ordinary server if all are registered', async () => {
    await updateSettings(world, { strict: true });
    await registerHosts(world);
    expect((await bootServer(world, '1'))['status']).to.equal('ERROR');
  });

  it('places servers of instance and host reservations on registered hosts #blazar-10 #blazar-11 #blazar-19', async () => {
    await updateSettings(world, { strict: true });
    await registerHosts(world);
    const lease = await createLease(
      world,
      [instanceReservation({ amount: 2, affinity: true }), hostReservation()],
      { start_date: 'now' },
    );
    const [instances, host] = lease['reservations'] as [Fields, Fields];
    expect(instances).to.include({ aggregate_id: null, server_group_id: null, affinity: true });
    expect(Object.keys(await aggregates(world))).to.have.members(['freepool', host['id']]);
    expect((await bootServer(world, instances['id'] as string))['status']).to.equal('ACTIVE');
    const hinted = await bootServer(world, '1', { reservation: host['id'] });
    expect(hinted['status']).to.equal('ACTIVE');
    expect((await bootServer(world, '1'))['status']).to.equal('ERROR');
    await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
    expect(await marked()).to.deep.equal(all);
  });

  it('marks hosts again after a reset of Placement, and none after one of Reservation', async () => {
    await updateSettings(world, { strict: true });
    await registerHosts(world);
    await reset({ service: 'placement' });
    expect(await marked()).to.deep.equal(all);
    await reset({ service: 'reservation' });
    expect(await marked()).to.deep.equal([]);
    expect((await bootServer(world, '1'))['status']).to.equal('ACTIVE');
  });
});

onEachDatabase(
  'reservations with --reservation-mode strict',
  { ...config, reservationMode: 'strict' },
  (world) => {
    const strict = async (region = ''): Promise<unknown> =>
      (await world.http.get(`/_emulator/reservation/settings${region}`).expect(200)).body.strict;

    it('are strict from the start, in new regions, and after a reset', async () => {
      expect(await strict()).to.equal(true);
      await updateSettings(world, { strict: false });
      expect(await strict()).to.equal(false);
      await world.http.post('/_emulator/reset').send({ service: 'reservation' }).expect(204);
      expect(await strict()).to.equal(true);
      await world.http.post('/_emulator/regions').send({ name: 'Another' }).expect(201);
      expect(await strict('?region=Another')).to.equal(true);
      await world.http.delete('/_emulator/regions/Another').expect(204);
    });
  },
);
