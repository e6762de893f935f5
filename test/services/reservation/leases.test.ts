// Tests of leases: what is refused and in which words, who may see them, what is changed and
// deleted, and reservations of whole hosts.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  boot,
  compute,
  config,
  expectFault,
  hostOf,
  hostsWanted,
  instancesWanted,
  leaseOf,
  makeLease,
  member,
  reader,
  registerHosts,
  showLease,
  someone,
  type Fields,
} from './support.ts';

onEachDatabase('leases', config, (world) => {
  const post = (body: unknown, who = member) => ask(world, 'POST', '/v1/leases', { ...who, body });
  const put = (id: string, body: unknown, who = member) =>
    ask(world, 'PUT', `/v1/leases/${id}`, { ...who, body });
  const allocations = async (query = ''): Promise<Fields[]> =>
    ((await ask(world, 'GET', `/v1/os-hosts/allocations${query}`).expect(200)).body as Fields)[
      'allocations'
    ] as Fields[];

  describe('what is refused', () => {
    it('is a lease without what it needs, or with dates that are none', async () => {
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
        [{ reservations: [hostsWanted()] }, 500, 'Not enough hosts available'],
      ];
      for (const [fields, status, message] of cases)
        expectFault(await post(leaseOf([], fields)), status, message);
    });

    it('is a reservation of hosts that says too little or too much', async () => {
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
        expectFault(await post(leaseOf([hostsWanted(fields)])), 400, message);
    });

    it('is a reservation of instances that says too little or too much', async () => {
      await registerHosts(world, 1);
      const cases: [Fields, string][] = [
        [{ amount: undefined }, 'Missing parameter amount'],
        [{ amount: 0 }, 'amount must be >= 1'],
        [{ amount: 'x' }, 'amount must be an integer'],
        [{ vcpus: 'x' }, 'Malformed parameter vcpus'],
        [{ affinity: 'perhaps' }, 'Malformed parameter affinity (must be a bool value or None)'],
      ];
      for (const [fields, message] of cases)
        expectFault(await post(leaseOf([instancesWanted(fields)])), 400, message);
    });

    it('is what no host can give, with the reasons', async () => {
      await registerHosts(world, 2, { gpu: 'no' });
      const { body } = await post(leaseOf([instancesWanted({ vcpus: 17 })])).expect(500);
      expect((body as Fields)['error_reasons']).to.deep.equal([
        { reason: 'is too small: 16 VCPU', hosts: 2 },
      ]);
      const other = await post(
        leaseOf([hostsWanted({ resource_properties: '["==", "$gpu", "yes"]' })]),
      ).expect(500);
      expect((other.body as Fields)['error_reasons']).to.deep.equal([
        { reason: 'does not meet ["==","$gpu","yes"]', hosts: 2 },
      ]);
      // Of what was refused, nothing is left.
      expect(Object.keys(await aggregates(world))).to.deep.equal(['freepool']);
      expect(
        (await allocations()).flatMap(({ reservations }) => reservations as unknown[]),
      ).to.deep.equal([]);
    });

    it('is a body that is no JSON, in the words of the framework', async () => {
      const { body } = await post('{').expect(400);
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

  describe('who may see and change them', () => {
    it('is the project, and administrators; readers only look', async () => {
      const { id } = (await makeLease(world, [])) as { id: string };
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
      const refused = "Policy doesn't allow blazar:leases:get to be performed";
      for (const method of ['GET', 'PUT', 'DELETE'])
        expectFault(
          await ask(world, method, `/v1/leases/${id}`, {
            ...other,
            ...(method === 'PUT' ? { body: {} } : {}),
          }),
          403,
          refused,
        );
      expectFault(
        await post(leaseOf([]), reader),
        403,
        "Policy doesn't allow blazar:leases:post to be performed",
      );
      expectFault(
        await put(id, {}, reader),
        403,
        "Policy doesn't allow blazar:leases:put to be performed",
      );
      expectFault(
        await ask(world, 'GET', '/v1/leases/none', member),
        404,
        "Object with {'lease_id': 'none'} not found",
      );
    });
  });

  describe('a lease without reservations', () => {
    it('has the dates, the events, and the owner that it ought to have', async () => {
      const lease = await makeLease(world, [], {
        start_date: '2050-12-26 12:00',
        end_date: '2050-12-27 12:00',
        events: [{ event_type: 'notify', event_date: '2050-12-26 13:00' }],
        project_id: 'stranger',
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

  describe('a reservation of hosts', () => {
    it('has hosts to itself from its start to its end', async () => {
      await registerHosts(world, 2);
      const lease = await makeLease(world, [hostsWanted()]);
      const { id, ...reservation } = lease['reservations'][0] as Fields;
      expect(reservation).to.include({ status: 'pending', min: 1, max: 1, before_end: 'default' });
      expect(reservation).to.not.have.property('aggregate_id');
      expect((await boot(world, '1', { reservation: id }))['status']).to.equal('ERROR');
      await world.setTime('2026-11-20T13:00:00Z');
      expect(await aggregates(world)).to.deep.equal({
        freepool: ['compute-2'],
        [id as string]: ['compute-1'],
      });
      const server = await boot(world, '1', { reservation: id });
      expect([server['status'], hostOf(server)]).to.deep.equal(['ACTIVE', 'compute-1']);
      const stranger = await boot(
        world,
        '1',
        { reservation: id },
        someone('member,reader', 'eve', 'other'),
      );
      expect(stranger['status']).to.equal('ERROR');
      await world.setTime('2026-11-20T14:00:00Z');
      await compute(world, 'GET', `/servers/${server['id']}`).expect(404);
      expect(await aggregates(world)).to.deep.equal({ freepool: ['compute-1', 'compute-2'] });
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
    });

    it('keeps images of its servers before the end, where it wants them', async () => {
      await registerHosts(world, 1);
      const lease = await makeLease(world, [hostsWanted({ before_end: 'snapshot' })], {
        start_date: 'now',
        before_end_date: '2026-11-20 13:30',
      });
      await boot(world, '1', { reservation: (lease['reservations'][0] as Fields)['id'] });
      await world.setTime('2026-11-20T14:00:00Z');
      const { body } = await world
        .ask('image', 'GET', '/image/v2/images?name=reserved_s')
        .expect(200);
      expect((body as Fields)['images']).to.have.length(1);
    });

    it('is given hosts that nobody has reserved first, and shares none', async () => {
      const ids = await registerHosts(world);
      const at = (hour: number): Fields => ({
        start_date: `2026-11-21 ${hour}:00`,
        end_date: `2026-11-21 ${hour + 1}:00`,
      });
      const first = await makeLease(world, [hostsWanted()], at(10));
      await makeLease(world, [hostsWanted()], at(11));
      const third = await makeLease(world, [hostsWanted({ max: 3 })], at(12));
      const held = await allocations();
      expect(held.map(({ resource_id: id }) => id as string)).to.deep.equal(ids);
      expect(held.map(({ reservations }) => (reservations as unknown[]).length)).to.deep.equal([
        1, 1, 1,
      ]);
      expect((held[0]!['reservations'] as Fields[])[0]).to.deep.equal({
        id: (first['reservations'][0] as Fields)['id'],
        lease_id: first['id'],
        start_date: '2026-11-21T10:00:00.000000',
        end_date: '2026-11-21T11:00:00.000000',
      });
      const one = await allocations(`?lease_id=${third['id']}`);
      expect(one.map(({ reservations }) => (reservations as unknown[]).length)).to.deep.equal([
        0, 0, 1,
      ]);
      const { body } = await ask(world, 'GET', `/v1/os-hosts/${ids[2]}/allocation`).expect(200);
      expect((body as Fields)['allocation']).to.deep.equal(held[2]);
      expectFault(
        await post(leaseOf([hostsWanted({ min: 3, max: 3 })], at(10))),
        500,
        'Not enough hosts available',
      );
    });

    it('grows while it is active, and replaces hosts before', async () => {
      const ids = await registerHosts(world, 3);
      const lease = await makeLease(world, [hostsWanted()]);
      const { id } = lease['reservations'][0] as Fields;
      const wanted = {
        reservations: [
          { id, hypervisor_properties: '["==", "$hypervisor_hostname", "compute-2"]' },
        ],
      };
      await put(lease['id'] as string, wanted).expect(200);
      const held = async (): Promise<string[]> =>
        (await allocations())
          .filter(({ reservations }) => (reservations as unknown[]).length)
          .map(({ resource_id }) => resource_id as string);
      expect(await held()).to.deep.equal([ids[1]]);
      await world.setTime('2026-11-20T13:00:00Z');
      await put(lease['id'] as string, {
        reservations: [{ id, hypervisor_properties: '', min: 2, max: 2 }],
      }).expect(200);
      expect(await held()).to.deep.equal([ids[0], ids[1]]);
      expect((await aggregates(world))[id as string]).to.deep.equal(['compute-1', 'compute-2']);
      expectFault(
        await put(lease['id'] as string, { reservations: [{ id, min: 1, max: 1 }] }),
        500,
        'Not enough hosts available',
      );
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('ACTIVE');
    });
  });

  describe('PUT /v1/leases/{id}', () => {
    const slots = async (): Promise<number[]> =>
      (await allocations()).map(({ reservations }) => (reservations as unknown[]).length);

    it('renames, prolongs, reduces, defers and advances', async () => {
      await registerHosts(world, 1);
      const { id } = (await makeLease(world, [instancesWanted()])) as { id: string };
      const changed = (await put(id, { name: 'other' }).expect(200)).body as Fields;
      expect(changed['lease']).to.include({ name: 'other', status: 'UPDATING' });
      expect(await showLease(world, id)).to.include({ name: 'other', status: 'PENDING' });
      await put(id, { end_date: '2026-11-20 16:00' }).expect(200);
      await put(id, { start_date: '2026-11-20 15:00' }).expect(200);
      const { lease } = (
        await put(id, { start_date: '2026-11-20 12:30', end_date: '2026-11-20 13:00' }).expect(200)
      ).body as Fields;
      expect(
        (lease.events as Fields[]).map(({ time }) => (time as string).slice(11, 16)),
      ).to.deep.equal(['12:30', '12:30', '13:00']);
      await world.setTime('2026-11-20T12:30:00Z');
      expect((await showLease(world, id))['status']).to.equal('ACTIVE');
      expectFault(
        await put(id, { start_date: '2026-11-20 12:45' }),
        400,
        'Cannot modify the start date of already started leases',
      );
      expectFault(
        await put(id, { end_date: '2026-11-20 12:29' }),
        400,
        'End date must be later than current and start date',
      );
      await put(id, { end_date: 'now' }).expect(200);
      expect((await showLease(world, id))['status']).to.equal('TERMINATED');
      await world.setTime('2026-11-20T14:00:00Z');
      expectFault(
        await put(id, { end_date: '2026-11-20 15:00' }),
        400,
        'Terminated leases can only be renamed',
      );
      await put(id, { name: 'at rest' }).expect(200);
      expect(await showLease(world, id)).to.include({ name: 'at rest', status: 'TERMINATED' });
    });

    it('changes amount, size and affinity before the start, and makes the flavor anew', async () => {
      await registerHosts(world, 3);
      const lease = await makeLease(world, [instancesWanted()]);
      const { id } = lease['reservations'][0] as Fields;
      const change = { reservations: [{ id, amount: 3, vcpus: 16, affinity: false }] };
      const { body } = await put(lease['id'] as string, change).expect(200);
      const after = (body as Fields)['lease'].reservations[0] as Fields;
      expect(after).to.include({ id, amount: 3, vcpus: 16, affinity: false, flavor_id: id });
      expect(after['server_group_id']).to.be.a('string');
      expect(await slots()).to.deep.equal([1, 1, 1]);
      const flavor = ((await compute(world, 'GET', `/flavors/${id}`).expect(200)).body as Fields)[
        'flavor'
      ] as Fields;
      expect(flavor['vcpus']).to.equal(16);
      expectFault(
        await put(lease['id'] as string, { reservations: [{ id, amount: 4 }] }),
        500,
        'Not enough hosts available',
      );
      expect(await slots()).to.deep.equal([1, 1, 1]);
    });

    it('takes more instances while it is active, and nothing else', async () => {
      await registerHosts(world, 2);
      const lease = await makeLease(world, [instancesWanted({ vcpus: 4, amount: 3 })], {
        start_date: 'now',
      });
      const { id } = lease['reservations'][0] as Fields;
      await put(lease['id'] as string, { reservations: [{ id, amount: 6 }] }).expect(200);
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
        expectFault(
          await put(lease['id'] as string, { reservations: [{ id, ...fields }] }),
          409,
          message,
        );
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('ACTIVE');
    });

    it('refuses reservations that are not its own, and other types', async () => {
      await registerHosts(world, 1);
      const lease = await makeLease(world, [instancesWanted()]);
      const { id } = lease['reservations'][0] as Fields;
      expectFault(
        await put(lease['id'] as string, { reservations: [{ amount: 1 }] }),
        400,
        'Missing parameter reservation ID',
      );
      expectFault(
        await put(lease['id'] as string, { reservations: [{ id: 'x' }, { id: 'y' }] }),
        400,
        'Please enter valid reservation IDs. Invalid reservation IDs are: x,y',
      );
      expectFault(
        await put(lease['id'] as string, {
          reservations: [{ id, resource_type: 'physical:host' }],
        }),
        409,
        'resource_type cannot be updated',
      );
      const { lease: same } = (
        await put(lease['id'] as string, { status: 'ACTIVE', events: [], project_id: 'x' }).expect(
          200,
        )
      ).body as Fields;
      expect(same).to.deep.equal({ ...lease, status: 'UPDATING' });
      expect(await showLease(world, lease['id'] as string)).to.deep.equal(lease);
    });
  });

  describe('DELETE /v1/leases/{id}', () => {
    it('takes the servers with it, whatever the status', async () => {
      await registerHosts(world, 2);
      const lease = await makeLease(world, [hostsWanted(), instancesWanted()], {
        start_date: 'now',
      });
      const [whole, part] = lease['reservations'] as Fields[];
      const servers = [
        await boot(world, '1', { reservation: whole!['id'] }),
        await boot(world, part!['id'] as string),
      ];
      expect(servers.map(({ status }) => status as string)).to.deep.equal(['ACTIVE', 'ACTIVE']);
      await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
      for (const { id } of servers) await compute(world, 'GET', `/servers/${id}`).expect(404);
      expect(await aggregates(world)).to.deep.equal({ freepool: ['compute-1', 'compute-2'] });
      const pending = await makeLease(world, [hostsWanted({ min: 2, max: 2 })]);
      await ask(world, 'DELETE', `/v1/leases/${pending['id']}`, member).expect(204);
      const count = await world.cloud.firstRegion.database
        .db('jobs')
        .where('kind', 'like', 'reservation.%')
        .count('* as count');
      expect(Number((count[0] as { count: number }).count)).to.equal(0);
    });

    it('leaves hosts alone that the lease could not have when it started', async () => {
      await registerHosts(world, 1);
      const lease = await makeLease(world, [hostsWanted()]);
      const { body } = await compute(world, 'GET', '/os-aggregates').expect(200);
      const { id: pool } = ((body as Fields)['aggregates'] as Fields[]).find(
        ({ name }) => name === 'freepool',
      )!;
      await compute(world, 'POST', `/os-aggregates/${pool}/action`, {
        body: { remove_host: { host: 'compute-1' } },
      }).expect(200);
      await world.setTime('2026-11-20T13:00:00Z');
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('ERROR');
      const server = await boot(world, '1');
      expect(server['status']).to.equal('ACTIVE');
      await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
      await compute(world, 'GET', `/servers/${server['id']}`).expect(200);
      expect(await aggregates(world)).to.deep.equal({ freepool: [] });
    });
  });
});

onEachDatabase(
  'leases of servers that take their time',
  { ...config, latency: { 'server.delete': 5_000_000 } },
  (world) => {
    it('end when these are gone, and the next lease of the host waits for that', async () => {
      await registerHosts(world, 1);
      const lease = await makeLease(world, [hostsWanted()], {
        start_date: 'now',
        end_date: '2026-11-20 13:00',
      });
      const next = await makeLease(world, [hostsWanted()], {
        start_date: '2026-11-20 13:00',
        end_date: '2026-11-20 14:00',
      });
      const part = (lease['reservations'][0] as Fields)['id'] as string;
      const server = await boot(world, '1', { reservation: part });
      await world.setTime('2026-11-20T13:00:02Z');
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATING');
      expect((await showLease(world, next['id'] as string))['status']).to.equal('STARTING');
      expectFault(
        await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member),
        409,
        'Invalid lease status.',
      );
      await world.setTime('2026-11-20T13:00:10Z');
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
      expect((await showLease(world, next['id'] as string))['status']).to.equal('ACTIVE');
      await compute(world, 'GET', `/servers/${server['id']}`).expect(404);
      const own = (next['reservations'][0] as Fields)['id'] as string;
      expect(await aggregates(world)).to.deep.equal({ freepool: [], [own]: ['compute-1'] });
      await boot(world, '1', { reservation: own });
      await ask(world, 'DELETE', `/v1/leases/${next['id']}`, member).expect(204);
      expect((await showLease(world, next['id'] as string))['status']).to.equal('DELETING');
      await world.setTime('2026-11-20T13:00:20Z');
      await ask(world, 'GET', `/v1/leases/${next['id']}`).expect(404);
    });
  },
);
