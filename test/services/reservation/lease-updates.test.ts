// Tests of updating leases and their reservations.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  allocations,
  compute,
  config,
  expectError,
  instanceReservation,
  createLease,
  putLease,
  registerHosts,
  showLease,
  type Fields,
} from './support.ts';

onEachDatabase('lease updates', config, (world) => {
  describe('PUT /v1/leases/{id}', () => {
    const slots = async (): Promise<number[]> =>
      (await allocations(world)).map(({ reservations }) => (reservations as unknown[]).length);

    it('changes the name', async () => {
      const { id } = (await createLease(world, [])) as { id: string };
      const changed = (await putLease(world, id, { name: 'other' }).expect(200)).body as Fields;
      expect(changed['lease']).to.include({ name: 'other', status: 'UPDATING' });
      expect(await showLease(world, id)).to.include({ name: 'other', status: 'PENDING' });
    });

    it('changes the dates, and moves the events', async () => {
      await registerHosts(world, 1);
      const { id } = (await createLease(world, [instanceReservation()])) as { id: string };
      await putLease(world, id, { end_date: '2026-11-20 16:00' }).expect(200);
      await putLease(world, id, { start_date: '2026-11-20 15:00' }).expect(200);
      const { lease } = (
        await putLease(world, id, {
          start_date: '2026-11-20 12:30',
          end_date: '2026-11-20 13:00',
        }).expect(200)
      ).body as Fields;
      expect(
        (lease.events as Fields[]).map(({ time }) => (time as string).slice(11, 16)),
      ).to.deep.equal(['12:30', '12:30', '13:00']);
      await world.setTime('2026-11-20T12:30:00Z');
      expect((await showLease(world, id))['status']).to.equal('ACTIVE');
    });

    it('restricts the dates of an active lease', async () => {
      await registerHosts(world, 1);
      const { id } = (await createLease(world, [instanceReservation()], {
        start_date: 'now',
        end_date: '2026-11-20 13:00',
      })) as { id: string };
      await world.setTime('2026-11-20T12:30:00Z');
      expect((await showLease(world, id))['status']).to.equal('ACTIVE');
      expectError(
        await putLease(world, id, { start_date: '2026-11-20 12:45' }),
        400,
        'Cannot modify the start date of already started leases',
      );
      expectError(
        await putLease(world, id, { end_date: '2026-11-20 12:29' }),
        400,
        'End date must be later than current and start date',
      );
      await putLease(world, id, { end_date: 'now' }).expect(200);
      expect((await showLease(world, id))['status']).to.equal('TERMINATED');
    });

    it('only renames a terminated lease', async () => {
      const { id } = (await createLease(world, [])) as { id: string };
      await world.setTime('2026-11-20T14:01:00Z');
      expectError(
        await putLease(world, id, { end_date: '2026-11-20 15:00' }),
        400,
        'Terminated leases can only be renamed',
      );
      await putLease(world, id, { name: 'at rest' }).expect(200);
      expect(await showLease(world, id)).to.include({ name: 'at rest', status: 'TERMINATED' });
    });

    it('changes amount, size and affinity before the start, and recreates the flavor', async () => {
      await registerHosts(world, 3);
      const lease = await createLease(world, [instanceReservation()]);
      const { id } = lease['reservations'][0] as Fields;
      const change = { reservations: [{ id, amount: 3, vcpus: 16, affinity: false }] };
      const { body } = await putLease(world, lease['id'] as string, change).expect(200);
      const after = (body as Fields)['lease'].reservations[0] as Fields;
      expect(after).to.include({ id, amount: 3, vcpus: 16, affinity: false, flavor_id: id });
      expect(after['server_group_id']).to.be.a('string');
      expect(await slots()).to.deep.equal([1, 1, 1]);
      const flavor = ((await compute(world, 'GET', `/flavors/${id}`).expect(200)).body as Fields)[
        'flavor'
      ] as Fields;
      expect(flavor['vcpus']).to.equal(16);
      expectError(
        await putLease(world, lease['id'] as string, { reservations: [{ id, amount: 4 }] }),
        500,
        'Not enough hosts available',
      );
      expect(await slots()).to.deep.equal([1, 1, 1]);
    });

    it('accepts only more instances while the lease is active', async () => {
      await registerHosts(world, 2);
      const lease = await createLease(world, [instanceReservation({ vcpus: 4, amount: 3 })], {
        start_date: 'now',
      });
      const { id } = lease['reservations'][0] as Fields;
      await putLease(world, lease['id'] as string, { reservations: [{ id, amount: 6 }] }).expect(
        200,
      );
      expect(await slots()).to.deep.equal([4, 2]);
      expect((await aggregates(world))[id as string]).to.deep.equal(['compute-1', 'compute-2']);
      const cases: [Fields, string][] = [
        [{ vcpus: 1 }, 'An active reservation only accepts to update amount.'],
        [
          { amount: 5 },
          "Instance reservation doesn't allow to reduce/replace reserved instance slots " +
            'when the reservation is in active status.',
        ],
      ];
      for (const [fields, message] of cases)
        expectError(
          await putLease(world, lease['id'] as string, { reservations: [{ id, ...fields }] }),
          409,
          message,
        );
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('ACTIVE');
    });

    it('returns an error for an unknown reservation or another resource type', async () => {
      await registerHosts(world, 1);
      const lease = await createLease(world, [instanceReservation()]);
      const { id } = lease['reservations'][0] as Fields;
      expectError(
        await putLease(world, lease['id'] as string, { reservations: [{ amount: 1 }] }),
        400,
        'Missing parameter reservation ID',
      );
      expectError(
        await putLease(world, lease['id'] as string, { reservations: [{ id: 'x' }, { id: 'y' }] }),
        400,
        'Please enter valid reservation IDs. Invalid reservation IDs are: x,y',
      );
      expectError(
        await putLease(world, lease['id'] as string, {
          reservations: [{ id, resource_type: 'physical:host' }],
        }),
        409,
        'resource_type cannot be updated',
      );
    });

    it('ignores fields that cannot change', async () => {
      await registerHosts(world, 1);
      const lease = await createLease(world, [instanceReservation()]);
      const { lease: same } = (
        await putLease(world, lease['id'] as string, {
          status: 'ACTIVE',
          events: [],
          project_id: 'x',
        }).expect(200)
      ).body as Fields;
      expect(same).to.deep.equal({ ...lease, status: 'UPDATING' });
      expect(await showLease(world, lease['id'] as string)).to.deep.equal(lease);
    });
  });
});
