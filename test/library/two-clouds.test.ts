// Tests that two clouds that one program starts share nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startCloud, type Cloud } from '../../src/library/index.ts';

describe('two clouds of startCloud()', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-policy-'));
  let first: Cloud;
  let second: Cloud;

  before(async () => {
    writeFileSync(join(folder, 'placement.yaml'), '"placement:traits:list": "!"\n');
    [first, second] = await Promise.all([
      startCloud({ hosts: 1, policyDir: folder }),
      startCloud({ hosts: 2, adminPassword: 'another' }),
    ]);
  });

  after(async () => {
    await Promise.all([first.stop(), second.stop()]);
    rmSync(folder, { recursive: true });
  });

  /** Signs in and sends a request to Placement. @returns its status */
  async function statusOf(cloud: Cloud, path: string, token?: string): Promise<number> {
    const sent = token ?? (await tokenOf(cloud));
    const reply = await fetch(`${cloud.url}/placement${path}`, {
      headers: { 'x-auth-token': sent, 'openstack-api-version': 'placement 1.6' },
    });
    return reply.status;
  }

  async function tokenOf({ env }: Cloud): Promise<string> {
    const domain = { id: 'default' };
    const user = { name: 'admin', password: env['OS_PASSWORD'], domain };
    const identity = { methods: ['password'], password: { user } };
    const reply = await fetch(`${env['OS_AUTH_URL']}/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth: { identity, scope: { project: { name: 'admin', domain } } } }),
    });
    return reply.headers.get('x-subject-token')!;
  }

  it('have separate addresses, passwords and hosts', async () => {
    expect(first.url).not.to.equal(second.url);
    expect([first.env['OS_PASSWORD'], second.env['OS_PASSWORD']]).to.deep.equal([
      'secret',
      'another',
    ]);
    expect([await first.hosts.list(), await second.hosts.list()].map(({ length }) => length))
      .to //
      .deep.equal([1, 2]);
  });

  it('refuse the tokens of each other', async () => {
    const token = await tokenOf(first);
    expect(await statusOf(first, '/resource_providers', token)).to.equal(200);
    expect(await statusOf(second, '/resource_providers', token)).to.equal(401);
  });

  it('have separate policies', async () => {
    expect(await statusOf(first, '/traits')).to.equal(403);
    expect(await statusOf(second, '/traits')).to.equal(200);
  });

  it('have separate clocks', async () => {
    await first.clock.freeze('2030-01-01');
    expect((await first.clock.read()).frozen).to.equal(true);
    expect((await second.clock.read()).frozen).to.equal(false);
    await first.clock.unfreeze();
  });

  it('have separate fault rules', async () => {
    await first.faults.add({ match: { service: 'placement' }, effect: { status: 503 } });
    expect(await statusOf(first, '/resource_providers')).to.equal(503);
    expect(await statusOf(second, '/resource_providers')).to.equal(200);
    expect(await second.faults.list()).to.deep.equal([]);
    await first.faults.clear();
  });

  it('have separate journals', async () => {
    await Promise.all([first.requests.clear(), second.requests.clear()]);
    await statusOf(second, '/resource_providers');
    await second.requests.assert({ match: { service: 'placement' }, times: 1 });
    await first.requests.assert({ match: {}, never: true });
  });

  it('have separate snapshots, regions and settings', async () => {
    await first.snapshot('mine');
    await first.regions.add({ name: 'Mine' });
    const settings = await first.settings.update('reservation', { monitor_interval: 7 });
    expect(await second.snapshots.list()).to.deep.equal([]);
    expect((await second.regions.list()).map(({ name }) => name)).to.deep.equal(['RegionOne']);
    expect(await second.settings.show('reservation')).not.to.deep.equal(settings);
    await first.restore('mine');
    expect(await second.hosts.list()).to.have.length(2);
  });

  it('end separately', async () => {
    await using third = await startCloud({ hosts: 0 });
    await third.stop();
    expect((await first.ready()).ready).to.equal(true);
  });
});
