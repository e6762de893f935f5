// Regions that are opened and closed while the cloud runs: their catalog, and the paths in it.
import { expect } from 'chai';
import type { Cloud, Region } from '../../../../src/kernel/model.ts';
import { closeRegion, openRegion } from '../../../../src/emulator/regions/regions.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, make, signIn, signInReply } from '../support.ts';

onEachDatabase(
  'identity: regions that are opened and closed',
  { regions: ['RegionOne'] },
  (world) => {
    const name = 'RegionNew';
    let cloud: Cloud;
    let region: Region | undefined;

    const open = async (): Promise<void> => {
      region = await openRegion(cloud, name);
    };
    const close = async (): Promise<void> => {
      await closeRegion(cloud, region!, { drop: true });
      region = undefined;
    };
    beforeEach(() => {
      cloud = world.cloud;
    });
    afterEach(async () => {
      if (region) await close();
    });

    /** The regions and URLs of Placement's public endpoints in the catalog of a new token. */
    const placements = async (): Promise<string[]> => {
      const { catalog } = (await signInReply(world).expect(201)).body.token as {
        catalog: {
          type: string;
          endpoints: { interface: string; region: string; url: string }[];
        }[];
      };
      const { endpoints } = catalog.find(({ type }) => type === 'placement')!;
      return endpoints
        .filter((endpoint) => endpoint.interface === 'public')
        .map((endpoint) => `${endpoint.region} ${new URL(endpoint.url).pathname}`);
    };
    const here = 'RegionOne /placement';
    const there = `${name} /${name}/placement`;
    const regionStatus = async (): Promise<number> =>
      (await ask(world, 'GET', `/v3/regions/${name}`)).status;
    const endpointsThere = async (): Promise<{ id: string; service_id: string }[]> =>
      (await ask(world, 'GET', `/v3/endpoints?region_id=${name}`)).body.endpoints as {
        id: string;
        service_id: string;
      }[];
    const placementStatus = async (): Promise<number> =>
      (
        await world.http
          .get(`/${name}/placement/resource_providers`)
          .set('x-auth-token', await signIn(world))
      ).status;

    it('are in the catalog and serve requests while they are open', async () => {
      expect(await placements()).to.deep.equal([here]);
      expect(await placementStatus()).to.equal(404);
      await open();
      expect(await placements()).to.have.members([here, there]);
      expect(await placementStatus()).to.equal(200);
      expect(await regionStatus()).to.equal(200);
      await close();
      expect(await placements()).to.deep.equal([here]);
      expect(await placementStatus()).to.equal(404);
      expect(await regionStatus()).to.equal(404);
      expect(await endpointsThere()).to.deep.equal([]);
    });

    it('can be opened again after they were closed', async () => {
      await open();
      await close();
      await open();
      expect(await placements()).to.have.members([here, there]);
      expect(await placementStatus()).to.equal(200);
    });

    it('do not change the other regions', async () => {
      const before = (await ask(world, 'GET', '/v3/endpoints?region_id=RegionOne')).body
        .endpoints as unknown[];
      await open();
      await close();
      expect(
        (await ask(world, 'GET', '/v3/endpoints?region_id=RegionOne')).body.endpoints,
      ).to.deep.equal(before);
      expect((await ask(world, 'GET', '/v3/regions/RegionOne')).status).to.equal(200);
    });

    it('keep the endpoints and the catalog region of clients, and are listed again when opened', async () => {
      await open();
      const service = await make(world, 'service', { type: 'own', name: 'own' });
      const own = await make(world, 'endpoint', {
        service_id: service.id,
        interface: 'public',
        region_id: name,
        url: 'http://x',
      });
      await close();
      expect((await endpointsThere()).map(({ id }) => id)).to.deep.equal([own.id]);
      expect(await regionStatus()).to.equal(200);
      await open();
      expect(await placements()).to.have.members([here, there]);
      await close();
      await ask(world, 'DELETE', `/v3/endpoints/${own.id}`);
      await open();
      await close();
      expect(await regionStatus()).to.equal(404);
    });

    for (const [what, refer] of [
      ['a region below it', () => make(world, 'region', { id: 'below', parent_region_id: name })],
      ['a registered limit', () => makeLimit()],
      ['a policy', () => associatePolicy()],
      [
        'a description of its own',
        () =>
          ask(world, 'PATCH', `/v3/regions/${name}`, { body: { region: { description: 'd' } } }),
      ],
    ] as const) {
      it(`keep the catalog region that has ${what}`, async () => {
        await open();
        await refer();
        await close();
        expect(await regionStatus()).to.equal(200);
        expect(await endpointsThere()).to.deep.equal([]);
      });
    }

    const anyService = async (): Promise<string> =>
      ((await ask(world, 'GET', '/v3/services')).body.services as { id: string }[])[0]!.id;

    async function makeLimit(): Promise<void> {
      const limit = {
        service_id: await anyService(),
        region_id: name,
        resource_name: 'r',
        default_limit: 1,
      };
      const reply = await ask(world, 'POST', '/v3/registered_limits', {
        body: { registered_limits: [limit] },
      });
      expect(reply.status).to.equal(201);
    }

    async function associatePolicy(): Promise<void> {
      const reply = await ask(world, 'POST', '/v3/policies', {
        body: { policy: { type: 't', blob: 'b' } },
      });
      const path = `/v3/policies/${reply.body.policy.id}/OS-ENDPOINT-POLICY/services/${await anyService()}/regions/${name}`;
      expect((await ask(world, 'PUT', path)).status).to.equal(204);
    }

    it('do not restore endpoints that were deleted while the region is open', async () => {
      await open();
      const [first, ...rest] = await endpointsThere();
      await ask(world, 'DELETE', `/v3/endpoints/${first!.id}`);
      const other = await openRegion(cloud, 'RegionOther');
      try {
        expect((await endpointsThere()).map(({ id }) => id)).to.have.members(
          rest.map(({ id }) => id),
        );
      } finally {
        await closeRegion(cloud, other, { drop: true });
      }
    });
  },
);
