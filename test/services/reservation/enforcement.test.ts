// Tests of the operator's limits: the maximum duration, and the external service.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  ask,
  config,
  expectError,
  hostReservation,
  leaseBody,
  createLease,
  member,
  postLease,
  registerHosts,
  showLease,
  updateSettings,
  type Fields,
} from './support.ts';

onEachDatabase('enforcement of limits', config, (world) => {
  it('limits the duration of leases, except in exempt projects', async () => {
    await updateSettings(world, { max_lease_duration: 1800 });
    const message =
      'Lease duration of 3600 seconds must be less than or equal to the maximum lease ' +
      'duration of 1800 seconds.';
    expectError(await postLease(world, leaseBody([])), 403, message);
    const { id } = await createLease(world, [], { end_date: '2026-11-20 13:30' });
    const longer = { ...member, body: { end_date: '2026-11-20 14:00' } };
    expectError(await ask(world, 'PUT', `/v1/leases/${id}`, longer), 400, message);
    await updateSettings(world, { max_lease_duration_exempt_project_ids: ['demo'] });
    await ask(world, 'PUT', `/v1/leases/${id}`, longer).expect(200);
  });

  describe('external service', () => {
    let service: Server;
    let requests: { path: string; token: unknown; body: Fields }[];
    let reply: { status: number; body?: object };

    beforeEach((done) => {
      requests = [];
      reply = { status: 204 };
      service = createServer((request, response) => {
        let text = '';
        request.on('data', (data: Buffer) => (text += data.toString()));
        request.on('end', () => {
          requests.push({
            path: request.url!,
            token: request.headers['x-auth-token'],
            body: JSON.parse(text) as Fields,
          });
          response.writeHead(reply.status, { 'content-type': 'application/json' });
          response.end(reply.body ? JSON.stringify(reply.body) : undefined);
        });
      }).listen(0, '127.0.0.1', done);
    });
    afterEach((done) => void service.close(done));

    it('approves the creation and update of a lease, and receives its end', async () => {
      await registerHosts(world, 1);
      const base = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
      const { body } = await updateSettings(world, {
        external_service: { base_url: base, token: 'secret' },
      });
      expect((body as Fields)['external_service']).to.deep.equal({ base_url: base });
      const lease = await createLease(world, [hostReservation()]);
      expect(requests[0]).to.include({ path: '/check-create', token: 'secret' });
      expect(requests[0]!.body['context']).to.include({
        user_id: 'demo',
        project_id: 'demo',
        region_name: 'RegionOne',
      });
      expect(requests[0]!.body['lease'].reservations[0].allocations[0]).to.include({
        hypervisor_hostname: 'compute-1',
      });
      await ask(world, 'PUT', `/v1/leases/${lease['id']}`, {
        ...member,
        body: { end_date: '2026-11-20 15:00' },
      }).expect(200);
      expect(requests[1]!.path).to.equal('/check-update');
      expect([
        requests[1]!.body['current_lease'].end_date,
        requests[1]!.body['lease'].end_date,
      ]).to.deep.equal(['2026-11-20T14:00:00.000000', '2026-11-20T15:00:00.000000']);
      reply = { status: 403, body: { message: 'No money left.' } };
      expectError(await postLease(world, leaseBody([])), 400, 'No money left.');
      reply = { status: 500 };
      expectError(
        await postLease(world, leaseBody([])),
        400,
        'External service enforcement filter denied the request.',
      );
      await world.setTime('2026-11-20T15:00:00Z');
      expect(requests.at(-1)!.path).to.equal('/on-end');
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATED');
      expect(
        ((await ask(world, 'GET', '/v1/leases').expect(200)).body as Fields)['leases'],
      ).to.have.length(1);
    });
  });
});
