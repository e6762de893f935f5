// Tests of /_emulator/snapshots: taking, listing, restoring and dropping snapshots of the cloud.
import { expect } from 'chai';
import { insertRevocation } from '../../../src/services/identity/store/auth/tokens.ts';
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { faultsOf } from '../fault-injection/support.ts';
import { errorIn, snapshotsOf } from './support.ts';

const admin = { version: '2.96' };

const toolsOf = (world: World) => {
  const compute = (method: string, path: string, body?: object) =>
    world.ask('compute', method, `/compute/v2.1${path}`, { ...admin, ...(body && { body }) });
  const provider = (name: string, prefix = '') =>
    world
      .ask('placement', 'POST', `${prefix}/placement/resource_providers`, {
        version: '1.20',
        body: { name },
      })
      .expect(200);
  const providers = async (prefix = ''): Promise<string[]> => {
    const { body } = await world
      .ask('placement', 'GET', `${prefix}/placement/resource_providers`)
      .expect(200);
    return (body as { resource_providers: { name: string }[] }).resource_providers
      .map(({ name }) => name)
      .toSorted();
  };
  const clock = async (): Promise<object> =>
    (await world.http.get('/_emulator/clock').expect(200)).body as object;
  const setClock = (body: object) =>
    world.ask('emulator', 'PUT', '/_emulator/clock', { token: null, body }).expect(200);
  const regions = async (): Promise<string[]> =>
    (
      (await world.http.get('/_emulator/regions')).body as { regions: { name: string }[] }
    ).regions.map(({ name }) => name);
  const addRegion = (body: object) =>
    world.ask('emulator', 'POST', '/_emulator/regions', { token: null, body }).expect(201);
  return {
    compute,
    provider,
    providers,
    clock,
    setClock,
    regions,
    addRegion,
    ...snapshotsOf(world),
  };
};

