// Tests the list of images: visibility, filters, order and pages.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { ask, make, names, said, upload } from './support.ts';

onEachDatabase('GET /v2/images', { auth: 'noauth2' }, (world) => {
  const refused = async (query: string): Promise<string> =>
    said(await ask(world, 'alice', 'GET', `/v2/images?${query}`).expect(400));

  it('lists public and own images, accepted shared ones, and community images on demand', async () => {
    const shared = await make(world, 'alice', { name: 'shared' });
    await make(world, 'alice', { name: 'private', visibility: 'private' });
    await make(world, 'alice', { name: 'community', visibility: 'community' });
    expect(await names(world, 'alice', 'sort=name:asc')).to.deep.equal([
      'cirros',
      'community',
      'private',
      'shared',
    ]);
    expect(await names(world, 'bob')).to.deep.equal(['cirros']);
    expect(await names(world, 'bob', 'visibility=community')).to.deep.equal(['community']);
    expect(await names(world, 'bob', 'visibility=all&sort=name:asc')).to.deep.equal([
      'cirros',
      'community',
    ]);
    expect(await names(world, 'admin', 'sort=name:asc')).to.deep.equal([
      'cirros',
      'private',
      'shared',
    ]);
    await ask(world, 'alice', 'POST', `/v2/images/${shared}/members`, {
      body: { member: 'red' },
    }).expect(200);
    expect(await names(world, 'bob', 'visibility=shared')).to.deep.equal([]);
    expect(await names(world, 'bob', 'visibility=shared&member_status=pending')).to.deep.equal([
      'shared',
    ]);
    await ask(world, 'bob', 'PUT', `/v2/images/${shared}/members/red`, {
      body: { status: 'accepted' },
    }).expect(200);
    expect(await names(world, 'bob', 'sort=name:asc')).to.deep.equal(['cirros', 'shared']);
    expect(await names(world, 'bob', 'member_status=all&owner=blue')).to.deep.equal(['shared']);
  });

  it('filters by field, property, tag, size and time', async () => {
    const one = await make(world, 'alice', {
      name: 'one',
      tags: ['a', 'b'],
      colour: 'red',
      min_ram: 64,
      protected: true,
    });
    const two = await make(world, 'alice', {
      name: 'two,2',
      tags: ['a'],
      disk_format: 'qcow2',
      os_hidden: true,
    });
    await make(world, 'alice', { name: 'three', visibility: 'private' });
    await upload(world, 'alice', one, 'data').expect(204);
    const cases: [string, string[]][] = [
      ['name=one', ['one']],
      ['name=in:one,three', ['one', 'three']],
      ['name=in:"two,2",one&os_hidden=true', ['two,2']],
      [`id=in:${one},${two}`, ['one']],
      ['status=active&owner=blue', ['one']],
      ['status=in:active,queued&owner=blue', ['one', 'three']],
      ['tag=a&tag=b', ['one']],
      ['tag=a&os_hidden=true', ['two,2']],
      ['colour=red', ['one']],
      ['colour=green', []],
      ['protected=true', ['one']],
      ['visibility=private', ['three']],
      ['size_min=4&size_max=4', ['one']],
      ['min_ram=64', ['one']],
      ['disk_format=qcow2&os_hidden=true', ['two,2']],
      ['checksum=8d777f385d3dfec8815d20f7496026dc', ['one']],
      ['created_at=gt:2026-11-20T12:00:00Z&owner=blue', []],
      ['created_at=gte:2026-11-20T12:00:00Z&owner=blue', ['one', 'three']],
      ['created_at=2026-11-20T12:00:00Z&owner=blue', ['one', 'three']],
      ['created_at=2026-11-20 12:00&owner=blue', ['one', 'three']],
      ['created_at=gte:2026-11-20 12:00:00&owner=blue', ['one', 'three']],
      ['created_at=gt:2026-11-20T14:00:00%2B03&owner=blue', ['one', 'three']],
      ['updated_at=lt:2026-11&owner=blue', []],
      ['updated_at=gt:20261120&owner=blue', ['one', 'three']],
    ];
    for (const [query, expected] of cases)
      expect(await names(world, 'alice', `${query}&sort=name:asc`), query).to.deep.equal(expected);
  });

  it('returns 400 for an invalid filter', async () => {
    const cases = {
      'visibility=x': 'Invalid visibility value: x',
      'member_status=x': 'Invalid status: x',
      'protected=yes':
        "Invalid value 'yes' for 'protected' filter. Valid values are 'true' or 'false'.",
      'size_min=x': 'Unable to filter on a range with a non-numeric value.',
      'name=like:x': "Unable to filter by unknown operator 'like'.",
      'created_at=gt:yesterday':
        'Bad "created_at" query filter format. Use ISO 8601 DateTime notation.',
      'updated_at=2026-11-20T24:00:00Z':
        'Bad "updated_at" query filter format. Use ISO 8601 DateTime notation.',
      'name=in:"a': 'Invalid filter value "a. The quote is not closed.',
      'sort_key=x':
        'Invalid sort key: x. It must be one of the following: name, status, ' +
        'container_format, disk_format, size, id, created_at, updated_at.',
      'sort=name:up': 'Invalid sort direction: up',
      'sort=name&sort_key=id': 'Old and new sorting syntax cannot be combined',
      'sort_key=id&sort_dir=asc&sort_dir=asc':
        'Number of sort dirs does not match the number of sort keys',
      'limit=x': 'limit param must be an integer',
      'limit=-1': 'limit param must be positive',
      'marker=x': 'No image found with ID x',
    };
    for (const [query, message] of Object.entries(cases))
      expect(await refused(query), query).to.equal(message);
  });

  it('sorts by the given keys, newest first by default', async () => {
    await make(world, 'alice', { name: 'b' });
    await world.setTime('2026-11-20T12:00:01Z');
    await make(world, 'alice', { name: 'a', disk_format: 'qcow2' });
    await world.setTime('2026-11-20T12:00:02Z');
    await make(world, 'alice', { name: null });
    expect(await names(world, 'alice', 'owner=blue')).to.deep.equal([null, 'a', 'b']);
    expect(await names(world, 'alice', 'owner=blue&sort_key=name&sort_dir=asc')).to.deep.equal([
      null,
      'a',
      'b',
    ]);
    expect(await names(world, 'alice', 'owner=blue&sort=disk_format:desc,name:desc')).to.deep.equal(
      ['b', null, 'a'],
    );
    expect(
      await names(world, 'alice', 'owner=blue&sort_key=created_at&sort_dir=asc'),
    ).to.deep.equal(['b', 'a', null]);
  });

  it('returns pages that add up to the whole list, in any order', async () => {
    for (const name of ['c', 'a', null, 'b', 'a']) await make(world, 'alice', { name });
    for (const sort of [
      'name:asc',
      'name:desc',
      'size',
      'created_at:asc',
      'disk_format:asc,name:desc',
    ]) {
      const whole = await names(world, 'alice', `owner=blue&sort=${sort}`);
      const pages: string[] = [];
      let next: string | undefined = `/v2/images?owner=blue&sort=${sort}&limit=2`;
      while (next !== undefined) {
        const { body } = (await ask(world, 'alice', 'GET', next).expect(200)) as {
          body: { images: { name: string }[]; next?: string; first: string };
        };
        expect(body.first).to.contain('limit=2').and.not.contain('marker');
        pages.push(...body.images.map(({ name }) => name));
        next = body.next;
      }
      expect(pages, sort).to.deep.equal(whole);
    }
  });
});
