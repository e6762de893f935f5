// Tests the lists of servers: filters, order, pages, and differences between versions.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, config, expectFault, member } from '../support.ts';
import { act, admin, liftQuotas, madeServer, newest, type Shown } from './makers.ts';

interface Page {
  readonly servers: Shown[];
  readonly servers_links?: { rel: string; href: string }[];
}

onEachDatabase('compute: lists of servers', config, (world) => {
  const list = async (query: string, asked = { ...admin, version: newest }): Promise<string[]> => {
    const reply = await ask(world, 'GET', `/servers?${query}`, asked);
    expect(reply.status, reply.text).to.equal(200);
    return (reply.body as Page).servers.map(({ name }) => name);
  };

  beforeEach(async () => {
    await liftQuotas(world);
    for (const [name, tags] of [
      ['web-1', ['a', 'b']],
      ['web-2', ['a']],
      ['db-1', ['b']],
    ] as const) {
      const { id } = await madeServer(world, { name, tags, metadata: {} });
      if (name === 'db-1') await act(world, id, { 'os-stop': null });
      if (name === 'web-2') await act(world, id, { lock: null });
    }
  });

  it('are sorted newest first, or as requested', async () => {
    expect(await list('')).to.deep.equal(['db-1', 'web-2', 'web-1']);
    expect(await list('sort_key=display_name&sort_dir=asc')).to.deep.equal([
      'db-1',
      'web-1',
      'web-2',
    ]);
    expect(
      await list('sort_key=vm_state&sort_dir=asc&sort_key=display_name&sort_dir=desc'),
    ).to.deep.equal(['web-2', 'web-1', 'db-1']);
    expectFault(
      await ask(world, 'GET', '/servers?sort_dir=up', admin),
      400,
      'Unknown sort direction, must be one of: asc, desc',
    );
    expectFault(
      await ask(world, 'GET', '/servers?sort_key=host', member),
      403,
      'Only administrators can sort servers by host',
    );
  });

  it('are filtered by the query', async () => {
    const cases: [string, string[]][] = [
      ['name=web', ['web-2', 'web-1']],
      ['name=^WEB-1$', ['web-1']],
      ['status=shutoff', ['db-1']],
      ['status=active&status=SHUTOFF', ['db-1', 'web-2', 'web-1']],
      ['flavor=1', ['db-1', 'web-2', 'web-1']],
      ['flavor=2', []],
      ['tags=a,b', ['web-1']],
      ['tags-any=a,b', ['db-1', 'web-2', 'web-1']],
      ['not-tags=a,b', ['db-1', 'web-2']],
      ['not-tags-any=a', ['db-1']],
      ['locked=true', ['web-2']],
      ['deleted=False', ['db-1', 'web-2', 'web-1']],
      ['changes-since=2026-11-21T00:00:00Z', []],
      ['limit=0', []],
    ];
    for (const [query, names] of cases) expect(await list(query), query).to.deep.equal(names);
    expect(
      (await list('host=compute-1')).length +
        (await list('host=compute-2')).length +
        (await list('host=compute-3')).length,
    ).to.equal(3);
  });

  it('accept the times that upstream accepts in changes-since and changes-before', async () => {
    const before = ['2020-01-01T00:00:00', '2020-01-01 00:00:00', '2020', '20200101T000000Z'];
    for (const time of [...before, '2020-1-1', '2020-01-01T00:00:00,5Z', '2020-01-01T00:00%2B02'])
      expect(await list(`changes-since=${time}&changes-before=2026-12`), time).to.have.length(3);
    for (const name of ['changes-since', 'changes-before'])
      expectFault(
        await ask(world, 'GET', `/servers?${name}=2020-01-01T24:00:00Z`, admin),
        400,
        `Invalid input for query parameters ${name}. Value: 2020-01-01T24:00:00Z. ` +
          "'2020-01-01T24:00:00Z' is not a 'date-time'",
      );
  });

  it('return 400 for an unknown status from 2.38 on, and are empty before', async () => {
    expect(await list('status=nope', { ...admin, version: '2.37' })).to.deep.equal([]);
    expectFault(
      await ask(world, 'GET', '/servers?status=nope', { ...admin, version: '2.38' }),
      400,
      'Invalid status value',
    );
  });

  it('ignore unknown parameters until 2.74, and return 400 from 2.75 on', async () => {
    expect(await list('nope=1', { ...admin, version: '2.74' })).to.have.length(3);
    const reply = await ask(world, 'GET', '/servers?nope=1', { ...admin, version: '2.75' });
    expectFault(reply, 400, "'nope' does not match any of the regexes: '^_'");
    expectFault(
      await ask(world, 'GET', '/servers?metadata=x', admin),
      400,
      'Invalid filter field: metadata.',
    );
  });

  it('are returned in pages', async () => {
    for (const query of [
      '',
      '&sort_key=display_name&sort_dir=asc',
      '&sort_key=launched_at&sort_dir=desc&sort_key=key_name',
      '&name=.',
    ]) {
      const seen: string[] = [];
      let path: string | undefined = `/servers?limit=2${query}`;
      while (path !== undefined) {
        const { servers, servers_links: links }: Page = (
          await ask(world, 'GET', path, { ...admin, version: newest })
        ).body as Page;
        seen.push(...servers.map(({ name }) => name));
        path = links?.[0]?.href.split('/v2.1')[1];
      }
      expect(seen, query).to.deep.equal(await list(query.slice(1)));
    }
    expectFault(
      await ask(world, 'GET', '/servers?marker=nope', admin),
      400,
      'marker [nope] not found',
    );
    expectFault(
      await ask(world, 'GET', '/servers?limit=-1', admin),
      400,
      "Invalid input for query parameters limit. Value: -1. '-1' does not match '^[0-9]*$'",
    );
  });

  it('continue after a marker that has been deleted', async () => {
    const [last] = (await ask(world, 'GET', '/servers?limit=1', admin)).body.servers as Shown[];
    await ask(world, 'DELETE', `/servers/${last!.id}`, admin).expect(204);
    await ask(world, 'GET', `/servers/${last!.id}`, admin).expect(404);
    expect(await list(`marker=${last!.id}`)).to.deep.equal(['web-2', 'web-1']);
    expect(await list(`marker=${last!.id}&sort_key=display_name&sort_dir=asc`)).to.deep.equal([
      'web-1',
      'web-2',
    ]);
    expectFault(
      await ask(world, 'GET', `/servers?marker=${last!.id}`, { token: 'admin:else' }),
      400,
      /not found/,
    );
  });

  it('contain all projects for administrators only', async () => {
    await madeServer(world, { name: 'else' }, { token: 'admin:else' });
    expect(await list('')).to.have.length(3);
    expect(await list('all_tenants=True')).to.have.length(4);
    expect(await list('all_tenants')).to.have.length(4);
    expect(await list('all_tenants=1&project_id=else')).to.deep.equal(['else']);
    expect(await list('project_id=else')).to.have.length(3);
  });

  it('show servers according to the version', async () => {
    const detail = async (version: string): Promise<Shown> =>
      ((await ask(world, 'GET', '/servers/detail?limit=1', { ...admin, version })).body as Page)
        .servers[0]!;
    const fields: [string, string][] = [
      ['2.3', 'OS-EXT-SRV-ATTR:hostname'],
      ['2.9', 'locked'],
      ['2.16', 'host_status'],
      ['2.19', 'description'],
      ['2.26', 'tags'],
      ['2.63', 'trusted_image_certificates'],
      ['2.73', 'locked_reason'],
      ['2.96', 'pinned_availability_zone'],
      ['2.100', 'scheduler_hints'],
    ];
    for (const [first, field] of fields) {
      const before = `2.${Number(first.split('.')[1]) - 1}`;
      expect(await detail(before), before).to.not.have.property(field);
      expect(await detail(first), first).to.have.property(field);
    }
    expect(await detail(newest)).to.not.have.property('server_groups');
    expect((await detail('2.46'))['flavor']).to.have.all.keys('id', 'links');
    expect((await detail('2.47'))['flavor']).to.have.all.keys(
      'vcpus',
      'ram',
      'disk',
      'ephemeral',
      'swap',
      'original_name',
      'extra_specs',
    );
  });
});
