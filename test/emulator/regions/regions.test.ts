// Tests of /_emulator/regions: listing, adding, forking and dropping regions while the cloud runs.
import { expect } from 'chai';
import { onEachDatabase, type World } from '../../support/cloud.ts';

interface RegionView {
  name: string;
  path: string;
  central: boolean;
}

const controls = (world: World) => ({
  list: async (): Promise<RegionView[]> =>
    ((await world.http.get('/_emulator/regions').expect(200)).body as { regions: RegionView[] })
      .regions,
  add: (body: unknown) =>
    world.ask('emulator', 'POST', '/_emulator/regions', { token: null, body }),
  drop: (name: string) =>
    world.ask('emulator', 'DELETE', `/_emulator/regions/${name}`, { token: null }),
  /** The regions with an endpoint of Placement in the catalog. */
  inCatalog: async (): Promise<string[]> => {
    const endpoints = (await world.cloud.central
      .db('identity_endpoints')
      .where({ interface: 'public' })
      .where('url', 'like', '%/placement')
      .orderBy('region_id')
      .pluck('region_id')) as string[];
    return endpoints;
  },
});

onEachDatabase(
  '/_emulator/regions',
  { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2', hosts: '1' },
  (world) => {
    const added: string[] = [];
    const at = (region: string): string => (region === 'RegionOne' ? '' : `/${region}`);
    const provider = (region: string, name: string) =>
      world
        .ask('placement', 'POST', `${at(region)}/placement/resource_providers`, {
          version: '1.20',
          body: { name },
        })
        .expect(200);
    const providers = async (region: string): Promise<string[]> => {
      const { body } = await world
        .ask('placement', 'GET', `${at(region)}/placement/resource_providers`)
        .expect(200);
      return (body as { resource_providers: { name: string }[] }).resource_providers
        .map(({ name }) => name)
        .toSorted();
    };
    const add = (name: string, from?: string) => {
      added.push(name);
      return controls(world).add({ name, ...(from === undefined ? {} : { from }) });
    };

    afterEach(async () => {
      for (const name of added.splice(0)) await controls(world).drop(name);
    });

    it('lists regions in the order in which they were added, with their path prefixes', async () => {
      await add('Alpha').expect(201, { region: { name: 'Alpha', path: '/Alpha', central: false } });
      expect(await controls(world).list()).to.deep.equal([
        { name: 'RegionOne', path: '', central: false },
        { name: 'RegionTwo', path: '/RegionTwo', central: false },
        { name: 'Alpha', path: '/Alpha', central: false },
      ]);
      await world.http
        .get('/_emulator/regions/Alpha')
        .expect(200, { region: { name: 'Alpha', path: '/Alpha', central: false } });
    });

    it('adds a region with the usual seed, and endpoints in the catalog', async () => {
      await provider('RegionOne', 'mine');
      await add('Alpha').expect(201);
      expect(await providers('Alpha')).to.deep.equal(['compute-1']);
      expect(await controls(world).inCatalog()).to.include('Alpha');
      await controls(world).drop('Alpha').expect(204);
      expect(await controls(world).inCatalog()).not.to.include('Alpha');
      await world.ask('placement', 'GET', '/Alpha/placement/resource_providers').expect(404);
    });

    it('adds a dropped region again without its former data', async () => {
      await add('Alpha').expect(201);
      await provider('Alpha', 'mine');
      await controls(world).drop('Alpha').expect(204);
      await add('Alpha').expect(201);
      expect(await providers('Alpha')).to.deep.equal(['compute-1']);
      expect(await controls(world).inCatalog()).to.include('Alpha');
    });

    describe('forks', () => {
      const boot = async (): Promise<{ id: string; imageRef: string }> => {
        const { body: images } = await world
          .ask('image', 'GET', '/RegionTwo/image/v2/images')
          .expect(200);
        const imageRef = (images as { images: { id: string }[] }).images[0]!.id;
        const server = { name: 's', imageRef, flavorRef: '1', networks: 'none' };
        const { body } = await world
          .ask('compute', 'POST', '/RegionTwo/compute/v2.1/servers', {
            version: '2.37',
            body: { server },
          })
          .expect(202);
        return { id: (body as { server: { id: string } }).server.id, imageRef };
      };

      it('start with the data of the original', async () => {
        await provider('RegionTwo', 'before');
        const { id, imageRef } = await boot();
        await add('Copy', 'RegionTwo').expect(201);
        expect(await providers('Copy')).to.deep.equal(['before', 'compute-1']);
        const copied = await world
          .ask('compute', 'GET', `/Copy/compute/v2.1/servers/${id}`)
          .expect(200);
        expect((copied.body as { server: { status: string } }).server.status).to.equal('ACTIVE');
        const image = await world
          .ask('image', 'GET', `/Copy/image/v2/images/${imageRef}/file`)
          .expect(200);
        expect(image.body).to.have.length(512);
      });

      it('change independently of the original', async () => {
        const { id } = await boot();
        await add('Copy', 'RegionTwo').expect(201);
        await provider('Copy', 'after');
        await provider('RegionTwo', 'other');
        expect([await providers('Copy'), await providers('RegionTwo')]).to.deep.equal([
          ['after', 'compute-1'],
          ['compute-1', 'other'],
        ]);
        await world.ask('compute', 'DELETE', `/Copy/compute/v2.1/servers/${id}`).expect(204);
        await world.ask('compute', 'GET', `/RegionTwo/compute/v2.1/servers/${id}`).expect(200);
      });
    });

    it('forks auto-increment counters too', async () => {
      const aggregate = (region: string, name: string) =>
        world
          .ask('compute', 'POST', `${at(region)}/compute/v2.1/os-aggregates`, {
            body: { aggregate: { name } },
          })
          .expect(200);
      const first = await aggregate('RegionTwo', 'a');
      const { id } = (first.body as { aggregate: { id: number } }).aggregate;
      await world
        .ask('compute', 'DELETE', `/RegionTwo/compute/v2.1/os-aggregates/${id}`)
        .expect(200);
      await add('Copy', 'RegionTwo').expect(201);
      const [one, other] = [await aggregate('Copy', 'b'), await aggregate('RegionTwo', 'b')];
      const idOf = ({ body }: { body: unknown }): number =>
        (body as { aggregate: { id: number } }).aggregate.id;
      if (world.kind === 'sqlite') expect(idOf(one)).to.equal(idOf(other));
    });

    it('resets an added region to the usual seed', async () => {
      await add('Alpha').expect(201);
      await provider('Alpha', 'mine');
      await world.ask('emulator', 'POST', '/_emulator/reset', { token: null }).expect(204);
      expect(await providers('Alpha')).to.deep.equal(['compute-1']);
      expect(await controls(world).inCatalog()).to.include('Alpha');
    });

    const invalid: readonly (readonly [body: unknown, status: number, message: RegExp])[] = [
      [{ name: 'regiontwo' }, 409, /A region 'regiontwo' already exists\./],
      [{ name: 'RegionTwo' }, 409, /already exists/],
      [{ name: '1st' }, 400, /beginning with a letter/],
      [{ name: 'Central' }, 400, /all regions share/],
      [{ name: 'placement' }, 400, /mounted at \/placement/],
      [{ name: 'Alpha', from: 'Mars' }, 400, /There is no region 'Mars'/],
      [{ name: 'CentralRegion', from: 'RegionOne' }, 400, /neither a fork nor forked/],
      [{}, 400, /'name' is a required property/],
      [{ name: 'Alpha', form: 'RegionOne' }, 400, /'form' was unexpected/],
    ];
    for (const [body, status, message] of invalid) {
      it(`returns ${status} for POST ${JSON.stringify(body)}`, async () => {
        const response = await controls(world).add(body).expect(status);
        expect((response.body as { error: { message: string } }).error.message).to.match(message);
        expect((await controls(world).list()).map(({ name }) => name)).to.deep.equal([
          'RegionOne',
          'RegionTwo',
        ]);
      });
    }

    it('returns 400 for DELETE of the first region', async () => {
      expect((await controls(world).drop('RegionOne').expect(400)).text).to.contain('first region');
    });

    it('returns 404 for an unknown region', async () => {
      expect((await controls(world).drop('Mars').expect(404)).text).to.contain(
        'Regions: RegionOne, RegionTwo.',
      );
      await world.http.get('/_emulator/regions/Mars').expect(404);
    });

    it('adds only one of several regions that are added with the same name at once', async () => {
      added.push('Alpha');
      const responses = await Promise.all(
        ['Alpha', 'alpha', 'Alpha'].map((name) => controls(world).add({ name })),
      );
      expect(responses.map(({ status }) => status).toSorted()).to.deep.equal([201, 409, 409]);
      const [name] = (await controls(world).list()).map((region) => region.name).slice(2);
      added.push(name!);
    });
  },
);

onEachDatabase(
  'the central region',
  { regions: ['CentralRegion', 'RegionOne', 'RegionTwo'], hosts: '1' },
  (world) => {
    it('serves Image and Network, but not Placement, Reservation and Clustering', async () => {
      expect(await controls(world).list()).to.deep.equal([
        { name: 'CentralRegion', path: '/CentralRegion', central: true },
        { name: 'RegionOne', path: '', central: false },
        { name: 'RegionTwo', path: '/RegionTwo', central: false },
      ]);
      for (const path of ['/image/', '/network/', '/RegionOne/placement/', '/placement/']) {
        const response = await world.http.get(
          path.startsWith('/R') || path === '/placement/' ? path : `/CentralRegion${path}`,
        );
        expect(response.status, path).to.be.oneOf([200, 300]);
      }
      for (const path of ['/placement/', '/reservation/v1', '/clustering/v1', '/tricircle/v1.0'])
        await world.http.get(`/CentralRegion${path}`).expect(404);
    });

    it(
      'has endpoints for its services, and leaves the paths without a prefix to the first ' +
        'region',
      async () => {
        const rows = (await world.cloud.central
          .db('identity_endpoints as e')
          .join('identity_services as s', 's.id', 'e.service_id')
          .where({ interface: 'public' })
          .select('e.region_id as region', 's.type as type', 'e.url as url')) as {
          region: string;
          type: string;
          url: string;
        }[];
        const of = (region: string): string[] =>
          rows
            .filter((row) => row.region === region)
            .map(({ type }) => type)
            .toSorted();
        expect(of('CentralRegion')).to.include.members(['identity', 'image', 'network']);
        expect(of('CentralRegion')).not.to.include.members([
          'placement',
          'reservation',
          'clustering',
        ]);
        expect(of('RegionOne')).to.deep.equal(of('RegionTwo'));
        expect(of('RegionOne')).to.include.members([
          'placement',
          'compute',
          'volumev3',
          'reservation',
          'clustering',
        ]);
        const url = (region: string): string =>
          rows.find((row) => row.region === region && row.type === 'image')!.url;
        expect(
          ['CentralRegion', 'RegionOne', 'RegionTwo'].map((name) =>
            url(name).replace(/^[^/]*/, ''),
          ),
        ).to.deep.equal(['/CentralRegion/image', '/image', '/RegionTwo/image']);
      },
    );
  },
);
