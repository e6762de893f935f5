// Tests of repeated slashes in paths, as the web framework of each upstream service treats them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';

onEachDatabase('repeated slashes', { auth: 'noauth2' }, (world) => {
  const folded = [
    ['compute', '/compute', '/v2.1/servers'],
    ['volume', '/volume', '/v3/volumes'],
    ['network', '/network', '/v2.0/networks'],
    ['image', '/image', '/v2/images'],
  ] as const;
  for (const [service, prefix, path] of folded) {
    it(`are folded anywhere by ${service}`, async () => {
      const [, version, resource] = path.split('/') as [string, string, string];
      for (const one of [
        `//${version}/${resource}`,
        `/${version}//${resource}`,
        `///${version}////${resource}`,
      ])
        await world.ask(service, 'GET', prefix + one).expect(200);
    });
  }

  it('are folded in regions and in the log', async () => {
    const reply = await world.ask('compute', 'GET', '/RegionOne/compute//v2.1//flavors/1');
    expect(reply.status).to.equal(200);
    expect(
      (reply.body as { flavor: { links: { href: string }[] } }).flavor.links[0]!.href,
    ).to.match(/\/RegionOne\/compute\/v2.1\/flavors\/1$/);
  });

  it('make the path unknown to placement', async () => {
    for (const path of ['//resource_providers', '/resource_providers//x'])
      await world.ask('placement', 'GET', `/placement${path}`).expect(404);
  });

  it('are folded before the version only by clustering', async () => {
    await world.ask('clustering', 'GET', '/clustering//v1/clusters').expect(200);
    await world.ask('clustering', 'GET', '/clustering/v1//clusters').expect(404);
  });

  for (const [service, prefix, path, target] of [
    ['identity', '/identity', '/v3//users?name=a', '/v3/users?name=a'],
    ['reservation', '/reservation', '/v1//leases', '/v1/leases'],
  ] as const)
    it(`redirect a client of ${service}`, async () => {
      const reply = await world.ask(service, 'GET', prefix + path).expect(308);
      expect(reply.headers['location']).to.match(/^http:\/\/127\.0\.0\.1:\d+\//);
      expect(reply.headers['location']!.replace(/^http:\/\/[^/]+/, '')).to.equal(prefix + target);
      await world.ask(service, 'GET', `${prefix}/v3//nothing`).expect(404);
    });
});
