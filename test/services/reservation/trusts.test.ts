// Tests of the trusts of leases and hosts, with Keystone authentication.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { instanceReservation, leaseBody, type Fields } from './support.ts';

onEachDatabase('trusts of leases', { hosts: '1' }, (world) => {
  const token = async (user: string, project = 'demo'): Promise<string> => {
    const domain = { id: 'default' };
    const auth = {
      identity: {
        methods: ['password'],
        password: { user: { name: user, domain, password: 'secret' } },
      },
      scope: { project: { name: project, domain } },
    };
    const { headers } = await world.http
      .post('/identity/v3/auth/tokens')
      .send({ auth })
      .expect(201);
    return headers['x-subject-token'] as string;
  };
  const ask = (method: string, path: string, as: string, body?: unknown) =>
    world.ask('reservation', method, `/reservation/v1${path}`, {
      token: as,
      ...(body === undefined ? {} : { body }),
    });

  it('exist as long as the lease or host; a failed request leaves none behind', async () => {
    const [admin, demo] = [await token('admin', 'admin'), await token('demo')];
    const trusts = async (): Promise<Fields[]> =>
      (
        (
          await world.http
            .get('/identity/v3/OS-TRUST/trusts')
            .set('x-auth-token', admin)
            .expect(200)
        ).body as Fields
      )['trusts'] as Fields[];
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
});
