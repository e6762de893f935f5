// Tests of reservations of instances of a flavor.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  bootServer,
  classOf,
  compute,
  config,
  expectError,
  instanceReservation,
  inventoriesOf,
  leaseBody,
  liftQuota,
  createLease,
  member,
  postLease,
  registerHosts,
  showLease,
  type Fields,
} from './support.ts';

onEachDatabase('flavor reservations', config, (world) => {
  const flavorReservation = (fields: Fields = {}): Fields => ({
    resource_type: 'flavor:instance',
    flavor_id: '2',
    amount: 2,
    affinity: 'None',
    ...fields,
  });

  it('copies the flavor, and reserves slots of its size', async () => {
    await registerHosts(world, 1);
    await liftQuota(world);
    const lease = await createLease(world, [flavorReservation({ resource_properties: '' })], {
      start_date: 'now',
    });
    const { id, ...part } = lease['reservations'][0] as Fields;
    expect(part).to.include({
      vcpus: 1,
      memory_mb: 2048,
      disk_gb: 20,
      amount: 2,
      affinity: null,
      flavor_id: id,
    });
    expect(JSON.parse(part['resource_properties'] as string)).to.include({
      id: '2',
      name: 'm1.small',
      ram: 2048,
    });
    await showLease(world, lease['id'] as string);
    expect((await inventoriesOf(world, 'compute-1'))![classOf(id as string)].total).to.equal(2);
    const states = [];
    for (let count = 0; count < 3; count++)
      states.push((await bootServer(world, id as string))['status']);
    expect(states).to.deep.equal(['ACTIVE', 'ACTIVE', 'ERROR']);
    await ask(world, 'PUT', `/v1/leases/${lease['id']}`, {
      ...member,
      body: { end_date: '2026-11-20 16:00' },
    }).expect(200);
    expectError(
      await ask(world, 'PUT', `/v1/leases/${lease['id']}`, {
        ...member,
        body: { reservations: [{ id, amount: 3 }] },
      }),
      409,
      "Updating leases for 'flavor:instance' type reservations is not yet supported.",
    );
    await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
    await compute(world, 'GET', `/flavors/${id}`).expect(404);
  });

  it('returns an error for missing fields, an unknown flavor, and affinity', async () => {
    await registerHosts(world, 1);
    const cases: [Fields, number, string | RegExp][] = [
      [{ amount: undefined, flavor_id: undefined }, 400, 'Missing parameter amount,flavor_id'],
      [
        { flavor_id: 'none' },
        404,
        /^Flavor none could not be found. \(HTTP 404\) \(Request-ID: req-[0-9a-f-]{36}\)$/,
      ],
      [{ affinity: true }, 409, 'Affinity not supported yet'],
    ];
    for (const [fields, status, message] of cases)
      expectError(await postLease(world, leaseBody([flavorReservation(fields)])), status, message);
  });

  it('returns 500 when the inventory in Placement or the host is full', async () => {
    await registerHosts(world, 1);
    // 64 VCPU because of the allocation ratio, and 65024 MB without the reserved part: 3 instances
    // of 16 GB fit.
    await createLease(world, [flavorReservation({ flavor_id: 5, amount: 3 })]);
    expectError(
      await postLease(world, leaseBody([flavorReservation({ flavor_id: 5, amount: 1 })])),
      500,
      'Not enough hosts available',
    );
    // 24 VCPU are reserved, and the host has 16.
    expectError(
      await postLease(world, leaseBody([instanceReservation()])),
      500,
      'Not enough hosts available',
    );
  });

  it('returns 409 for a host with other instances at the same time', async () => {
    await registerHosts(world, 1);
    const before = { start_date: '2026-11-20 12:30', end_date: '2026-11-20 12:40' };
    await createLease(world, [flavorReservation({ flavor_id: 1 })], before);
    await createLease(world, [instanceReservation()], before);
    expectError(
      await postLease(world, leaseBody([flavorReservation({ flavor_id: 1 })], before)),
      409,
      'Conflicting reservation types found',
    );
  });

  it('returns 500 when no host has the required trait', async () => {
    await registerHosts(world, 1);
    const specs = { extra_specs: { 'trait:CUSTOM_GOLD': 'required' } };
    await world
      .ask('placement', 'PUT', '/placement/traits/CUSTOM_GOLD', { version: '1.29' })
      .expect(201);
    await compute(world, 'POST', '/flavors/1/os-extra_specs', { body: specs }).expect(200);
    const later = { start_date: '2026-11-21 13:00', end_date: '2026-11-21 14:00' };
    const { body } = await postLease(
      world,
      leaseBody([flavorReservation({ flavor_id: 1 })], later),
    ).expect(500);
    expect((body as Fields)['error_reasons']).to.deep.equal([
      { reason: 'does not have the traits CUSTOM_GOLD', hosts: 1 },
    ]);
  });
});
