// Tests the proxy API for networks.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { admin } from '../servers/makers.ts';
import { ask, config, expectFault, member, reader } from '../support.ts';

interface Network {
  readonly id: string;
  readonly label: string;
  readonly [field: string]: unknown;
}

onEachDatabase('compute: networks', config, (world) => {
  const list = async (path: string, as = member): Promise<Network[]> =>
    ((await ask(world, 'GET', path, as).expect(200)).body as { networks: Network[] }).networks;

  it('are listed and shown with id and label; all other fields are null', async () => {
    const networks = await list('/os-networks', reader);
    expect(networks.map(({ label }) => label)).to.have.members(['public', 'private']);
    const [one] = networks;
    const others = [
      'cidr',
      'netmask',
      'gateway',
      'broadcast',
      'dns1',
      'dns2',
      'cidr_v6',
      'gateway_v6',
      'netmask_v6',
    ];
    expect(one).to.deep.equal({
      ...Object.fromEntries(others.map((name) => [name, null])),
      id: one!.id,
      label: one!.label,
    });
    expect((await ask(world, 'GET', `/os-networks/${one!.id}`, member)).body).to.deep.equal({
      network: one,
    });
  });

  it('have more fields for administrators', async () => {
    const [one] = await list('/os-networks', admin as typeof member);
    expect(one).to.include({ bridge: null, share_address: null });
  });

  it('have fewer fields as os-tenant-networks', async () => {
    const networks = await list('/os-tenant-networks');
    expect(networks.map(({ label }) => label)).to.have.members(['public', 'private']);
    const [one] = networks;
    expect(one).to.deep.equal({ id: one!.id, cidr: 'None', label: one!.label });
    expect((await ask(world, 'GET', `/os-tenant-networks/${one!.id}`, member)).body).to.deep.equal({
      network: one,
    });
  });

  it('return 404 if unknown, and always from 2.36 on', async () => {
    for (const path of ['/os-networks', '/os-tenant-networks']) {
      expectFault(await ask(world, 'GET', `${path}/none`, member), 404, 'Network not found');
      expectFault(
        await ask(world, 'GET', path, { ...member, version: '2.36' }),
        404,
        'The resource could not be found.',
      );
    }
  });

  it('return 410 for POST and DELETE at every version', async () => {
    for (const version of ['2.1', '2.104']) {
      expectFault(
        await ask(world, 'POST', '/os-tenant-networks', { version, body: {} }),
        410,
        /no longer available/,
      );
      expectFault(
        await ask(world, 'DELETE', '/os-networks/x', { version }),
        410,
        /no longer available/,
      );
    }
  });
});
