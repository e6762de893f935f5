// Tests of the trusts of leases and hosts, with Keystone authentication.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask as identity, ids, signIn } from '../identity/support.ts';
import { instanceReservation, leaseBody, type Fields } from './support.ts';

onEachDatabase('trusts of leases', { hosts: '1' }, (world) => {
  const token = (user: string): Promise<string> => signIn(world, { name: user });
  const ask = (method: string, path: string, as: string, body?: unknown) =>
    world.ask('reservation', method, `/reservation/v1${path}`, {
      token: as,
      ...(body === undefined ? {} : { body }),
    });

  const trusts = async (): Promise<Fields[]> =>
    ((await identity(world, 'GET', '/v3/OS-TRUST/trusts')).body as Fields)['trusts'] as Fields[];

  it('exist as long as the lease or host; a failed request leaves none behind', async () => {
    const [admin, demo] = [await token('admin'), await token('demo')];
    const { host } = (await ask('POST', '/os-hosts', admin, { name: 'compute-1' }).expect(201))
      .body as Fields;
    expect((await trusts()).map(({ id }) => id as string)).to.deep.equal([host.trust_id]);
    const { lease } = (
      await ask('POST', '/leases', demo, leaseBody([instanceReservation()])).expect(201)
    ).body as Fields;
    await ask('POST', '/leases', demo, leaseBody([instanceReservation({ amount: 99 })])).expect(
      500,
    );
    const trust = (await trusts()).find(({ id }) => id === lease.trust_id)!;
    expect(trust).to.include({
      trustor_user_id: lease.user_id,
      project_id: lease.project_id,
      impersonation: true,
    });
    expect(await trusts()).to.have.length(2);

    // An administrator's change creates a server group that belongs to the owner of the lease.
    const change = { reservations: [{ id: lease.reservations[0].id, affinity: true }] };
    const { lease: changed } = (await ask('PUT', `/leases/${lease.id}`, admin, change).expect(200))
      .body as Fields;
    const { body } = await world
      .ask('compute', 'GET', '/compute/v2.1/os-server-groups', { token: demo })
      .expect(200);
    expect((body as Fields)['server_groups'].map(({ id }: Fields) => id as string)).to.deep.equal([
      changed.reservations[0].server_group_id,
    ]);

    await ask('DELETE', `/leases/${lease.id}`, demo).expect(204);
    await ask('DELETE', `/os-hosts/${host.id}`, admin).expect(204);
    expect(await trusts()).to.deep.equal([]);
  });

  it('are refused to application credentials, before anything is stored', async () => {
    const admin = await token('admin');
    for (const unrestricted of [false, true]) {
      const created = await identity(
        world,
        'POST',
        `/v3/users/${ids.admin}/application_credentials`,
        {
          token: admin,
          body: { application_credential: { name: String(unrestricted), unrestricted } },
        },
      );
      const { id, secret } = (created.body as Fields).application_credential as Fields;
      const credential = await signIn(world, {
        scope: null,
        identity: {
          methods: ['application_credential'],
          application_credential: { id, secret },
        },
      });
      for (const [path, body] of [
        ['/leases', leaseBody([instanceReservation()])],
        ['/os-hosts', { name: 'compute-1' }],
        ['/floatingips', { floating_network_id: 'n', floating_ip_address: '192.0.2.9' }],
      ] as const) {
        const reply = await ask('POST', path, credential, body).expect(403);
        expect(reply.text).to.contain('is not allowed for managing trusts');
        expect(Object.values((await ask('GET', path, admin)).body as Fields)).to.deep.equal([[]]);
      }
    }
    expect(await trusts()).to.deep.equal([]);
  });

  it('are restored by the next request of the owner after the owner has deleted one', async () => {
    const [admin, demo] = [await token('admin'), await token('demo')];
    await ask('POST', '/os-hosts', admin, { name: 'compute-1' }).expect(201);
    const { lease } = (
      await ask('POST', '/leases', demo, leaseBody([instanceReservation()])).expect(201)
    ).body as Fields;
    const path = `/v3/OS-TRUST/trusts/${lease.trust_id}`;
    expect((await identity(world, 'DELETE', path, { token: demo })).status).to.equal(204);
    await ask('PUT', `/leases/${lease.id}`, admin, { name: 'by an administrator' }).expect(200);
    expect((await identity(world, 'GET', path, { token: demo })).status).to.equal(404);
    await ask('PUT', `/leases/${lease.id}`, demo, { name: 'by the owner' }).expect(200);
    expect((await identity(world, 'GET', path, { token: demo })).status).to.equal(200);
  });

  it('are not restored by a request without one of their roles', async () => {
    const [admin, demo] = [await token('admin'), await token('demo')];
    await ask('POST', '/os-hosts', admin, { name: 'compute-1' }).expect(201);
    await identity(
      world,
      'PUT',
      `/v3/projects/${ids.demoProject}/users/${ids.demo}/roles/${ids.role('manager')}`,
    );
    const { lease } = (
      await ask('POST', '/leases', await token('demo'), leaseBody([instanceReservation()])).expect(
        201,
      )
    ).body as Fields;
    const path = `/v3/OS-TRUST/trusts/${lease.trust_id}`;
    expect((await identity(world, 'DELETE', path, { token: demo })).status).to.equal(204);
    await identity(
      world,
      'DELETE',
      `/v3/projects/${ids.demoProject}/users/${ids.demo}/roles/${ids.role('manager')}`,
    );
    await ask('PUT', `/leases/${lease.id}`, await token('demo'), { name: 'x' }).expect(200);
    expect((await identity(world, 'GET', path)).status).to.equal(404);
  });
});
