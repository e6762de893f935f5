// Lists omit resources that the policy hides from the caller, even if the query finds them.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { onEachDatabase, type Asked, type World } from '../../support/cloud.ts';
import { ask, make, makeNetwork, member, someone, type Resource } from './support.ts';

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

async function listed(world: World, path: string, as: Asked = member): Promise<Resource[]> {
  const { body } = await ask(world, 'GET', `/${path}`, undefined, as).expect(200);
  return (body as Record<string, Resource[]>)[path.replace(/\?.*/, '').replaceAll('-', '_')]!;
}

const idsOf = (records: readonly Resource[]): string[] => records.map(({ id }) => id);

onEachDatabase('network: lists for callers without a role', { auth: 'noauth2' }, (world) => {
  it('omits resources of the own project from lists of a caller without the role reader', async () => {
    const { network } = await makeNetwork(world, '10.0.0.0/24', member);
    await make(world, 'port', { network_id: network.id }, member);
    await make(world, 'subnetpool', { name: 'p', prefixes: ['10.1.0.0/16'] }, member);
    await make(world, 'address_scope', { name: 's', ip_version: 4 }, member);
    await make(world, 'router', { name: 'r' }, member);
    const isOwn = (record: Resource): boolean => record['project_id'] === 'blue';
    for (const path of lists) {
      expect((await listed(world, path)).filter(isOwn), path).to.not.deep.equal([]);
      expect(
        (await listed(world, path, someone('nothing', 'ann', 'blue'))).filter(isOwn),
        path,
      ).to.deep.equal([]);
    }
  });
});

/**
 * Rules that show a project only its own resources: neither shared ones, nor ports of other
 * projects on its networks.
 */
const rules = ['network', 'subnet', 'port', 'subnetpool', 'address_scope'].map(
  (noun) => `get_${noun}: project_id:%(project_id)s`,
);
const policyDir = mkdtempSync(join(tmpdir(), 'cumulet-lists-'));
writeFileSync(join(policyDir, 'network.yaml'), rules.join('\n'));

onEachDatabase('network: lists under a custom policy', { auth: 'noauth2', policyDir }, (world) => {
  it('omits shared networks of other projects if the policy hides them', async () => {
    const own = await make(world, 'network', { name: 'own' }, member);
    await make(world, 'network', { name: 'other', shared: true });
    expect(idsOf(await listed(world, 'networks'))).to.deep.equal([own.id]);
  });

  it('omits shared subnets of other projects if the policy hides them', async () => {
    const { subnet } = await makeNetwork(world, '10.0.0.0/24', member);
    await makeNetwork(world, '10.1.0.0/24', {}, {}).then(({ network }) =>
      ask(world, 'PUT', `/networks/${network.id}`, { network: { shared: true } }).expect(200),
    );
    expect(idsOf(await listed(world, 'subnets'))).to.deep.equal([subnet.id]);
  });

  it('omits ports of other projects on own networks if the policy hides them', async () => {
    const { network } = await makeNetwork(world, '10.0.0.0/24', member, { enable_dhcp: false });
    const own = await make(world, 'port', { network_id: network.id }, member);
    await make(world, 'port', { network_id: network.id, project_id: 'red' });
    expect(idsOf(await listed(world, 'ports'))).to.deep.equal([own.id]);
  });

  for (const [noun, path, fields] of [
    ['subnetpool', 'subnetpools', { prefixes: ['10.1.0.0/16'] }],
    ['address_scope', 'address-scopes', { ip_version: 4 }],
  ] as const) {
    it(`omits shared ${noun.replace('_', ' ')}s of other projects if the policy hides them`, async () => {
      const own = await make(world, noun, { name: 'own', ...fields }, member);
      await make(world, noun, { name: 'other', shared: true, ...fields });
      expect(idsOf(await listed(world, path))).to.deep.equal([own.id]);
    });
  }

  it('continues a paged list behind pages of hidden networks', async () => {
    for (const name of ['a', 'c', 'd', 'f']) await make(world, 'network', { name, shared: true });
    for (const name of ['b', 'e', 'g']) await make(world, 'network', { name }, member);
    const names: unknown[] = [];
    let marker = '';
    // As upstream, the limit applies before hidden networks are omitted, so a page may be shorter
    // than its limit.
    for (let page = 0; page < 10; page++) {
      const found = await listed(world, `networks?sort_key=name&sort_dir=asc&limit=3${marker}`);
      if (!found.length) break;
      names.push(...found.map((network) => network['name']));
      marker = `&marker=${found.at(-1)!.id}`;
    }
    expect(names).to.deep.equal(['b', 'e', 'g']);
  });
});
