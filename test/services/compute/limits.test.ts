// Tests of the absolute limits of a project.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { putServer } from './servers/by-hand.ts';
import { ask, config, expectFault, member, someone } from './support.ts';

onEachDatabase('compute: limits', config, (world) => {
  describe('GET /limits', () => {
    const absolute = async (
      version: string,
      as = member,
      query = '',
    ): Promise<Record<string, number>> =>
      (await ask(world, 'GET', `/limits${query}`, { ...as, version })).body.limits
        .absolute as Record<string, number>;

    it('returns the limits and the usage of the project', async () => {
      await putServer(world, { vcpus: 3, ram: 512 });
      await ask(world, 'POST', '/os-server-groups', {
        ...member,
        body: { server_group: { name: 'g', policies: ['affinity'] } },
      });
      expect(await absolute('2.57')).to.deep.equal({
        maxTotalInstances: 10,
        maxTotalCores: 20,
        maxTotalRAMSize: 51_200,
        maxTotalKeypairs: 100,
        maxServerMeta: 128,
        maxServerGroups: 10,
        maxServerGroupMembers: 10,
        totalInstancesUsed: 1,
        totalCoresUsed: 3,
        totalRAMUsed: 512,
        totalServerGroupsUsed: 1,
      });
    });

    it('omits networks from 2.36 on, images from 2.39 on and files from 2.57 on', async () => {
      const lost = async (before: string, after: string): Promise<string[]> => {
        const left = Object.keys(await absolute(after));
        return Object.keys(await absolute(before))
          .filter((name) => !left.includes(name))
          .toSorted();
      };
      expect(await lost('2.35', '2.36')).to.deep.equal([
        'maxSecurityGroupRules',
        'maxSecurityGroups',
        'maxTotalFloatingIps',
        'totalFloatingIpsUsed',
        'totalSecurityGroupsUsed',
      ]);
      expect(await lost('2.38', '2.39')).to.deep.equal(['maxImageMeta']);
      expect(await lost('2.56', '2.57')).to.deep.equal(['maxPersonality', 'maxPersonalitySize']);
    });

    it('returns the limits of another project to an administrator', async () => {
      await putServer(world, { vcpus: 3 });
      expect(await absolute('2.57', {} as typeof member, '?tenant_id=demo')).to.deep.include({
        totalCoresUsed: 3,
      });
    });

    it('returns 403 for the limits of another project to a member', async () => {
      expectFault(
        await ask(world, 'GET', '/limits?tenant_id=other', member),
        403,
        "Policy doesn't allow os_compute_api:limits:other_project to be performed.",
      );
    });

    it('returns the limits to a reader', async () => {
      expect(
        (await ask(world, 'GET', '/limits?reserved=False', someone('reader'))).status,
      ).to.equal(200);
    });
  });
});
