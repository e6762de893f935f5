// Tests of the capacity of all pods: hypervisor statistics and storage pools.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, bottomRegions, Tenancy, threePods, type Json } from './support.ts';

const pods = threePods.pods!.map((pod) =>
  pod.region === 'Pod4' ? { ...pod, azName: 'az2' } : pod,
);

onEachDatabase('gateway: capacity of pods', { ...threePods, pods }, (world) => {
  let cloud: Tenancy;
  beforeEach(() => (cloud = new Tenancy(world)));

  const version = '2.87';
  const statistics = async (query = '', at = 'CentralRegion'): Promise<Json> =>
    (
      (
        await cloud
          .nova('GET', `/os-hypervisors/statistics${query}`, { as: admin, version, at })
          .expect(200)
      ).body as Json
    )['hypervisor_statistics'] as Json;
  const pools = async (query = '', at = 'CentralRegion'): Promise<Json[]> =>
    (
      (
        await cloud
          .cinder('GET', `/scheduler-stats/get_pools${query}`, { as: admin, at })
          .expect(200)
      ).body as Json
    )['pools'] as Json[];

  describe('GET /os-hypervisors/statistics', () => {
    it('adds up the hypervisors of all pods, with the servers on them', async () => {
      await cloud.server('a');
      const one = await statistics('', 'Pod2');
      const all = await statistics();
      expect(all).to.include({
        count: 3,
        vcpus: 3 * one['vcpus'],
        memory_mb: 3 * one['memory_mb'],
        local_gb: 3 * one['local_gb'],
        vcpus_used: 1,
        memory_mb_used: 3 * one['memory_mb_used'] + 512,
        running_vms: 1,
      });
      expect(Object.keys(all)).to.have.members(Object.keys(one));
    });

    it('adds up the hypervisors of a zone #tricircle-21', async () => {
      expect((await statistics('?availability_zone=az1'))['count']).to.equal(2);
      expect((await statistics('?availability_zone=az2'))['count']).to.equal(1);
      expect((await statistics('?availability_zone=none'))['count']).to.equal(0);
    });

    it('returns 403 to a tenant', async () => {
      await cloud.nova('GET', '/os-hypervisors/statistics', { version }).expect(403);
    });

    it('returns 404 from 2.88 on', async () => {
      await cloud.nova('GET', '/os-hypervisors/statistics', { as: admin }).expect(404);
    });
  });

  describe('GET /scheduler-stats/get_pools', () => {
    const nameIn = async (at: string): Promise<string> => (await pools('', at))[0]!['name'];

    it('lists the pools of all pods, named after their regions', async () => {
      const name = await nameIn('Pod1');
      expect(await pools()).to.deep.equal(bottomRegions.map((at) => ({ name: `${at}:${name}` })));
    });

    it('shows the capabilities with detail', async () => {
      const [first] = await pools('?detail=true');
      expect(first!['capabilities']).to.include.keys('total_capacity_gb', 'free_capacity_gb');
    });

    it('lists the pools of a zone #tricircle-21', async () => {
      const names = (await pools('?availability_zone=az2')).map(({ name }) => name as string);
      expect(names).to.deep.equal([`Pod4:${await nameIn('Pod4')}`]);
    });

    it('filters by name', async () => {
      const name = `Pod2:${await nameIn('Pod2')}`;
      const query = `?name=${encodeURIComponent(name)}`;
      expect(await pools(query)).to.deep.equal([{ name }]);
    });

    it('filters by a volume type, given by the id of the central region', async () => {
      const { body } = await cloud.cinder('POST', '/types', {
        as: admin,
        body: { volume_type: { name: 'other', extra_specs: { volume_backend_name: 'other' } } },
      });
      const { id } = (body as Json)['volume_type'] as { id: string };
      expect(await pools(`?volume_type=${id}`)).to.deep.equal([]);
      expect(await pools('?volume_type=__DEFAULT__')).to.have.length(3);
    });

    it('returns 403 to a tenant', async () => {
      await cloud.cinder('GET', '/scheduler-stats/get_pools').expect(403);
    });
  });
});
