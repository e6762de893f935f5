// Tests of creating and reading leases: errors, authorization, and the fields of a lease.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  allocations,
  ask,
  config,
  expectError,
  hostReservation,
  instanceReservation,
  leaseBody,
  createLease,
  member,
  postLease,
  putLease,
  reader,
  registerHosts,
  showLease,
  someone,
  type Fields,
} from './support.ts';

onEachDatabase('leases', config, (world) => {
  describe('POST /v1/leases', () => {
    it('returns an error for missing or invalid fields of a lease', async () => {
      const cases: [Fields, number, string | RegExp][] = [
        [{ end_date: undefined }, 400, 'Missing parameter end_date'],
        [{ name: undefined, start_date: undefined }, 400, 'Missing parameter name, start_date'],
        [{ name: 'x'.repeat(81) }, 400, 'Malformed parameter name'],
        [{ reservations: [{}] }, 400, 'Missing parameter resource_type'],
        [
          { start_date: '2026-11-20T13:00' },
          400,
          '2026-11-20T13:00 is an invalid date. Required format: %Y-%m-%d %H:%M',
        ],
        [{ start_date: 'bogus' }, 400, 'bogus is an invalid date. Required format: %Y-%m-%d %H:%M'],
        [{ start_date: '2026-11-20 11:59' }, 400, 'Start date must be later than current date'],
        [{ end_date: '2026-11-20 13:00' }, 400, 'End date must be later than start date.'],
        [{ before_end_date: '2026-11-20 14:00' }, 403, 'Datetime is out of lease limits'],
        [
          { reservations: [{ resource_type: 'foo' }] },
          400,
          'The foo resource type is not supported',
        ],
        [{ reservations: [hostReservation()] }, 500, 'Not enough hosts available'],
      ];
      for (const [fields, status, message] of cases)
        expectError(await postLease(world, leaseBody([], fields)), status, message);
    });

    it('returns 400 for missing or invalid fields of a host reservation', async () => {
      await registerHosts(world, 1);
      const cases: [Fields, string | RegExp][] = [
        [{ max: undefined, min: '1' }, 'Missing parameter max'],
        [{ min: 'bar' }, 'Malformed parameter min'],
        [{ min: 0 }, 'Malformed parameter min and max (must be greater than or equal to 1)'],
        [
          { min: 2 },
          'Invalid values for min/max of hosts. Max must be equal to or larger than min.',
        ],
        [{ hypervisor_properties: undefined }, 'Missing parameter hypervisor_properties'],
        [{ before_end: 'x' }, 'Malformed parameter before_end'],
        [{ resource_properties: '["or", 1]' }, /^Malformed requirements /],
        [{ resource_properties: '["==", "$gpu", 1]' }, /^Malformed requirements /],
        [{ resource_properties: '["==", "$gpu", "1"]' }, 'No host has the property gpu'],
      ];
      for (const [fields, message] of cases)
        expectError(await postLease(world, leaseBody([hostReservation(fields)])), 400, message);
    });

    it('returns 400 for missing or invalid fields of an instance reservation', async () => {
      await registerHosts(world, 1);
      const cases: [Fields, string][] = [
        [{ amount: undefined }, 'Missing parameter amount'],
        [{ amount: 0 }, 'amount must be >= 1'],
        [{ amount: 'x' }, 'amount must be an integer'],
        [{ vcpus: 'x' }, 'Malformed parameter vcpus'],
        [{ affinity: 'perhaps' }, 'Malformed parameter affinity (must be a bool value or None)'],
      ];
      for (const [fields, message] of cases)
        expectError(await postLease(world, leaseBody([instanceReservation(fields)])), 400, message);
    });

    it('returns 500 with the reasons if no host is suitable, and leaves nothing', async () => {
      await registerHosts(world, 2, { gpu: 'no' });
      const { body } = await postLease(
        world,
        leaseBody([instanceReservation({ vcpus: 17 })]),
      ).expect(500);
      expect((body as Fields)['error_reasons']).to.deep.equal([
        { reason: 'is too small: 16 VCPU', hosts: 2 },
      ]);
      const other = await postLease(
        world,
        leaseBody([hostReservation({ resource_properties: '["==", "$gpu", "yes"]' })]),
      ).expect(500);
      expect((other.body as Fields)['error_reasons']).to.deep.equal([
        { reason: 'does not meet ["==","$gpu","yes"]', hosts: 2 },
      ]);
      // The failed requests leave no aggregates and no allocations.
      expect(Object.keys(await aggregates(world))).to.deep.equal(['freepool']);
      expect(
        (await allocations(world)).flatMap(({ reservations }) => reservations as unknown[]),
      ).to.deep.equal([]);
    });

    it('returns 400 in the format of the framework for a body that is not JSON', async () => {
      const { body } = await postLease(world, '{').expect(400);
      expect((body as Fields)['error']).to.equal(400);
      const typed = await ask(world, 'POST', '/v1/leases', {
        ...member,
        headers: { ...member.headers, 'content-type': 'text/plain' },
        body: '{}',
      });
      expect(typed.body).to.deep.equal({
        error: 400,
        error_message: "Content type 'text/plain' isn't supported",
      });
    });
  });

  describe('authorization', () => {
    it('allows the project and administrators; readers cannot write', async () => {
      const { id } = (await createLease(world, [])) as { id: string };
      const other = someone('member,reader', 'demo', 'other');
      expect(
        ((await ask(world, 'GET', '/v1/leases', other).expect(200)).body as Fields)['leases'],
      ).to.deep.equal([]);
      expect(
        ((await ask(world, 'GET', '/v1/leases').expect(200)).body as Fields)['leases'],
      ).to.have.length(1);
      expect(
        ((await ask(world, 'GET', '/v1/leases?all=1', reader).expect(200)).body as Fields)[
          'leases'
        ],
      ).to.have.length(1);
      const message = "Policy doesn't allow blazar:leases:get to be performed";
      for (const method of ['GET', 'PUT', 'DELETE'])
        expectError(
          await ask(world, method, `/v1/leases/${id}`, {
            ...other,
            ...(method === 'PUT' ? { body: {} } : {}),
          }),
          403,
          message,
        );
      expectError(
        await postLease(world, leaseBody([]), reader),
        403,
        "Policy doesn't allow blazar:leases:post to be performed",
      );
      expectError(
        await putLease(world, id, {}, reader),
        403,
        "Policy doesn't allow blazar:leases:put to be performed",
      );
      expectError(
        await ask(world, 'GET', '/v1/leases/none', member),
        404,
        "Object with {'lease_id': 'none'} not found",
      );
    });
  });

  describe('GET /v1/leases/{id}', () => {
    it('shows the dates, events and owner of a lease, until it is deleted', async () => {
      const lease = await createLease(world, [], {
        start_date: '2050-12-26 12:00',
        end_date: '2050-12-27 12:00',
        events: [{ event_type: 'notify', event_date: '2050-12-26 13:00' }],
        project_id: 'other',
      });
      expect(lease).to.include({
        name: 'lease',
        user_id: 'demo',
        project_id: 'demo',
        start_date: '2050-12-26T12:00:00.000000',
        end_date: '2050-12-27T12:00:00.000000',
        status: 'PENDING',
        degraded: false,
        created_at: '2026-11-20 12:00:00',
        updated_at: '2026-11-20 12:00:00',
      });
      expect(lease['trust_id']).to.match(/^[0-9a-f]{32}$/);
      const events = (lease['events'] as Fields[]).map(({ event_type: type, time, status }) => [
        type,
        time,
        status,
      ]);
      expect(events).to.deep.equal([
        ['start_lease', '2050-12-26T12:00:00.000000', 'UNDONE'],
        ['before_end_lease', '2050-12-27T11:00:00.000000', 'UNDONE'],
        ['end_lease', '2050-12-27T12:00:00.000000', 'UNDONE'],
        ['notify', null, null],
      ]);
      expect(await showLease(world, lease['id'] as string)).to.deep.equal(lease);
      const removed = await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
      expect(removed.text).to.equal('');
      expect(removed.headers['content-type']).to.equal('application/json');
      await ask(world, 'GET', `/v1/leases/${lease['id']}`, member).expect(404);
    });
  });
});
