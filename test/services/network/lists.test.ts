// Lists of the Network show nothing that the policy hides from the caller, also where the database
// would give it.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { onEachDatabase, type Asked, type World } from '../../support/cloud.ts';
import { ask, make, makeNetwork, member, someone, type Thing } from './support.ts';

const lists = [
  'networks',
  'subnets',
  'ports',
  'subnetpools',
  'address-scopes',
  'routers',
  'security-groups',
  'security-group-rules',
];

async function listed(world: World, path: string, as: Asked = member): Promise<Thing[]> {
  const { body } = await ask(world, 'GET', `/${path}`, undefined, as).expect(200);
  return (body as Record<string, Thing[]>)[path.replace(/\?.*/, '').replaceAll('-', '_')]!;
}

const idsOf = (things: readonly Thing[]): string[] => things.map(({ id }) => id);

onEachDatabase('network: lists for those without a role', { auth: 'noauth2' }, (world) => {
  it('show nothing of their own project to those who may not read it', async () => {
    const { network } = await makeNetwork(world, '10.0.0.0/24', member);
    await make(world, 'port', { network_id: network.id }, member);
    await make(world, 'subnetpool', { name: 'p', prefixes: ['10.1.0.0/16'] }, member);
    await make(world, 'address_scope', { name: 's', ip_version: 4 }, member);
    await make(world, 'router', { name: 'r' }, member);
    const mine = (thing: Thing): boolean => thing['project_id'] === 'blue';
    for (const path of lists) {
      expect((await listed(world, path)).filter(mine), path).to.not.deep.equal([]);
      expect(
        (await listed(world, path, someone('nothing', 'ann', 'blue'))).filter(mine),
        path,
      ).to.deep.equal([]);
    }
  });
});

/**
 * Rules that show to a project what is its own and nothing else: no shared things, and no ports of
 * others on its networks.
 */
const rules = ['network', 'subnet', 'port', 'subnetpool', 'address_scope'].map(
  (noun) => `get_${noun}: project_id:%(project_id)s`,
);
const policyDir = mkdtempSync(join(tmpdir(), 'cumulet-lists-'));
writeFileSync(join(policyDir, 'network.yaml'), rules.join('\n'));

onEachDatabase(
  'network: lists under a policy of one’s own',
  { auth: 'noauth2', policyDir },
  (world) => {
    it('show another project’s network only to who may see it', async () => {
      const own = await make(world, 'network', { name: 'own' }, member);
      await make(world, 'network', { name: 'other', shared: true });
      expect(idsOf(await listed(world, 'networks'))).to.deep.equal([own.id]);
    });

    it('show another project’s subnet only to who may see it', async () => {
      const { subnet } = await makeNetwork(world, '10.0.0.0/24', member);
      await makeNetwork(world, '10.1.0.0/24', {}, {}).then(({ network }) =>
        ask(world, 'PUT', `/networks/${network.id}`, { network: { shared: true } }).expect(200),
      );
      expect(idsOf(await listed(world, 'subnets'))).to.deep.equal([subnet.id]);
    });

    it('show another project’s port only to who may see it', async () => {
      const { network } = await makeNetwork(world, '10.0.0.0/24', member);
      const own = await make(world, 'port', { network_id: network.id }, member);
      await make(world, 'port', { network_id: network.id, project_id: 'red' });
      expect(idsOf(await listed(world, 'ports'))).to.deep.equal([own.id]);
    });

    for (const [noun, path, fields] of [
      ['subnetpool', 'subnetpools', { prefixes: ['10.1.0.0/16'] }],
      ['address_scope', 'address-scopes', { ip_version: 4 }],
    ] as const) {
      it(`show another project’s ${noun.replace('_', ' ')} only to who may see it`, async () => {
        const own = await make(world, noun, { name: 'own', ...fields }, member);
        await make(world, noun, { name: 'other', shared: true, ...fields });
        expect(idsOf(await listed(world, path))).to.deep.equal([own.id]);
      });
    }

    it('lead past another project’s networks, page by page, to all that the caller may see', async () => {
      for (const name of ['a', 'c', 'd', 'f']) await make(world, 'network', { name, shared: true });
      for (const name of ['b', 'e', 'g']) await make(world, 'network', { name }, member);
      const names: unknown[] = [];
      let marker = '';
      // As upstream, a page is cut before what is hidden is taken out of it, so that it may hold
      // fewer than it could.
      for (let page = 0; page < 10; page++) {
        const found = await listed(world, `networks?sort_key=name&sort_dir=asc&limit=3${marker}`);
        if (!found.length) break;
        names.push(...found.map((network) => network['name']));
        marker = `&marker=${found.at(-1)!.id}`;
      }
      expect(names).to.deep.equal(['b', 'e', 'g']);
    });
  },
);
