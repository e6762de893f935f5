// Tests of calendars, the next free span, and explanations.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import {
  ask,
  config,
  expectError,
  hostOf,
  hostReservation,
  instanceReservation,
  createLease,
  reader,
  registerHosts,
  type Fields,
} from './support.ts';

onEachDatabase('availability', config, (world) => {
  it('lists the reserved times of resources without their owners', async () => {
    const ids = await registerHosts(world, 2);
    await createLease(world, [hostReservation(), instanceReservation({ amount: 3 })]);
    const { body } = await ask(
      world,
      'GET',
      '/availability?resource_type=physical:host',
      reader,
    ).expect(200);
    const span = {
      start_date: '2026-11-20T13:00:00.000000',
      end_date: '2026-11-20T14:00:00.000000',
    };
    expect(body).to.deep.equal({
      availability: [
        {
          resource_type: 'physical:host',
          resource_id: ids[0],
          reservable: true,
          busy: [{ resource_type: 'physical:host', amount: 1, ...span }],
        },
        {
          resource_type: 'physical:host',
          resource_id: ids[1],
          reservable: true,
          busy: [{ resource_type: 'virtual:instance', amount: 3, ...span }],
        },
      ],
    });
    const later = '/availability?start_date=2026-11-20%2014:00&end_date=2026-11-20%2015:00';
    const free = ((await ask(world, 'GET', later, reader).expect(200)).body as Fields)[
      'availability'
    ] as Fields[];
    expect(free.map(({ busy }) => busy as unknown)).to.deep.equal([[], []]);
    expectError(
      await ask(world, 'GET', '/availability?start_date=x', reader),
      400,
      /^x is an invalid date/,
    );
  });

  it('finds the next free span, and explains why a request does not fit', async () => {
    await registerHosts(world, 1);
    await createLease(world, [hostReservation()], { start_date: 'now' });
    const next = async (reservation: Fields): Promise<unknown> =>
      (
        (
          await ask(world, 'POST', '/availability/next', {
            ...reader,
            body: { reservation, duration: 60 },
          }).expect(200)
        ).body as Fields
      )['next'];
    expect(await next(instanceReservation())).to.deep.equal({
      start_date: '2026-11-20T14:00:00.000000',
      end_date: '2026-11-20T15:00:00.000000',
    });
    expect(await next(instanceReservation({ vcpus: 99 }))).to.equal(null);
    const request = {
      reservation: instanceReservation(),
      start_date: '2026-11-20 13:00',
      end_date: '2026-11-20 15:00',
    };
    const explain = async (who: Asked = reader): Promise<Fields> =>
      (
        (await ask(world, 'POST', '/availability/explain', { ...who, body: request }).expect(200))
          .body as Fields
      )['explanation'] as Fields;
    const { fits, resources } = await explain();
    expect(fits).to.equal(false);
    expect((resources as Fields[])[0]).to.include({
      amount: 0,
      reason: 'is reserved as a whole from 2026-11-20T12:00 to 2026-11-20T14:00',
    });
    expect((resources as Fields[])[0]).to.not.have.property('hypervisor_hostname');
    expect(((await explain({}))['resources'] as Fields[])[0]).to.include({
      hypervisor_hostname: 'compute-1',
    });
    expect(hostOf({})).to.equal(undefined);
  });
});