const config = { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2', hosts: '1' } as const;

onEachDatabase('/_emulator/snapshots', config, (world) => {
  const { compute, provider, providers, clock, setClock, regions, addRegion, ...snapshots } =
    toolsOf(world);
  const { save, restore, list } = snapshots;

  const drop = (name: string) => world.http.delete(`/_emulator/regions/${name}`).expect(204);

  afterEach(async () => {
    for (const name of await regions())
      if (!config.regions.includes(name as 'RegionOne')) await drop(name);
    for (const { name } of await list()) await snapshots.drop(name).expect(204);
  });

  it('lists snapshots by name, with their time, regions, size and rows', async () => {
    const { body } = await save('b').expect(201);
    await save('A-1.x').expect(201);
    const all = await list();
    expect(all.map(({ name }) => name)).to.deep.equal(['A-1.x', 'b']);
    expect(all[1]).to.deep.equal((body as { snapshot: object }).snapshot);
    expect(all[1]).to.include({ now: '2026-11-20T12:00:00.000000Z' });
    expect(all[1]!.regions).to.deep.equal(['RegionOne', 'RegionTwo']);
    expect(all[1]!.size).to.be.within(5_000, 100_000);
    expect(all[1]!.rows).to.be.greaterThan(800);
  });

  it('shows one snapshot', async () => {
    const { body } = await save('b').expect(201);
    expect((await snapshots.show('b').expect(200)).body).to.deep.equal(body);
  });

  it('drops a snapshot', async () => {
    await save('b').expect(201);
    await save('A-1.x').expect(201);
    await snapshots.drop('b').expect(204);
    expect((await list()).map(({ name }) => name)).to.deep.equal(['A-1.x']);
  });

  it('restores the data of every region, as often as requested', async () => {
    await provider('one');
    await provider('two', '/RegionTwo');
    await save('s').expect(201);
    await provider('later');
    await provider('later', '/RegionTwo');
    const { body } = await world
      .ask('placement', 'GET', '/placement/resource_providers?name=one')
      .expect(200);
    const [{ uuid }] = (body as { resource_providers: [{ uuid: string }] }).resource_providers;
    await world.ask('placement', 'DELETE', `/placement/resource_providers/${uuid}`).expect(204);
    await restore('s').expect(204);
    expect([await providers(), await providers('/RegionTwo')]).to.deep.equal([
      ['compute-1', 'one'],
      ['compute-1', 'two'],
    ]);
    await restore('s').expect(204);
    expect(await providers()).to.deep.equal(['compute-1', 'one']);
  });

  it('overwrites an existing snapshot of the same name', async () => {
    await save('s').expect(201);
    await provider('one');
    await save('s').expect(200);
    await provider('two');
    await restore('s').expect(204);
    expect(await providers()).to.deep.equal(['compute-1', 'one']);
    expect(await list()).to.have.length(1);
  });

  it('restores servers, volumes and image data, and servers work afterwards', async () => {
    const { body: made } = await world
      .ask('image', 'POST', '/image/v2/images', {
        body: { name: 'i', disk_format: 'raw', container_format: 'bare' },
      })
      .expect(201);
    const image = (made as { id: string }).id;
    const data = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => (at * 7919) % 251));
    await world.http
      .put(`/image/v2/images/${image}/file`)
      .set({ 'x-auth-token': 'admin', 'content-type': 'application/octet-stream' })
      .send(data)
      .expect(204);
    const { body: volume } = await world
      .ask('volume', 'POST', '/volume/v3/admin/volumes', {
        body: { volume: { size: 3, name: 'v' } },
      })
      .expect(202);
    const server = { name: 's', imageRef: image, flavorRef: '1', networks: 'none' };
    const { body: booted } = await compute('POST', '/servers', { server }).expect(202);
    const [volumeId, serverId] = [
      (volume as { volume: { id: string } }).volume.id,
      (booted as { server: { id: string } }).server.id,
    ];
    const before = (await compute('GET', `/servers/${serverId}`).expect(200)).body as object;
    await save('s').expect(201);
    await compute('DELETE', `/servers/${serverId}`).expect(204);
    await world.ask('volume', 'DELETE', `/volume/v3/admin/volumes/${volumeId}`).expect(202);
    await world.ask('image', 'DELETE', `/image/v2/images/${image}`).expect(204);
    await restore('s').expect(204);
    expect((await compute('GET', `/servers/${serverId}`).expect(200)).body).to.deep.equal(before);
    await world.ask('volume', 'GET', `/volume/v3/admin/volumes/${volumeId}`).expect(200);
    const { body: bytes } = await world
      .ask('image', 'GET', `/image/v2/images/${image}/file`)
      .expect(200);
    expect(Buffer.compare(bytes as Buffer, data)).to.equal(0);
    await compute('DELETE', `/servers/${serverId}`).expect(204);
    await compute('GET', `/servers/${serverId}`).expect(404);
  });

  describe('the clock', () => {
    const reset = () =>
      world.ask('emulator', 'POST', '/_emulator/reset', { token: null }).expect(204);

    it('is frozen again at the same time', async () => {
      await save('frozen').expect(201);
      await reset();
      await restore('frozen').expect(204);
      expect(await clock()).to.include({ now: '2026-11-20T12:00:00.000000Z', frozen: true });
    });

    it('runs ahead by the same offset', async () => {
      await setClock({ now: '2030-01-01T00:00:00Z', frozen: false });
      await save('ahead').expect(201);
      await reset();
      await restore('ahead').expect(204);
      const { now, frozen } = (await clock()) as { now: string; frozen: boolean };
      expect([now.slice(0, 10), frozen]).to.deep.equal(['2030-01-01', false]);
    });

    it('shows the real time again', async () => {
      await reset();
      await save('real').expect(201);
      await setClock({ now: '2030-01-01T00:00:00Z', frozen: true });
      await restore('real').expect(204);
      const real = (await clock()) as { frozen: boolean; ahead_seconds: number };
      expect(real.frozen).to.equal(false);
      expect(real.ahead_seconds).to.be.closeTo(0, 0.001);
    });
  });

  it('restores leases with their pending events, which run when they are due again', async () => {
    const lease = (action: string): string => `/reservation/v1/${action}`;
    const body = {
      name: 'l',
      start_date: '2026-11-20 13:00',
      end_date: '2026-11-20 15:00',
      reservations: [
        {
          resource_type: 'virtual:instance',
          amount: 1,
          vcpus: 1,
          memory_mb: 64,
          disk_gb: 1,
          affinity: null,
          resource_properties: '',
        },
      ],
      events: [],
    };
    const [host] = (
      (await world.ask('compute', 'GET', '/compute/v2.1/os-hypervisors').expect(200)).body as {
        hypervisors: { hypervisor_hostname: string }[];
      }
    ).hypervisors;
    await world
      .ask('reservation', 'POST', lease('os-hosts'), { body: { name: host!.hypervisor_hostname } })
      .expect(201);
    const { body: made } = await world
      .ask('reservation', 'POST', lease('leases'), { body })
      .expect(201);
    const { id } = (made as { lease: { id: string } }).lease;
    const status = async (): Promise<string> =>
      (
        (await world.ask('reservation', 'GET', lease(`leases/${id}`)).expect(200)).body as {
          lease: { status: string };
        }
      ).lease.status;
    expect(await status()).to.equal('PENDING');
    await save('s').expect(201);
    for (let time = 0; time < 2; time++) {
      await world.setTime('2026-11-20T13:30:00Z');
      expect(await status()).to.equal('ACTIVE');
      await world.setTime('2026-11-20T16:00:00Z');
      expect(await status()).to.equal('TERMINATED');
      await restore('s').expect(204);
      expect(await status()).to.equal('PENDING');
    }
    await world.ask('reservation', 'DELETE', lease(`leases/${id}`)).expect(204);
    await restore('s').expect(204);
    expect(await status()).to.equal('PENDING');
  });

  describe('fault rules', () => {
    const faults = faultsOf(world);
    const images = async (): Promise<number> =>
      (await world.ask('image', 'GET', '/image/v2/images')).status;

    beforeEach(async () => {
      await faults.add({ match: { service: 'image' }, effect: { status: 503 }, count: 2 });
      expect(await images()).to.equal(503);
      await save('s').expect(201);
    });

    it('are restored with their counters', async () => {
      expect([await images(), await images()]).to.deep.equal([503, 200]);
      await restore('s').expect(204);
      expect([await images(), await images()]).to.deep.equal([503, 200]);
    });

    it('are restored after they have been removed', async () => {
      await faults.clear();
      expect(await images()).to.equal(200);
      await restore('s').expect(204);
      expect([await images(), await images()]).to.deep.equal([503, 200]);
    });

    it('that were added since have no effect after a restore', async () => {
      await faults.clear();
      await faults.add({ match: { service: 'placement' }, effect: { status: 500 } });
      await world.ask('placement', 'GET', '/placement/resource_providers').expect(500);
      await restore('s').expect(204);
      expect([await providers().then(() => 200), await images(), await images()]).to.deep.equal([
        200, 503, 200,
      ]);
    });
  });

  it('restores auto-increment counters, so that no id is reused', async () => {
    const aggregate = async (name: string): Promise<number> =>
      (
        (await compute('POST', '/os-aggregates', { aggregate: { name } }).expect(200)).body as {
          aggregate: { id: number };
        }
      ).aggregate.id;
    const [first, second] = [await aggregate('a'), await aggregate('b')];
    await compute('DELETE', `/os-aggregates/${second}`).expect(200);
    await save('s').expect(201);
    await world.ask('emulator', 'POST', '/_emulator/reset', { token: null }).expect(204);
    await restore('s').expect(204);
    const third = await aggregate('c');
    expect(third).to.be.greaterThan(second).and.greaterThan(first);
    if (world.kind === 'sqlite') expect(third).to.equal(second + 1);
  });

  describe('regions', () => {
    beforeEach(async () => {
      await addRegion({ name: 'Alpha' });
      await provider('mine', '/Alpha');
      await save('with').expect(201);
      await drop('Alpha');
      await addRegion({ name: 'Beta' });
      await save('without').expect(201);
      await restore('with').expect(204);
    });

    it('that were dropped since are recreated with their data', async () => {
      expect((await regions()).toSorted()).to.deep.equal(['Alpha', 'RegionOne', 'RegionTwo']);
      expect(await providers('/Alpha')).to.deep.equal(['compute-1', 'mine']);
      await restore('without').expect(204);
      expect(await regions()).to.have.members(['RegionOne', 'RegionTwo', 'Beta']);
      expect(await providers('/Beta')).to.deep.equal(['compute-1']);
    });

    it('that were added since are dropped, and leave the catalog', async () => {
      await world.ask('placement', 'GET', '/Beta/placement/resource_providers').expect(404);
      await restore('without').expect(204);
      await world.ask('placement', 'GET', '/Alpha/placement/resource_providers').expect(404);
      const inCatalog = (await world.cloud.central
        .db('identity_regions')
        .orderBy('id')
        .pluck('id')) as string[];
      expect(inCatalog).to.include('Beta').and.not.include('Alpha');
    });
  });

  it('keeps snapshots themselves across resets and restores', async () => {
    await save('one').expect(201);
    await world.ask('emulator', 'POST', '/_emulator/reset', { token: null }).expect(204);
    await save('two').expect(201);
    await restore('one').expect(204);
    expect((await list()).map(({ name }) => name)).to.deep.equal(['one', 'two']);
  });

  it('takes consistent snapshots while requests write', async () => {
    const pair = async (at: number): Promise<void> => {
      const { body } = await world
        .ask('placement', 'POST', '/placement/resource_providers', {
          version: '1.20',
          body: { name: `p${at}` },
        })
        .expect(200);
      await world
        .ask(
          'placement',
          'PUT',
          `/placement/resource_providers/${(body as { uuid: string }).uuid}/inventories`,
          {
            version: '1.20',
            body: {
              resource_provider_generation: 0,
              inventories: { VCPU: { total: 1 }, MEMORY_MB: { total: 1 } },
            },
          },
        )
        .expect(200);
    };
    await Promise.all([...Array.from({ length: 20 }, (_, at) => pair(at)), save('s').expect(201)]);
    await restore('s').expect(204);
    const rows = (await world.cloud.firstRegion.database
      .db('placement_inventories as i')
      .join('placement_providers as p', 'p.id', 'i.provider_id')
      .where('p.name', 'like', 'p%')
      .groupBy('p.id')
      .count('* as total')) as { total: number }[];
    for (const { total } of rows) expect(Number(total)).to.equal(2);
    expect(await providers()).to.include('compute-1');
  });

  for (const name of ['-a', '.a', 'a b', 'ä', 'a'.repeat(65), '%2e%2e'])
    it(`returns 400 for the name ${name.slice(0, 10)}`, async () => {
      expect(errorIn(await save(encodeURIComponent(name)))).to.match(
        /^400 '.*' is not a valid snapshot name. Use up to 64 letters/,
      );
      expect(await list()).to.deep.equal([]);
    });

  it('returns 404 for an unknown name, with the existing names', async () => {
    expect(errorIn(await restore('x'))).to.equal("404 There is no snapshot 'x'. Snapshots: none.");
    await save('s').expect(201);
    for (const ask of [snapshots.show, restore, snapshots.drop])
      expect(errorIn(await ask('x'))).to.equal("404 There is no snapshot 'x'. Snapshots: s.");
    expect(errorIn(await world.http.get('/_emulator/export?snapshot=x'))).to.match(
      /^404 There is no snapshot 'x'/,
    );
  });
});

