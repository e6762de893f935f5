// Tests of os-simple-tenant-usage at the Compute gateway.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { admin, bob, messageOf, Tenancy, threePods, type Json } from './support.ts';

onEachDatabase('gateway: usage of projects', threePods, (world) => {
  const period = 'start=2026-11-20T00:00:00&end=2026-11-21T00:00:00';
  let cloud: Tenancy;

  // Two servers of one project, in different pods, and one of another project; two hours later.
  beforeEach(async () => {
    cloud = new Tenancy(world);
    await cloud.cad();
    await cloud.server('a');
    await cloud.server('b', { flavorRef: 'cad' });
    await cloud.server('c', {}, bob);
    await world.setTime('2026-11-20T14:00:00Z');
  });

  const read = async (path: string, as = admin, version = '2.90'): Promise<Json> =>
    (
      await cloud
        .nova('GET', `/os-simple-tenant-usage${path}${period}`, { as, version })
        .expect(200)
    ).body as Json;

  it('sums up the servers of each project in all pods', async () => {
    const { tenant_usages: usages } = await read('?');
    expect(
      (usages as Json[]).map(({ tenant_id, total_hours, total_vcpus_usage, start, stop }) => [
        tenant_id,
        total_hours,
        total_vcpus_usage,
        start,
        stop,
      ]),
    ).to.have.deep.members([
      ['acme', 4, 4, '2026-11-20T00:00:00.000000', '2026-11-20T14:00:00.000000'],
      ['bolts', 2, 2, '2026-11-20T00:00:00.000000', '2026-11-20T14:00:00.000000'],
    ]);
    for (const usage of usages as Json[]) expect(usage).to.not.have.property('server_usages');
  });

  it('shows the servers of one project', async () => {
    const { tenant_usage: usage } = await read('/acme?');
    const names = (usage.server_usages as Json[]).map(({ name }) => name as string);
    expect(names).to.have.members(['a', 'b']);
    expect(usage.total_hours).to.equal(4);
    expect(usage.server_usages[0]).to.not.have.property('id');
  });

  it('pages over the servers of all pods from 2.40 on', async () => {
    const names: string[] = [];
    let path: string | undefined = '/acme?limit=1&';
    while (path !== undefined) {
      const { tenant_usage: usage, tenant_usage_links: links }: Json = await read(path);
      names.push(...((usage.server_usages ?? []) as Json[]).map(({ name }) => name as string));
      const marker = links && new URL(links[0].href as string).searchParams.get('marker');
      path = marker ? `/acme?limit=1&marker=${marker}&` : undefined;
    }
    expect(names).to.have.members(['a', 'b']);
  });

  it('returns all servers before 2.40', async () => {
    const { tenant_usage: usage } = await read('/acme?', admin, '2.39');
    expect(usage.server_usages).to.have.length(2);
  });

  it('returns an empty usage for a project without servers', async () => {
    expect(await read('/nobody?')).to.deep.equal({ tenant_usage: {} });
  });

  it('returns 400 for an unknown marker, and for a period that ends before it starts', async () => {
    const refused = async (query: string): Promise<string> =>
      messageOf(
        (await cloud.nova('GET', `/os-simple-tenant-usage?${query}`, { as: admin }).expect(400))
          .body,
      );
    expect(await refused(`${period}&marker=x`)).to.equal('Marker x could not be found.');
    expect(await refused('start=2026-11-21T00:00:00&end=2026-11-20T00:00:00')).to.match(
      /^Invalid start time/,
    );
  });

  it('returns 403 to a tenant for another project, and for all projects', async () => {
    for (const path of ['', '/acme'])
      await cloud.nova('GET', `/os-simple-tenant-usage${path}`, { as: bob }).expect(403);
  });
});
