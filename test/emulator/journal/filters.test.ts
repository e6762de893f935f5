// Tests of GET /_emulator/requests: filters and pages, and single entries.
import { expect } from 'chai';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { journalOf, messageOf, type Shown } from './support.ts';

const uuid = '4e8e5957-649f-477b-9e5b-f1f75b21c03c';
const config = {
  regions: ['RegionOne', 'RegionTwo', 'CentralRegion'],
  auth: 'noauth2',
  hosts: '1',
} as const;

onEachDatabase('GET /_emulator/requests', config, (world) => {
  const journal = journalOf(world);
  /** The tags of requests by their ids. */
  let tags: Map<string, string>;
  const tagsOf = (entries: readonly Shown[]): string =>
    entries.map((one) => tags.get(one.request_id)).join(' ');
  const selected = async (query: string): Promise<string> => tagsOf(await journal.list(query));

  afterEach(() => journal.keep(0));
  beforeEach(async () => {
    await journal.keep(1000);
    tags = new Map();
    const ask = async (
      tag: string,
      service: string,
      path: string,
      asked: Asked = {},
      method = 'GET',
    ): Promise<void> => {
      const { headers } = await world.ask(service, method, path, asked);
      tags.set(String(headers['x-openstack-request-id']), tag);
    };
    const eva = {
      token: 'eva:blue',
      headers: { 'x-roles': 'admin', 'user-agent': 'terraform/1.5' },
    };
    await ask('a', 'placement', '/placement/resource_providers', { version: '1.10' });
    await ask('b', 'placement', '/RegionTwo/placement/traits', { version: '1.6', ...eva });
    await ask('c', 'placement', `/placement/resource_providers/${uuid}`);
    await ask('d', 'compute', '/compute/v2.1/servers', { version: 'latest', ...eva });
    await ask(
      'e',
      'compute',
      `/compute/v2.1/servers/${uuid}/action`,
      { body: { 'os-start': null } },
      'POST',
    );
    await ask('f', 'identity', '/identity/v3/users', { token: null });
    await ask('g', 'compute', '/CentralRegion/compute/v2.1/flavors');
  });

  const filters: readonly (readonly [query: string, expected: string])[] = [
    ['', 'a b c d e f g'],
    ['service=placement', 'a b c'],
    ['service=compute', 'd e g'],
    ['region=RegionTwo', 'b'],
    ['region=CentralRegion', 'g'],
    ['service=placement&region=RegionOne', 'a c'],
    ['operation=servers:list', 'd'],
    ['operation=os-start', 'e'],
    ['operation=servers:act', 'e'],
    ['method=POST', 'e'],
    ['method=DELETE', ''],
    ['path=/resource_providers', 'a'],
    ['path=/resource_providers/*', 'c'],
    ['path=/v2.1/**', 'd e g'],
    ['path=/v2.1/servers/{id}/action', 'e'],
    ['path=/nowhere', ''],
    ['status=404', 'c e'],
    ['status=4xx', 'c e f'],
    ['status=2xx', 'a b d g'],
    ['status=500', ''],
    ['project=blue', 'b d'],
    ['user=eva', 'b d'],
    ['user=nobody', ''],
    ['service=placement&min_version=1.6', 'a b'],
    ['service=placement&max_version=1.6', 'b c'],
    ['service=placement&min_version=1.6&max_version=1.9', 'b'],
    ['version_asked=latest', 'd'],
    ['service=placement&version_asked=', 'c'],
    ['user_agent=terraform', 'b d'],
    ['user_agent=nothing', ''],
    ['inside=true', 'g'],
    ['since=2020-01-01', 'a b c d e f g'],
    ['since=2199-01-01T00:00:00Z', ''],
    ['status=2xx&service=placement&user=eva', 'b'],
  ];
  for (const [query, expected] of filters)
    it(`?${query} selects ${expected ? `requests ${expected}` : 'nothing'}`, async () => {
      expect(await selected(query)).to.equal(expected);
    });

  it('?since selects the entries after a number or from a time on', async () => {
    const [, , , fourth] = await journal.list();
    expect(await selected(`since=${fourth!.id}`)).to.equal('e f g');
    expect(await selected(`since=${fourth!.machine_time}`)).to.equal('d e f g');
  });

  it('?limit divides the list into pages, the newest first', async () => {
    const pages: string[] = [];
    for (let next: string | undefined = 'limit=2'; next !== undefined;) {
      const { requests, requests_links: links } = await journal.page(next);
      pages.push(tagsOf(requests));
      next = links[0] && new URL(links[0].href).search.slice(1);
    }
    expect(pages).to.deep.equal(['f g', 'd e', 'b c', 'a']);
    expect(await journal.page('limit=2&service=placement')).to.have.nested.property(
      'requests_links[0].rel',
      'next',
    );
    expect(await journal.page('limit=3&service=placement')).to.deep.include({
      requests_links: [],
      keep: 1000,
    });
  });

  describe('GET /_emulator/requests/:id', () => {
    it('finds an entry by its number and by its request id', async () => {
      for (const entry of await journal.list()) {
        expect(await journal.show(entry.id)).to.deep.equal(entry);
        expect(await journal.show(entry.request_id)).to.deep.equal(entry);
      }
    });

    it('returns 404 for an unknown id', async () => {
      for (const id of ['0', '999999999', 'req-x', 'x'])
        expect(messageOf(await journal.ask('GET', `/${id}`).expect(404))).to.contain(
          `The journal has no request '${id}'.`,
        );
    });
  });

  const invalid: readonly (readonly [query: string, message: RegExp])[] = [
    ['service=nova', /^There is no service 'nova'/],
    ['region=Mars', /^There is no region 'Mars'/],
    [
      'operation=servers:creat',
      /has an operation or action 'servers:creat'\. Similar names: .*servers:create/,
    ],
    ['service=placement&min_version=2.1', /placement has no version 2\.1/],
    ['min_version=2.1', /Each service has its own versions/],
    ['since=yesterday', /'yesterday' in since is neither an entry's number nor a time/],
    ['status=4', /does not match/],
    ['path=servers', /does not match/],
    ['method=GOT', /is not one of/],
    ['inside=maybe', /is not one of/],
    ['limit=0', /does not match/],
    ['limit=1001', /does not match/],
    ['servce=placement', /'servce' was unexpected/],
  ];
  for (const [query, message] of invalid)
    it(`?${query} returns 400`, async () => {
      expect(messageOf(await journal.ask('GET', `?${query}`).expect(400))).to.match(message);
      expect(messageOf(await journal.ask('GET', `/versions?${query}`).expect(400))).to.match(
        query.startsWith('limit') ? /unexpected/ : message,
      );
    });
});
