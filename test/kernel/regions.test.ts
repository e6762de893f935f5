// Tests of regions: each has its own database and is mounted at its name, the first also at the
// root.
import { expect } from 'chai';
import supertest from 'supertest';
import type { ApiError } from '../../src/kernel/errors.ts';
import { schedule } from '../../src/kernel/jobs/queue.ts';
import { closeRegion, openRegion } from '../../src/emulator/regions/regions.ts';
import { serverFor } from '../../src/kernel/http/server.ts';
import { noon, onEachDatabase } from '../support/cloud.ts';

onEachDatabase('regions', { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2' }, (world) => {
  const make = (prefix: string, name: string) =>
    world.ask('placement', 'POST', `${prefix}/placement/resource_providers`, {
      version: '1.20',
      body: { name },
    });
  const names = async (prefix: string): Promise<string[]> => {
    const reply = await world
      .ask('placement', 'GET', `${prefix}/placement/resource_providers`)
      .expect(200);
    return (reply.body as { resource_providers: { name: string }[] }).resource_providers.map(
      ({ name }) => name,
    );
  };

  it('have separate resources', async () => {
    await make('', 'here').expect(200);
    await make('/RegionTwo', 'there').expect(200);
    expect([await names(''), await names('/RegionTwo')]).to.deep.equal([['here'], ['there']]);
    await make('/RegionTwo', 'here').expect(200);
  });

  it('serves the first region with and without its name in the path', async () => {
    await make('/RegionOne', 'a').expect(200);
    expect(await names('')).to.deep.equal(['a']);
    await make('', 'a').expect(409);
  });

  for (const prefix of ['', '/RegionOne', '/RegionTwo']) {
    it(`have their own paths in links and Location below ${prefix || '/'}`, async () => {
      const reply = await make(prefix, 'a').expect(200);
      const { uuid, links } = reply.body as { uuid: string; links: { href: string }[] };
      expect(reply.headers['location']).to.match(
        new RegExp(`^http://127\\.0\\.0\\.1:\\d+${prefix}/placement/resource_providers/${uuid}$`),
      );
      for (const { href } of links)
        expect(href).to.match(new RegExp(`^${prefix}/placement/resource_providers/${uuid}`));
      await world.ask('placement', 'GET', links[0]!.href).expect(200);
      await world.ask('placement', 'GET', new URL(reply.headers['location']!).pathname).expect(200);
    });
  }

  it('return 404 for central services below the name of a region', async () => {
    await world.http.get('/identity/v3').expect(200);
    for (const path of [
      '/RegionOne/identity/v3',
      '/RegionTwo/identity/v3',
      '/RegionTwo/_emulator/health',
    ])
      await world.http.get(path).expect(404);
  });

  it('return 404 with a list of services for an unknown region', async () => {
    for (const path of [
      '/RegionThree/placement/',
      '/regionone/placement/',
      '/placements/',
      '/RegionOne',
      '/RegionOne/',
      '//placement/',
    ]) {
      const reply = await world.http.get(path).expect(404).expect('content-type', /json/);
      expect((reply.body as { error: { message: string } }).error.message).to.include('/placement');
    }
  });

  it('are listed at the root, with the services', async () => {
    const reply = await world.http.get('/').expect(200);
    expect(reply.body).to.have.property('regions').that.deep.equals(['RegionOne', 'RegionTwo']);
    expect(reply.body)
      .to.have.nested.property('cumulet.placement')
      .that.matches(/\/placement$/);
  });

  it('all have catalog entries', async () => {
    const rows = (await world.cloud.central
      .db('identity_endpoints')
      .where({ interface: 'public' })
      .orderBy('url')
      .select('region_id', 'url')) as { region_id: string; url: string }[];
    const paths = rows
      .map(({ region_id: region, url }) => `${region} ${url.replace(/^[^/]*/, '')}`)
      .filter((row) => row.includes('/placement'));
    expect(paths).to.have.members(['RegionOne /placement', 'RegionTwo /RegionTwo/placement']);
  });

  it('can serve one service of the first region at the root of a port', async () => {
    const only = world.cloud.services.find(({ definition }) => definition.name === 'placement')!;
    const http = supertest(serverFor({ cloud: world.cloud, only }));
    const made = await http
      .post('/resource_providers')
      .set('x-auth-token', 'admin')
      .set('openstack-api-version', 'placement 1.20')
      .send({ name: 'a' })
      .expect(200);
    const { uuid, links } = made.body as { uuid: string; links: { href: string }[] };
    expect(made.headers['location']).to.match(
      new RegExp(`^http://127\\.0\\.0\\.1:\\d+/resource_providers/${uuid}$`),
    );
    expect(links[0]!.href).to.equal(`/resource_providers/${uuid}`);
    await http.get('/').expect(200);
    await http.get('/placement/resource_providers').set('x-auth-token', 'admin').expect(404);
    await http.get('/RegionTwo/placement/').set('x-auth-token', 'admin').expect(404);
    expect(await names('')).to.deep.equal(['a']);
  });

  it('can be opened and closed while the cloud runs; a new region has no resources of others', async () => {
    await make('', 'here').expect(200);
    const region = await openRegion(world.cloud, 'RegionThree');
    try {
      expect(await names('/RegionThree')).to.deep.equal([]);
      await make('/RegionThree', 'there').expect(200);
      expect([await names(''), await names('/RegionThree')]).to.deep.equal([['here'], ['there']]);
      await schedule(region.database.db, { dueAt: noon, kind: 'gone.away', subject: 'x' });
      // Moving the clock also runs the due jobs of the new region. Nothing handles this one.
      await world.setTime('2026-11-21T12:00:00Z');
      expect(
        await region.database.db('jobs').whereNotNull('set_aside_at').pluck('kind'),
      ).to.include('gone.away');
    } finally {
      await closeRegion(world.cloud, region, { drop: true });
    }
    await world.http.get('/RegionThree/placement/').expect(404);
    expect(await names('')).to.deep.equal(['here']);
  });

  it('return 409 for a duplicate name, 400 for an invalid name, and 400 for closing the first', async () => {
    const refusal = (promise: Promise<unknown>) =>
      promise.then(
        () => 'none',
        (error: ApiError) => `${error.status} ${error.message}`,
      );
    expect(await refusal(openRegion(world.cloud, 'regiontwo'))).to.match(/^409 /);
    expect(await refusal(openRegion(world.cloud, 'placement'))).to.match(/^400 .*service/);
    expect(await refusal(openRegion(world.cloud, '1'))).to.match(/^400 .*letters/);
    expect(await refusal(openRegion(world.cloud, 'Central'))).to.match(/^400 .*share/);
    expect(await refusal(closeRegion(world.cloud, world.cloud.firstRegion))).to.match(
      /^400 .*first/,
    );
  });
});
