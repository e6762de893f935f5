// Tests of latencies: the tasks of servers finish when the emulator's clock reaches their due time.
import { expect } from 'chai';
import { SECOND } from '../../../../src/kernel/clock.ts';
import { SerializationFailure } from '../../../../src/kernel/db/errors.ts';
import { transact } from '../../../../src/kernel/db/transaction.ts';
import { listServices } from '../../../../src/services/compute/store/hosts/services.ts';
import { requireKnownEvacuations } from '../../../../src/services/compute/store/servers/migrations.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault } from '../support.ts';
import { act, admin, madeServer, newest, showServer } from '../servers/makers.ts';

const latency = {
  'server.create': 5 * SECOND,
  'server.stop': 2 * SECOND,
  'server.resize': SECOND,
  'server.delete': SECOND,
  'server.createImage': 3 * SECOND,
  'server.os-migrateLive': SECOND,
  'server.evacuate': SECOND,
};

onEachDatabase('compute: servers with latencies', { ...config, latency }, (world) => {
  it('builds a server when the latency has passed', async () => {
    const { id, ...server } = await madeServer(world);
    expect(server).to.include({
      status: 'BUILD',
      'OS-EXT-STS:task_state': 'spawning',
      'OS-SRV-USG:launched_at': null,
    });
    await world.setTime('2026-11-20T12:00:04Z');
    expect((await showServer(world, id)).status).to.equal('BUILD');
    await world.setTime('2026-11-20T12:00:10Z');
    const built = await showServer(world, id);
    expect(built).to.include({
      status: 'ACTIVE',
      'OS-EXT-STS:task_state': null,
      'OS-SRV-USG:launched_at': '2026-11-20T12:00:05.000000',
    });
  });

  it('shows the task state, and returns 409 for another action during the task', async () => {
    const { id } = await madeServer(world);
    await world.setTime('2026-11-20T12:01:00Z');
    const stopping = await act(world, id, { 'os-stop': null });
    expect(stopping).to.include({ status: 'ACTIVE', 'OS-EXT-STS:task_state': 'powering-off' });
    const again = await ask(world, 'POST', `/servers/${id}/action`, {
      ...admin,
      body: { 'os-stop': null },
    });
    expectFault(again, 409, `Cannot 'stop' instance ${id} while it is in task_state powering-off`);
  });

  it('abandons the task of a server whose state is reset', async () => {
    const { id } = await madeServer(world);
    await world.setTime('2026-11-20T12:01:00Z');
    await act(world, id, { 'os-stop': null });
    await act(world, id, { 'os-resetState': { state: 'active' } });
    await world.setTime('2026-11-20T12:02:00Z');
    expect((await showServer(world, id)).status).to.equal('ACTIVE');
  });

  it('resizes a server when the latency has passed', async () => {
    const { id } = await madeServer(world);
    await world.setTime('2026-11-20T12:02:00Z');
    const resizing = await act(world, id, { resize: { flavorRef: '2' } });
    expect(resizing).to.include({ status: 'RESIZE', 'OS-EXT-STS:task_state': 'resize_migrating' });
    await world.setTime('2026-11-20T12:03:00Z');
    expect((await showServer(world, id)).status).to.equal('VERIFY_RESIZE');
  });

  /** The status of an image, or the status code of the reply if the image is unknown. */
  const image = async (id: string): Promise<string | number> => {
    const reply = await world.ask('image', 'GET', `/image/v2/images/${id}`, {
      token: 'admin:demo',
    });
    return (reply.body as { status?: string }).status ?? reply.status;
  };

  const snapshot = async (server: string): Promise<string> => {
    const asked = { ...admin, version: newest, body: { createImage: { name: 'snap' } } };
    return (await ask(world, 'POST', `/servers/${server}/action`, asked)).body.image_id as string;
  };

  it('keeps the image of a server queued until the latency has passed', async () => {
    const { id } = await madeServer(world);
    await world.setTime('2026-11-20T12:01:00Z');
    const first = await snapshot(id);
    expect(await image(first)).to.equal('queued');
    await ask(world, 'POST', `/servers/${id}/action`, {
      ...admin,
      body: { createImage: { name: 'two' } },
    }).expect(409);
    await world.setTime('2026-11-20T12:01:05Z');
    expect(await image(first)).to.equal('active');
    expect(await showServer(world, id)).to.include({
      status: 'ACTIVE',
      'OS-EXT-STS:task_state': null,
    });
  });

  it('finishes the task if the image is deleted meanwhile', async () => {
    const { id } = await madeServer(world);
    await world.setTime('2026-11-20T12:01:00Z');
    const deleted = await snapshot(id);
    await world
      .ask('image', 'DELETE', `/image/v2/images/${deleted}`, { token: 'admin:demo' })
      .expect(204);
    await world.setTime('2026-11-20T12:02:00Z');
    expect(await showServer(world, id))
      .to.include({ status: 'ACTIVE', 'OS-EXT-STS:task_state': null })
      .and.not.to.have.property('fault');
  });

  it('deletes the queued image of a server that is deleted, and keeps active ones', async () => {
    const { id } = await madeServer(world);
    await world.setTime('2026-11-20T12:01:00Z');
    const first = await snapshot(id);
    await world.setTime('2026-11-20T12:02:00Z');
    const abandoned = await snapshot(id);
    await ask(world, 'DELETE', `/servers/${id}`, admin).expect(204);
    await world.setTime('2026-11-20T12:03:00Z');
    expect([await image(first), await image(abandoned)]).to.deep.equal(['active', 404]);
  });

  it('aborts a running live migration', async () => {
    const { id } = await madeServer(world);
    await world.setTime('2026-11-20T12:01:00Z');
    const before = await act(world, id, {
      'os-migrateLive': { host: null, block_migration: 'auto' },
    });
    expect(before.status).to.equal('MIGRATING');
    const { migrations } = (
      await ask(world, 'GET', `/servers/${id}/migrations`, { ...admin, version: newest })
    ).body as {
      migrations: { id: number; status: string }[];
    };
    expect(migrations.map(({ status }) => status)).to.deep.equal(['running']);
    await ask(world, 'DELETE', `/servers/${id}/migrations/${migrations[0]!.id}`, {
      ...admin,
      version: newest,
    }).expect(202);
    await world.setTime('2026-11-20T12:02:00Z');
    const after = await showServer(world, id);
    expect(after).to.include({
      status: 'ACTIVE',
      'OS-EXT-SRV-ATTR:host': before['OS-EXT-SRV-ATTR:host'],
    });
    const { hypervisors } = (await ask(world, 'GET', '/os-hypervisors/detail', admin)).body as {
      hypervisors: { vcpus_used: number }[];
    };
    expect(hypervisors.map(({ vcpus_used: used }) => used).toSorted()).to.deep.equal([0, 0, 1]);
  });

  it('force-completes a running live migration', async () => {
    const { id } = await madeServer(world);
    await world.setTime('2026-11-20T12:01:00Z');
    const before = await act(world, id, {
      'os-migrateLive': { host: null, block_migration: 'auto' },
    });
    const asked = { ...admin, version: '2.23' };
    const { migrations } = (await ask(world, 'GET', `/servers/${id}/migrations`, asked)).body as {
      migrations: { id: number }[];
    };
    const force = (migration: number | string, version = '2.22') =>
      ask(world, 'POST', `/servers/${id}/migrations/${migration}/action`, {
        ...admin,
        version,
        body: { force_complete: null },
      });
    expect((await force(migrations[0]!.id, '2.21')).status).to.equal(404);
    expect((await force(99)).body.badRequest.message).to.equal(
      `Migration 99 not found for instance ${id}`,
    );
    await force(migrations[0]!.id).expect(202);
    const after = await showServer(world, id);
    expect(after.status).to.equal('ACTIVE');
    expect(after['OS-EXT-SRV-ATTR:host']).to.not.equal(before['OS-EXT-SRV-ATTR:host']);
    expect((await force(migrations[0]!.id)).status).to.equal(409);
    const { instanceActions } = (
      await ask(world, 'GET', `/servers/${id}/os-instance-actions`, admin)
    ).body as {
      instanceActions: { action: string }[];
    };
    expect(instanceActions.map(({ action }) => action)).to.include('live_migration_force_complete');
  });

  it('deletes a server that is being built, when the latency has passed', async () => {
    const { id } = await madeServer(world);
    await ask(world, 'DELETE', `/servers/${id}`, admin).expect(204);
    expect((await showServer(world, id))['OS-EXT-STS:task_state']).to.equal('deleting');
    await world.setTime('2026-11-20T12:00:09Z');
    expect((await ask(world, 'GET', `/servers/${id}`, admin)).status).to.equal(404);
    const { hypervisors } = (await ask(world, 'GET', '/os-hypervisors/detail', admin)).body as {
      hypervisors: { vcpus_used: number }[];
    };
    expect(hypervisors.map(({ vcpus_used: used }) => used)).to.deep.equal([0, 0, 0]);
  });

  const forceDown = async (host: string, down: boolean): Promise<void> => {
    const at = { ...admin, version: newest };
    const { services } = (await ask(world, 'GET', `/os-services?host=${host}`, at)).body as {
      services: { id: string }[];
    };
    const body = { forced_down: down };
    await ask(world, 'PUT', `/os-services/${services[0]!.id}`, { ...at, body }).expect(200);
  };

  it('evacuates a server whose host is up again before the latency has passed', async () => {
    const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
    await world.setTime('2026-11-20T12:01:00Z');
    await forceDown('compute-1', true);
    await act(world, id, { evacuate: { host: 'compute-2' } }, 200);
    await forceDown('compute-1', false);
    await world.setTime('2026-11-20T12:02:00Z');
    const evacuated = await showServer(world, id);
    expect(evacuated['OS-EXT-SRV-ATTR:host']).to.equal('compute-2');
    const { body } = await world.ask('placement', 'GET', `/placement/allocations/${id}`);
    const held = Object.keys((body as { allocations: object }).allocations);
    const found = await world.ask(
      'placement',
      'GET',
      '/placement/resource_providers?name=compute-2',
    );
    const { resource_providers: providers } = found.body as {
      resource_providers: { uuid: string }[];
    };
    expect(held).to.deep.equal(providers.map(({ uuid }) => uuid));
  });

  // SQLite has one writer at a time.
  if (world.kind === 'mysql')
    it('starts over when a server of the host is evacuated after the first read', async () => {
      const { id } = await madeServer(world, { availability_zone: 'nova:compute-1' });
      await world.setTime('2026-11-20T12:01:00Z');
      await forceDown('compute-1', true);
      const attempts: (number | Error)[] = [];
      await transact(world.cloud.firstRegion.database.db, async (db, attempt) => {
        attempts.push(attempt);
        await listServices(db);
        if (attempt === 1) await act(world, id, { evacuate: {} }, 200);
        await requireKnownEvacuations(db, 'compute-1').catch((error: Error) => {
          attempts.push(error);
          throw error;
        });
      });
      expect(attempts).to.have.length(3);
      expect(attempts[1]).to.be.instanceOf(SerializationFailure);
    });
});
