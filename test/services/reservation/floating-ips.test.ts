// Tests of floating IPs and their reservations.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  config,
  expectError,
  leaseBody,
  createLease,
  member,
  network,
  postLease,
  reader,
  showLease,
  type Fields,
} from './support.ts';

onEachDatabase('floating IPs', config, (world) => {
  let networkId: string;

  beforeEach(async () => {
    const made = await network(world, 'POST', '/networks', {
      network: { name: 'outside', 'router:external': true },
    }).expect(201);
    networkId = (made.body as Fields)['network'].id as string;
    const pools = [{ start: '10.9.0.2', end: '10.9.0.9' }];
    await network(world, 'POST', '/subnets', {
      subnet: {
        network_id: networkId,
        cidr: '10.9.0.0/24',
        ip_version: 4,
        allocation_pools: pools,
      },
    }).expect(201);
  });

  const register = (address: string, floating_network_id = networkId) =>
    ask(world, 'POST', '/v1/floatingips', {
      body: { floating_network_id, floating_ip_address: address },
    });
  const floatingIpReservation = (fields: Fields = {}): Fields => ({
    resource_type: 'virtual:floatingip',
    network_id: networkId,
    amount: 1,
    required_floatingips: [],
    ...fields,
  });

  it('registers an address outside of the allocation pools', async () => {
    const { floatingip } = (await register('10.9.0.20').expect(201)).body as Fields;
    expect(floatingip).to.include({
      floating_network_id: networkId,
      floating_ip_address: '10.9.0.20',
      reservable: true,
      created_at: '2026-11-20T12:00:00.000000',
      updated_at: null,
    });
    const shown = (await ask(world, 'GET', `/v1/floatingips/${floatingip.id}`, reader).expect(200))
      .body as Fields;
    expect(shown['floatingip']).to.deep.equal({
      ...floatingip,
      created_at: '2026-11-20 12:00:00',
    });
  });

  it('returns an error for a registered, assignable or unknown address', async () => {
    await register('10.9.0.20').expect(201);
    expectError(
      await register('10.9.0.20'),
      409,
      'The floating IP 10.9.0.20 is registered already.',
    );
    expectError(
      await register('10.9.0.5'),
      400,
      /^The floating IP 10\.9\.0\.5 is used in allocation_pools or gateway_ip in subnet /,
    );
    expectError(
      await register('10.10.0.5'),
      404,
      'Valid subnet for the floating IP 10.10.0.5 is not found.',
    );
    expectError(await register('10.9.0.21', 'none'), 400, 'Failed to find network none');
    expectError(
      await ask(world, 'POST', '/v1/floatingips', { body: {} }),
      400,
      'Missing parameter floating_network_id,floating_ip_address',
    );
  });

  it('deletes a floating IP', async () => {
    const { floatingip } = (await register('10.9.0.20').expect(201)).body as Fields;
    await ask(world, 'DELETE', `/v1/floatingips/${floatingip.id}`).expect(204);
    expectError(
      await ask(world, 'GET', `/v1/floatingips/${floatingip.id}`),
      404,
      `Floating IP ${floatingip.id} not found.`,
    );
  });

  it('returns 400 for an invalid address, and for more floating IPs than registered', async () => {
    for (const address of ['10.9.0.20', '10.9.0.21']) await register(address).expect(201);
    expectError(
      await postLease(world, leaseBody([floatingIpReservation({ required_floatingips: ['x'] })])),
      400,
      'IP address x is invalid form.',
    );
    expectError(
      await postLease(world, leaseBody([floatingIpReservation({ amount: 3 })])),
      400,
      'Not enough floating IPs available',
    );
  });

  it('creates the floating IPs of a lease at its start, and deletes them at its end', async () => {
    const ids = [];
    for (const address of ['10.9.0.20', '10.9.0.21'])
      ids.push(((await register(address).expect(201)).body as Fields)['floatingip'].id);
    const lease = await createLease(
      world,
      [floatingIpReservation({ required_floatingips: ['10.9.0.21'] })],
      {
        start_date: 'now',
      },
    );
    expect(lease['reservations'][0]).to.deep.include({
      network_id: networkId,
      amount: 1,
      required_floatingips: ['10.9.0.21'],
    });
    await showLease(world, lease['id'] as string);
    const listFloatingIps = async (): Promise<unknown[]> =>
      ((await network(world, 'GET', '/floatingips').expect(200)).body as Fields)['floatingips'].map(
        (ip: Fields) => [ip['floating_ip_address'], ip['project_id'], ip['tags']],
      );
    const { id } = lease['reservations'][0] as Fields;
    expect(await listFloatingIps()).to.deep.equal([
      ['10.9.0.21', 'demo', ['blazar', `reservation:${id}`]],
    ]);
    const update = (fields: object) =>
      ask(world, 'PUT', `/v1/leases/${lease['id']}`, {
        ...member,
        body: { reservations: [{ id, ...fields }] },
      });
    await update({ amount: 2 }).expect(200);
    expect(await listFloatingIps()).to.have.length(2);
    expectError(
      await update({ amount: 1 }),
      400,
      'Floating IP reservation cannot be updated with requested parameters. Cannot remove ' +
        'allocations from an active reservation',
    );
    await world.setTime('2026-11-20T14:00:00Z');
    expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
    expect(await listFloatingIps()).to.deep.equal([]);
    expectError(
      await ask(world, 'DELETE', `/v1/floatingips/${ids[1]}`),
      409,
      /is allocated by reservations\.$/,
    );
    await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
    await ask(world, 'DELETE', `/v1/floatingips/${ids[1]}`).expect(204);
  });

  it('keeps the floating IP of another project after a failed start', async () => {
    await register('10.9.0.20').expect(201);
    const lease = await createLease(world, [floatingIpReservation()]);
    const floatingip = {
      floating_network_id: networkId,
      floating_ip_address: '10.9.0.20',
      project_id: 'other',
    };
    await network(world, 'POST', '/floatingips', { floatingip }).expect(201);
    const status = async (): Promise<unknown> =>
      (await showLease(world, lease['id'] as string))['status'];
    await world.setTime('2026-11-20T13:00:00Z');
    expect(await status()).to.equal('ERROR');
    await world.setTime('2026-11-20T14:00:00Z');
    expect(await status()).to.equal('TERMINATED');
    const { floatingips } = (await network(world, 'GET', '/floatingips').expect(200))
      .body as Fields;
    expect((floatingips as Fields[]).map((ip) => ip['project_id'] as string)).to.deep.equal([
      'other',
    ]);
  });
});
