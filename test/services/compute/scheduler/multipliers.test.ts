// Tests of the multipliers of weighers: settings, and metadata of host aggregates.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config } from '../support.ts';
import { admin, liftQuotas, madeGroup, madeServer, showServer, spread } from '../servers/makers.ts';

onEachDatabase('compute: multipliers of weighers', config, (world) => {
  const change = (settings: object) => world.http.put('/_emulator/compute/settings').send(settings);

  const fill = { ram_weight_multiplier: -1, cpu_weight_multiplier: -1, disk_weight_multiplier: -1 };

  /** Creates six servers, and returns how many of them are on each host. */
  async function createSix(): Promise<number[]> {
    await liftQuotas(world);
    for (let index = 0; index < 6; index++) await madeServer(world, { name: `server-${index}` });
    return Object.values(await spread(world));
  }

  /** Puts a host into an aggregate with metadata. */
  async function aggregate(name: string, host: string, metadata: object): Promise<void> {
    const body = { aggregate: { name } };
    const made = await ask(world, 'POST', '/os-aggregates', { ...admin, body }).expect(200);
    const { id } = (made.body as { aggregate: { id: number } }).aggregate;
    const act = (action: object) =>
      ask(world, 'POST', `/os-aggregates/${id}/action`, { ...admin, body: action }).expect(200);
    await act({ add_host: { host } });
    await act({ set_metadata: { metadata } });
  }

  it('spreads servers by default', async () => {
    expect(await createSix()).to.deep.equal([2, 2, 2]);
  });

  it('fills hosts if the multipliers are negative', async () => {
    await change(fill).expect(200);
    expect(await createSix()).to.deep.equal([6]);
  });

  it('places the servers of one request by the same multipliers', async () => {
    await change(fill).expect(200);
    await madeServer(world, { name: 'many', min_count: 6, max_count: 6 });
    expect(Object.values(await spread(world))).to.deep.equal([6]);
  });

  it('ranks by upstream’s multiplier of soft affinity if that is set', async () => {
    await change({ soft_affinity_weight_multiplier: 0 }).expect(200);
    const group = await madeGroup(world, 'soft-affinity');
    const hosts = new Set<unknown>();
    for (const name of ['one', 'two', 'three']) {
      const { id } = await madeServer(world, { name }, { ...admin, hints: { group } });
      hosts.add((await showServer(world, id))['OS-EXT-SRV-ATTR:host']);
    }
    expect(hosts.size).to.equal(3);
  });

  it('prefers the least multiplier of the aggregates of a host to the setting', async () => {
    // The emptiest host gets the greatest normalized weight, so a large multiplier keeps it first.
    await aggregate('low', 'compute-1', { ram_weight_multiplier: '-50' });
    await aggregate('high', 'compute-1', { ram_weight_multiplier: '50' });
    await aggregate('wrong', 'compute-2', { ram_weight_multiplier: 'much' });
    await madeServer(world, { name: 'large', flavorRef: '4', host: 'compute-3' });
    const { id } = await madeServer(world, { name: 'small' });
    expect((await showServer(world, id))['OS-EXT-SRV-ATTR:host']).to.equal('compute-2');
  });

  it('rejects multipliers that are not numbers, and negative ones of soft policies', async () => {
    await change({ ram_weight_multiplier: '1' }).expect(400);
    await change({ soft_affinity_weight_multiplier: -1 }).expect(400);
    await change({ cpu_weight_multiplier: 0.5 }).expect(200);
  });
});
