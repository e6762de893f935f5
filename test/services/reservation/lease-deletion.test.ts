// Tests of deleting leases, also while their servers are being deleted.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  aggregates,
  ask,
  bootServer,
  compute,
  config,
  expectError,
  hostReservation,
  instanceReservation,
  createLease,
  member,
  registerHosts,
  showLease,
  type Fields,
} from './support.ts';

onEachDatabase('lease deletion', config, (world) => {
  describe('DELETE /v1/leases/{id}', () => {
    it('deletes the servers of an active lease, and leaves no jobs behind', async () => {
      await registerHosts(world, 2);
      const lease = await createLease(world, [hostReservation(), instanceReservation()], {
        start_date: 'now',
      });
      const [whole, part] = lease['reservations'] as Fields[];
      const servers = [
        await bootServer(world, '1', { reservation: whole!['id'] }),
        await bootServer(world, part!['id'] as string),
      ];
      expect(servers.map(({ status }) => status as string)).to.deep.equal(['ACTIVE', 'ACTIVE']);
      await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
      for (const { id } of servers) await compute(world, 'GET', `/servers/${id}`).expect(404);
      expect(await aggregates(world)).to.deep.equal({ freepool: ['compute-1', 'compute-2'] });
      const pending = await createLease(world, [hostReservation({ min: 2, max: 2 })]);
      await ask(world, 'DELETE', `/v1/leases/${pending['id']}`, member).expect(204);
      const count = await world.cloud.firstRegion.database
        .db('jobs')
        .where('kind', 'like', 'reservation.%')
        .count('* as count');
      expect(Number((count[0] as { count: number }).count)).to.equal(0);
    });

    it('keeps servers on hosts that the lease could not use', async () => {
      await registerHosts(world, 1);
      const lease = await createLease(world, [hostReservation()]);
      const { body } = await compute(world, 'GET', '/os-aggregates').expect(200);
      const { id: pool } = ((body as Fields)['aggregates'] as Fields[]).find(
        ({ name }) => name === 'freepool',
      )!;
      await compute(world, 'POST', `/os-aggregates/${pool}/action`, {
        body: { remove_host: { host: 'compute-1' } },
      }).expect(200);
      await world.setTime('2026-11-20T13:00:00Z');
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('ERROR');
      const server = await bootServer(world, '1');
      expect(server['status']).to.equal('ACTIVE');
      await ask(world, 'DELETE', `/v1/leases/${lease['id']}`, member).expect(204);
      await compute(world, 'GET', `/servers/${server['id']}`).expect(200);
      expect(await aggregates(world)).to.deep.equal({ freepool: [] });
    });
  });
});

onEachDatabase(
  'leases whose servers are slow to delete',
  { ...config, latency: { 'server.delete': 5_000_000 } },
  (world) => {
    it('end when the servers are gone; the next lease of the host waits for that', async () => {
      await registerHosts(world, 1);
      const lease = await createLease(world, [hostReservation()], {
        start_date: 'now',
        end_date: '2026-11-20 13:00',
      });
      const next = await createLease(world, [hostReservation()], {
        start_date: '2026-11-20 13:00',
        end_date: '2026-11-20 14:00',
      });
      const part = (lease['reservations'][0] as Fields)['id'] as string;
      const server = await bootServer(world, '1', { reservation: part });
      await world.setTime('2026-11-20T13:00:02Z');
      expect((await showLease(world, lease['id'] as string))['status']).to.equal('TERMINATING');
      expect((await showLease(world, next['id'] as string))['status']).to.equal('STARTING');
      expectError(
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
      await bootServer(world, '1', { reservation: own });
      await ask(world, 'DELETE', `/v1/leases/${next['id']}`, member).expect(204);
      expect((await showLease(world, next['id'] as string))['status']).to.equal('DELETING');
      await world.setTime('2026-11-20T13:00:20Z');
      await ask(world, 'GET', `/v1/leases/${next['id']}`).expect(404);
    });
  },
);
