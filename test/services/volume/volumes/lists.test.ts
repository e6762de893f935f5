// Tests lists of volumes, and their summary.
import { expect } from 'chai';
import { cirrosId } from '../../../../src/services/image/index.ts';
import { onEachDatabase } from '../../../support/cloud.ts';
import { ask, createVolume, messageOf, newest, type Person } from '../support.ts';

onEachDatabase('GET /volumes', { auth: 'noauth2' }, (world) => {
  const names = async (
    query: string,
    who: Person = 'alice',
    version = newest,
  ): Promise<string[]> => {
    const reply = await ask(world, who, 'GET', `/volumes/detail?${query}`, { version }).expect(200);
    return (reply.body as { volumes: { name: string }[] }).volumes.map(({ name }) => name);
  };

  it('lists the volumes of the caller’s project, or of all for an administrator', async () => {
    await createVolume(world, 'alice', { name: 'a' });
    await createVolume(world, 'bob', { name: 'b' });
    expect(await names('')).to.deep.equal(['a']);
    expect(await names('all_tenants=1')).to.deep.equal(['a']);
    expect(await names('all_tenants=1&sort=name:asc', 'admin')).to.deep.equal(['a', 'b']);
    expect(await names('all_tenants=1&project_id=b2', 'admin')).to.deep.equal(['b']);
    expect(await names('', 'admin')).to.deep.equal([]);
  });

  describe('with filters', () => {
    beforeEach(async () => {
      await createVolume(world, 'alice', {
        name: 'one',
        metadata: { colour: 'red', taste: 'sweet' },
      });
      await createVolume(world, 'alice', {
        name: 'two',
        size: 2,
        metadata: { colour: 'red' },
        imageRef: cirrosId,
      });
    });

    it('returns the volumes that match all filters', async () => {
      const cases: [string, string[]][] = [
        ['name=one', ['one']],
        ['status=available', ['one', 'two']],
        ['status=error', []],
        ['size=2', ['two']],
        ['bootable=true', ['two']],
        ['availability_zone=nova', ['one', 'two']],
        ["metadata={'colour': 'red'}", ['one', 'two']],
        ["metadata={'colour': 'red', \"taste\": 'sweet'}", ['one']],
        ["metadata={'colour': 'blue'}", []],
        ['created_at=gt:2026-11-20T12:00:00', []],
        ['created_at=gte:2026-11-20T12:00:00,lt:2026-11-21', ['one', 'two']],
        ['created_at=gt:2026-11,lte:20261120T120000', ['one', 'two']],
        ['created_at=gt:2026-11-20T14:00:00%2B02', []],
        ['created_at=gt:2027,gt:2026', ['one', 'two']],
        ['updated_at=lt:2026-11-20', []],
        ['consumes_quota=true', ['one', 'two']],
        ['consumes_quota=false', []],
        ['migration_status=None', ['one', 'two']],
      ];
      for (const [query, expected] of cases)
        expect(
          await names(`${encodeURI(query).replaceAll('%25', '%')}&sort=name:asc`),
          query,
        ).to.deep.equal(expected);
    });

    it('matches substrings with name~', async () => {
      expect(await names('name~=W&all_tenants=1', 'admin')).to.deep.equal(['two']);
    });

    it('matches image metadata, for administrators', async () => {
      expect(
        await names(encodeURI("all_tenants=1&glance_metadata={'image_name':'cirros'}"), 'admin'),
      ).to.deep.equal(['two']);
      expect(
        await names(encodeURI("all_tenants=1&glance_metadata={'image_name':'cirro'}"), 'admin'),
      ).to.deep.equal([]);
    });

    it('returns no volumes for a filter that is not a field, for administrators', async () => {
      expect(await names('nothing=x&all_tenants=1', 'admin')).to.deep.equal([]);
    });

    it('returns 400 for a filter of administrators, and ignores it before 3.31', async () => {
      expect(await names('host=x&sort=name:asc', 'alice', '3.30')).to.deep.equal(['one', 'two']);
      expect(messageOf(await ask(world, 'alice', 'GET', '/volumes?host=x').expect(400))).to.equal(
        'Invalid filters host are found in query options.',
      );
    });

    it('returns 400 for an invalid comparison with a time', async () => {
      const cases = {
        '2026-11-20': 'Invalid 2026-11-20 operator',
        'at:2026-11-20': 'Invalid at operator',
        gt: 'Invalid gt value',
        'gt:2026-11-20T24:00:00': 'Invalid 2026-11-20T24:00:00 value',
      };
      for (const [text, message] of Object.entries(cases)) {
        const refused = await ask(world, 'alice', 'GET', `/volumes?created_at=${text}`).expect(400);
        expect(messageOf(refused), text).to.equal(message);
      }
    });

    it('returns 400 for an invalid boolean, and accepts it before 3.2', async () => {
      expect(
        messageOf(await ask(world, 'alice', 'GET', '/volumes?bootable=x').expect(400)),
      ).to.equal("Invalid input received: 'bootable = x'");
      await ask(world, 'alice', 'GET', '/volumes?bootable=x', { version: '3.1' }).expect(200);
    });
  });

  it('returns pages that add up to the whole list, with the total count', async () => {
    for (const name of ['c', 'a', 'b', 'a']) await createVolume(world, 'alice', { name });
    for (const sort of ['name:asc', 'name:desc', 'size', 'created_at:asc']) {
      const whole = await names(`sort=${sort}`);
      const pages: string[] = [];
      let next: string | undefined = `/volumes/detail?sort=${sort}&limit=2&with_count=True`;
      while (next !== undefined) {
        const { body } = (await ask(world, 'alice', 'GET', next).expect(200)) as {
          body: {
            volumes: { name: string }[];
            volumes_links?: { href: string }[];
            count: number;
          };
        };
        expect(body.count).to.equal(4);
        pages.push(...body.volumes.map(({ name }) => name));
        next = body.volumes_links?.[0]!.href.replace(/^.*\/v3/, '');
      }
      expect(pages, sort).to.deep.equal(whole);
    }
    expect(await names('sort=name:asc&offset=3')).to.deep.equal(['c']);
  });

  it('returns 400 or 404 for an invalid page', async () => {
    const cases: [string, number, string][] = [
      ['limit=x', 400, 'limit param must be an integer'],
      ['limit=-1', 400, 'limit param must be positive'],
      ['marker=x', 404, 'Volume x could not be found.'],
      ['sort=x', 400, 'Invalid input received: Sort key supplied is invalid: x'],
      [
        'sort=name:up',
        400,
        "Invalid input received: Unknown sort direction, must be 'asc' or 'desc'.",
      ],
    ];
    for (const [query, status, message] of cases)
      expect(
        messageOf(await ask(world, 'alice', 'GET', `/volumes?${query}`).expect(status)),
      ).to.equal(message);
  });
});

onEachDatabase('GET /volumes/summary', { auth: 'noauth2' }, (world) => {
  it('returns the number, the total size and the metadata of the volumes', async () => {
    await createVolume(world, 'alice', { size: 2, metadata: { a: 'x' } });
    await createVolume(world, 'alice', { size: 3, metadata: { a: 'y' } });
    const { body } = await ask(world, 'alice', 'GET', '/volumes/summary').expect(200);
    expect(body['volume-summary']).to.deep.include({ total_count: 2, total_size: 5 });
    expect(body['volume-summary'].metadata.a).to.have.members(['x', 'y']);
  });

  it('returns 404 before 3.12', async () => {
    await ask(world, 'alice', 'GET', '/volumes/summary', { version: '3.11' }).expect(404);
  });
});
