// Tests of Compute's internal API, by which other services manage servers, groups, flavors, hosts
// and aggregates in their own transactions.
import { expect } from 'chai';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { ApiError } from '../../../src/kernel/errors.ts';
import type { Actor, Context } from '../../../src/kernel/model.ts';
import { elevated, systemContext, contextWith } from '../../../src/kernel/context.ts';
import * as compute from '../../../src/services/compute/index.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { imageId, showServer } from './servers/makers.ts';
import { config } from './support.ts';

/** A user on whose behalf a service acts, as with a trust. */
const owner = (projectId: string): Actor => ({
  userId: 'ann',
  projectId,
  roles: ['member'],
  isAdmin: false,
  isService: false,
  credentials: { roles: ['member'], user_id: 'ann', project_id: projectId },
});

/** The status and the message of an API error. */
const errorOf = (error: unknown): string => {
  expect(error).to.be.instanceOf(ApiError);
  return `${(error as ApiError).status} ${(error as ApiError).message}`;
};

onEachDatabase('compute: internal API', config, (world) => {
  /** Runs a function in a transaction of the first region, as a job does. */
  const within = <T>(
    actor: Actor | undefined,
    run: (context: Context) => Promise<T>,
  ): Promise<T> => {
    const { firstRegion: region } = world.cloud;
    return transact(region.database.db, (db, attempt) => {
      const context = systemContext(world.cloud, region, db, noon, attempt);
      return run(actor ? contextWith(context, { actor }) : context);
    });
  };

  it('creates servers for the actor, which a job builds, and deletes them', async () => {
    const request = {
      name: 'node',
      flavorId: '1',
      imageId,
      networks: 'none',
      least: 2,
      most: 2,
      metadata: { cluster: 'c' },
    } as const;
    const servers = await within(owner('demo'), (context) =>
      compute.createServers(context, request),
    );
    expect(servers.map(({ name }) => name)).to.deep.equal(['node-1', 'node-2']);
    const shown = await showServer(world, servers[0]!.uuid);
    expect(shown).to.deep.include({
      status: 'ACTIVE',
      tenant_id: 'demo',
      user_id: 'ann',
      metadata: { cluster: 'c' },
    });
    const statuses = (): Promise<string[]> =>
      within(undefined, async (context) =>
        (
          await compute.findServers(
            context,
            servers.map(({ uuid }) => uuid),
          )
        ).map(compute.statusOf),
      );
    expect(await statuses()).to.deep.equal(['ACTIVE', 'ACTIVE']);
    await within(owner('demo'), async (context) =>
      compute.deleteServer(context, await compute.visibleServer(context, servers[0]!.uuid)),
    );
    expect(await statuses()).to.deep.equal(['ACTIVE']);
  });

  it('throws 403 when the servers exceed the quotas of the actor’s project', async () => {
    const request = {
      name: 'n',
      flavorId: '1',
      imageId,
      networks: 'none',
      least: 11,
      most: 11,
    } as const;
    const error: unknown = await within(owner('demo'), (context) =>
      compute.createServers(context, request),
    ).catch((thrown: unknown) => thrown);
    expect(errorOf(error)).to.match(/^403 Quota exceeded for instances: Requested 11/);
  });

  it('finds servers of the actor’s project, and all servers for an administrator', async () => {
    const request = { name: 's', flavorId: '1', imageId, networks: 'none' } as const;
    const [server] = await within(owner('demo'), (context) =>
      compute.createServers(context, request),
    );
    const { uuid } = server!;
    const error: unknown = await within(owner('other'), (context) =>
      compute.visibleServer(context, uuid),
    ).catch((thrown: unknown) => thrown);
    expect(errorOf(error)).to.equal(`404 Instance ${uuid} could not be found.`);
    expect(
      await within(owner('other'), (context) => compute.visibleServer(elevated(context), uuid)),
    ).to.include({ uuid });
  });

  it('creates server groups, places servers in them, and deletes the groups', async () => {
    const group = await within(owner('demo'), (context) =>
      compute.createGroup(context, { name: 'g', policy: 'anti-affinity' }),
    );
    const request = {
      name: 's',
      flavorId: '1',
      imageId,
      networks: 'none',
      least: 3,
      most: 3,
      hints: { group: group.uuid },
    } as const;
    const servers = await within(owner('demo'), (context) =>
      compute.createServers(context, request),
    );
    await showServer(world, servers[0]!.uuid);
    const placed = await within(undefined, (context) =>
      compute.serversOnHosts(context, ['compute-1', 'compute-2', 'compute-3']),
    );
    expect(placed.map(({ host }) => host)).to.have.members(['compute-1', 'compute-2', 'compute-3']);
    await within(owner('demo'), async (context) =>
      compute.deleteGroup(context, await compute.groupOf(context, group.uuid)),
    );
    const error: unknown = await within(owner('demo'), (context) =>
      compute.groupOf(context, group.uuid),
    ).catch((thrown: unknown) => thrown);
    expect(errorOf(error)).to.equal(`404 Instance group ${group.uuid} could not be found.`);
  });

  it('adds many hosts as if each was added alone, or none of them', async () => {
    const profile = (name: string) =>
      compute.readHost({ name, zone: 'az9', traits: ['CUSTOM_MANY'], reserved: { vcpus: 1 } });
    await within(undefined, (context) => compute.addHosts(context, [profile('alone')]));
    const names = Array.from({ length: 450 }, (_, at) => `many-${at}`);
    const added = await within(undefined, (context) =>
      compute.addHosts(context, names.map(profile)),
    );
    expect(added.map(({ name }) => name)).to.deep.equal(names);
    const error: unknown = await within(undefined, (context) =>
      compute.addHosts(context, [profile('new'), profile('many-7')]),
    ).catch((thrown: unknown) => thrown);
    expect(errorOf(error)).to.equal('409 A host named many-7 already exists.');
    await within(undefined, async (context) => {
      const { db } = context;
      const hosts = await compute.listHosts(context);
      expect(hosts.filter(({ name }) => name === 'new')).to.deep.equal([]);
      expect(hosts.filter(({ name }) => /^(many-\d+|alone)$/.test(name))).to.have.length(451);
      const [zone] = (await compute.listAggregates(context)).filter(({ name }) => name === 'az9');
      expect(zone!.hosts).to.have.members(['alone', ...names]);
      const shapeOf = async (name: string): Promise<unknown> => {
        const provider = await db('placement_providers').where({ name }).first();
        const { id } = provider;
        const rows = async (table: string): Promise<object[]> =>
          (await db(table).where({ provider_id: id })).map((row: object) => ({
            ...row,
            provider_id: 0,
            root_id: 0,
          }));
        return [
          provider.generation,
          provider.root_id === id,
          await rows('placement_inventories'),
          await rows('placement_provider_traits'),
          await rows('placement_provider_aggregates'),
        ];
      };
      expect(await shapeOf('many-449')).to.deep.equal(await shapeOf('alone'));
      const [generation] = (await shapeOf('many-0')) as [number];
      expect(generation).to.equal(3); // inventories, traits and the aggregate
    });
  });

  it('adds hosts, adds them to aggregates, and removes them', async () => {
    await within(undefined, async (context) => {
      await compute.addHosts(context, [compute.readHost({ name: 'spare' })]);
      const pool = await compute.createAggregate(context, { name: 'freepool' });
      await compute.addAggregateHosts(context, pool, ['spare']);
    });
    await within(undefined, async (context) => {
      expect((await compute.listHosts(context)).map(({ name }) => name)).to.include('spare');
      const pool = (await compute.findAggregate(context, 'freepool'))!;
      expect(pool.hosts).to.deep.equal(['spare']);
      await compute.updateAggregateMetadata(context, pool, { 'blazar:owner': 'demo' });
      expect((await compute.listAggregates(context)).map(({ metadata }) => metadata)).to.deep.equal(
        [{ 'blazar:owner': 'demo' }],
      );
      await compute.removeHost(context, (await compute.findHost(context, 'spare'))!);
      await compute.deleteAggregate(context, (await compute.findAggregate(context, 'freepool'))!);
      expect(await compute.findHost(context, 'spare')).to.equal(undefined);
    });
  });

  it('creates private flavors, and gives projects access to them', async () => {
    const fields = {
      flavorid: 'reserved',
      name: 'reserved',
      vcpus: 1,
      memoryMb: 64,
      rootGb: 1,
      ephemeralGb: 0,
      swap: 0,
      rxtxFactor: 1,
      isPublic: false,
      description: null,
    };
    const request = { name: 's', flavorId: 'reserved', imageId, networks: 'none' } as const;
    const flavor = await within(undefined, (context) => compute.createFlavor(context, fields));
    const error: unknown = await within(owner('demo'), (context) =>
      compute.createServers(context, request),
    ).catch((thrown: unknown) => thrown);
    expect(errorOf(error)).to.equal('400 Flavor reserved could not be found.');
    await within(undefined, (context) => compute.addAccess(context, flavor, 'demo'));
    const [server] = await within(owner('demo'), (context) =>
      compute.createServers(context, request),
    );
    expect((await showServer(world, server!.uuid)).status).to.equal('ACTIVE');
    await within(undefined, async (context) => {
      await compute.removeAccess(context, flavor, 'demo');
      await compute.deleteFlavor(context, 'reserved');
    });
  });
});