onEachDatabase('tokens after a restore', { hosts: '0' }, (world) => {
  const { save, restore, drop } = snapshotsOf(world);

  const signIn = async (): Promise<string> => {
    const user = { name: 'admin', domain: { id: 'default' }, password: 'secret' };
    const body = {
      auth: {
        identity: { methods: ['password'], password: { user } },
        scope: { project: { name: 'admin', domain: { id: 'default' } } },
      },
    };
    return (await world.http.post('/identity/v3/auth/tokens').send(body).expect(201)).get(
      'x-subject-token',
    )!;
  };
  const status = async (token: string): Promise<number> =>
    (await world.ask('image', 'GET', '/image/v2/images', { token })).status;

  afterEach(() => drop('s').expect(204));

  it('are valid if they were when the snapshot was taken, even if revoked since', async () => {
    const [kept, revoked] = [await signIn(), await signIn()];
    await world.http
      .delete('/identity/v3/auth/tokens')
      .set({ 'x-auth-token': kept, 'x-subject-token': await signIn() })
      .expect(204);
    await save('s').expect(201);
    await world.http
      .delete('/identity/v3/auth/tokens')
      .set({ 'x-auth-token': kept, 'x-subject-token': revoked })
      .expect(204);
    expect([await status(kept), await status(revoked)]).to.deep.equal([200, 401]);
    await restore('s').expect(204);
    expect([await status(kept), await status(revoked)]).to.deep.equal([200, 200]);
  });

  it('are invalid for users created after the snapshot was taken', async () => {
    await save('s').expect(201);
    const token = await signIn();
    const ask = (method: string, path: string, body: object) =>
      world.ask('identity', method, `/identity/v3${path}`, { token, body }).expect(201);
    const made = (await ask('POST', '/users', { user: { name: 'u', password: 'p' } })).body as {
      user: { id: string };
    };
    const identity = {
      methods: ['password'],
      password: { user: { id: made.user.id, password: 'p' } },
    };
    const own = (
      await world.http.post('/identity/v3/auth/tokens').send({ auth: { identity } }).expect(201)
    ).get('x-subject-token')!;
    await world.ask('identity', 'GET', '/identity/v3/auth/projects', { token: own }).expect(200);
    await restore('s').expect(204);
    await world.ask('identity', 'GET', '/identity/v3/auth/projects', { token: own }).expect(401);
    expect(await status(token)).to.equal(200);
  });

  it('are invalid if revoked before the snapshot, even if the revocation has expired since', async () => {
    const token = await signIn();
    await world.http
      .delete('/identity/v3/auth/tokens')
      .set({ 'x-auth-token': token, 'x-subject-token': token })
      .expect(204);
    await save('s').expect(201);
    // A later revocation removes those of expired tokens.
    await insertRevocation(
      world.cloud.central.db,
      'other',
      Number.MAX_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER - 1,
    );
    await restore('s').expect(204);
    expect(await status(token)).to.equal(401);
  });
});
