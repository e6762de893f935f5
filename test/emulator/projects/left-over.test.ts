// Tests that deleted throw-away projects leave no row in any table, whatever they were used for.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { rowCounter } from '../../support/rows.ts';
import { projectsOf, useEverything, userOf } from './support.ts';

/** The tables whose numbers of rows differ. */
const changed = (
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, [number, number]> =>
  Object.fromEntries(
    Object.keys(after)
      .filter((name) => after[name] !== before[name])
      .map((name): [string, [number, number]] => [name, [before[name]!, after[name]!]]),
  );

onEachDatabase(
  'deleted throw-away projects',
  { regions: ['RegionOne', 'RegionTwo'], hosts: '4' },
  (world) => {
    const { create, remove, list } = projectsOf(world);

    it('leave nothing of leases, clusters, trusts and what they have created', async () => {
      const operator = await create({ roles: ['admin'] });
      await userOf(world, operator)
        .send('reservation', 'POST', '/reservation/v1/os-hosts', { name: 'compute-4' })
        .expect(201);
      const use = async (): Promise<Record<string, number>> => {
        const project = await create();
        await useEverything(world, project);
        return remove(project.id);
      };
      await use(); // creates consumer types and users of services, which stay
      const counts = await rowCounter(world.cloud);
      const before = await counts();
      expect(await use()).to.include({
        clusters: 1,
        nodes: 2,
        leases: 1,
        servers: 3,
        snapshots: 1,
        images: 1,
        floatingips: 1,
        keypairs: 1,
      });
      const { 'RegionOne.placement_aggregates': ids, ...left } = changed(before, await counts());
      expect(left).to.deep.equal({});
      // Placement keeps the UUID of each aggregate that it has ever seen, as upstream: the lease's.
      expect(ids).to.satisfy(([one, other]: [number, number]) => other === one + 1);
    });

    it('of 16 clients at a time leave nothing, and see nothing of each other', async () => {
      const useOne = async (number: number): Promise<void> => {
        const project = await create();
        const prefix = number % 2 ? '/RegionTwo' : '';
        const user = userOf(world, project, prefix);
        const { network_id: network } = project.networks[number % 2]!;
        const own = [
          await user.boot(network),
          await user.createVolume(),
          await user.createNetwork(),
          network,
        ];
        expect(await user.seen()).to.have.members(own);
        await remove(project.id);
      };
      await useOne(0); // the first server creates a consumer type, which stays
      await useOne(1);
      const counts = await rowCounter(world.cloud);
      const before = await counts();
      const total = world.kind === 'sqlite' ? 100 : 50;
      let next = 0;
      const client = async (): Promise<void> => {
        while (next < total) await useOne(next++);
      };
      await Promise.all(Array.from({ length: 16 }, client));
      expect(changed(before, await counts())).to.deep.equal({});
      expect(await list()).to.deep.equal([]);
    });
  },
);
