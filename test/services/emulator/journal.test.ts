// Tests of /requests: what the journal has of each kind of request, its filters and pages, and how it goes.
import { expect } from 'chai';
import { connect, type AddressInfo } from 'node:net';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { rawClient } from '../../support/raw.ts';
import { faultsOf } from './faults.ts';
import { journalOf, messageOf, type Shown } from './journal.ts';

const uuid = '4e8e5957-649f-477b-9e5b-f1f75b21c03c';

onEachDatabase(
  'emulator: the journal',
  { regions: ['RegionOne', 'RegionTwo', 'CentralRegion'], auth: 'noauth2', hosts: '1' },
  (world) => {
    const journal = journalOf(world);
    const placement = (method: string, path: string, asked: Asked = {}) =>
      world.ask('placement', method, `/placement${path}`, asked);

    beforeEach(() => journal.keep(1000));
    afterEach(() => journal.keep(0));

    describe('has of a request', () => {
      it('who asked for what, with which version, and what came of it', async () => {
        const body = { name: 'one', uuid };
        const asked = { version: '1.20', token: 'eva:blue', headers: { 'x-roles': 'admin', 'user-agent': 'test/1' }, body };
        const { headers } = await placement('POST', '/resource_providers', asked).expect(200);
        const { id, machine_time: machineTime, duration_ms: ms, ...entry } = (await journal.list())[0]!;
        expect(id).to.be.a('number');
        expect(ms).to.be.greaterThan(0);
        expect(Date.now() - Date.parse(machineTime)).to.be.within(0, 600_000);
        expect(entry).to.deep.equal({
          request_id: headers['x-openstack-request-id'],
          time: '2026-11-20T12:00:00.000000Z',
          method: 'POST',
          prefix: '/placement',
          path: '/resource_providers',
          query: '',
          service: 'placement',
          region: 'RegionOne',
          operation: 'resource_providers:create',
          action: null,
          inside: false,
          version_asked: '1.20',
          version: '1.20',
          project_id: 'blue',
          project_name: null,
          user_id: 'eva',
          user_name: 'eva',
          user_agent: 'test/1',
          status: 200,
          dropped: false,
          fault_rules: [],
          request_body: body,
          request_body_cut: false,
          request_bytes: JSON.stringify(body).length,
          response_body: null,
          response_body_cut: false,
        });
      });

      it('the query, the region, and of a refusal what was said', async () => {
        const path = `/RegionTwo/placement/resource_providers/${uuid}?a=b`;
        const { body } = await world.ask('placement', 'GET', path).expect(404);
        const [entry] = await journal.list();
        expect(entry).to.include({ prefix: '/RegionTwo/placement', path: `/resource_providers/${uuid}`, query: 'a=b' });
        expect(entry).to.include({ region: 'RegionTwo', status: 404, version_asked: null, version: '1.0', request_bytes: null });
        expect(entry!.response_body).to.deep.equal(body);
      });

      it('the action, the path without a project, and no region where the service is in none', async () => {
        const path = `/compute/v2.1/admin/servers/${uuid}/action`;
        await world.ask('compute', 'POST', path.replace('admin', 'abc'), { token: 'eva:abc', body: { 'os-stop': null } });
        await world.ask('identity', 'GET', '/identity/v3/users');
        const [act, users] = await journal.list();
        expect(act).to.include({
          path: `/v2.1/servers/${uuid}/action`,
          operation: 'servers:act',
          action: 'os-stop',
          status: 404,
        });
        expect(users).to.include({ service: 'identity', region: null, operation: 'users:list' });
      });

      it('the version in the words of each service', async () => {
        const ask = (service: string, path: string, headers: Record<string, string>) =>
          world.ask(service, 'GET', path, { headers });
        await ask('compute', '/compute/v2.1/servers', { 'x-openstack-nova-api-version': '2.60' });
        await ask('volume', '/volume/v3/volumes', { 'openstack-api-version': 'volumev3 3.27' });
        await ask('placement', '/placement/traits', { 'openstack-api-version': 'compute 2.1, placement latest' });
        await ask('placement', '/placement/traits', { 'openstack-api-version': 'placement 9.9' });
        await ask('clustering', '/clustering/v1/clusters', { 'openstack-api-version': 'clustering 1.3' });
        expect((await journal.list()).map((one) => [one.version_asked, one.version, one.status])).to.deep.equal([
          ['2.60', '2.60', 200],
          ['3.27', '3.27', 200],
          ['latest', '1.39', 200],
          ['9.9', null, 406],
          ['1.3', '1.3', 200],
        ]);
      });

      it('also where it is refused before its service has looked at it, or by Node', async () => {
        await placement('GET', '/resource_providers', { token: null }).expect(401);
        await placement('GET', '/nowhere').expect(404);
        await placement('PATCH', '/resource_providers').expect(405);
        await world.http.get('/nowhere/at/all').expect(404);
        await world.http.get('/').expect(200);
        await placement('POST', '/resource_providers', { body: '{' }).expect(400);
        const { port } = world.server.address() as AddressInfo;
        await new Promise<void>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => socket.write('GET /compute/v2.1?x=y HTTP/1.1\r\na b: c\r\n\r\n'));
          socket.on('data', () => {}).on('close', () => resolve()); // prettier-ignore
        });
        expect(await journal.lines()).to.deep.equal([
          'GET /placement/resource_providers 401',
          'GET /placement/nowhere 404',
          'PATCH /placement/resource_providers 405',
          'GET /nowhere/at/all 404',
          'GET / 200',
          'POST /placement/resource_providers 400',
          'GET /compute/v2.1 400',
        ]);
        const [, , , nowhere, , malformed, bare] = await journal.list();
        expect(nowhere).to.include({ service: null, operation: null, version: null });
        expect(malformed).to.include({ request_body: null, request_bytes: 1 });
        expect(bare).to.include({ service: 'compute', query: 'x=y', operation: null, inside: false });
      });

      it('that it was dropped, or hit by a fault rule, or only late', async () => {
        const faults = faultsOf(world);
        const match = { service: 'placement' };
        const late = await faults.add({ match, effect: { delay_ms: 1 } });
        await placement('GET', '/traits', { version: '1.6' }).expect(200);
        const busy = await faults.add({ match, effect: { status: 503 }, count: 1 });
        await placement('GET', '/traits', { version: '1.6' }).expect(503);
        const lost = await faults.add({ match, effect: { drop: true, when: 'after' } });
        await placement('PUT', '/traits/CUSTOM_A', { version: '1.6' }).then(
          () => expect.fail(),
          () => {},
        );
        await faults.clear();
        expect((await journal.list()).map((one) => [one.status, one.dropped, one.fault_rules])).to.deep.equal([
          [200, false, [late.id]],
          [503, false, [late.id, busy.id]],
          [null, true, [late.id, lost.id]],
        ]);
        expect(await journal.lines('status=dropped')).to.deep.equal(['PUT /placement/traits/CUSTOM_A null']);
      });

      it('the length of a body that is no JSON, and the beginning of one that is long', async () => {
        const made = await world.ask('image', 'POST', '/image/v2/images', { body: { name: 'i', container_format: 'bare', disk_format: 'raw' } }).expect(201); // prettier-ignore
        const { id } = made.body as { id: string };
        const client = rawClient(world.server);
        const octets = { 'x-auth-token': 'admin', 'content-type': 'application/octet-stream' };
        const chunked = { ...octets, 'transfer-encoding': 'chunked' };
        const sent = await client.send('PUT', `/image/v2/images/${id}/file`, chunked, Buffer.alloc(300_000, 'secret pixels'));
        client.close();
        expect(sent.status).to.equal(204);
        const body = { name: 'x'.repeat(20_000), uuid };
        await placement('POST', '/resource_providers', { body }).expect(400);
        const [, upload, long] = await journal.list();
        expect(upload).to.include({ operation: 'image_data:create', request_body: null, request_bytes: 300_000 });
        expect(long).to.include({ request_body_cut: true, request_bytes: JSON.stringify(body).length });
        expect(long!.request_body).to.be.a('string').with.length.within(8_000, 8_200);
        expect(JSON.stringify(long!.response_body).length).to.be.below(9_000);
      });

      it('that a service has sent it', async () => {
        const spec = { type: 'os.nova.server', version: '1.0', properties: { name: 's', flavor: '1', networks: [] } };
        await world.ask('clustering', 'POST', '/clustering/v1/profiles', { body: { profile: { name: 'p', spec } } });
        const own = await journal.list();
        const inside = await journal.list('inside=true');
        expect(own.map(({ path }) => path)).to.deep.equal(['/v1/profiles']);
        expect(inside.length).to.be.greaterThan(0);
        expect(inside.every((one) => one.inside && one.service !== 'clustering')).to.equal(true);
        expect(await journal.list('inside=any')).to.have.length(own.length + inside.length);
        expect((await journal.show(inside[0]!.request_id)).id).to.equal(own[0]!.id);
      });
    });

    describe('is listed', () => {
      /** The tags of requests by their ids. */
      let tags: Map<string, string>;
      const tagsOf = (entries: readonly Shown[]): string => entries.map((one) => tags.get(one.request_id)).join(' ');
      const seen = async (query: string): Promise<string> => tagsOf(await journal.list(query));

      beforeEach(async () => {
        tags = new Map();
        const ask = async (tag: string, service: string, path: string, asked: Asked = {}, method = 'GET'): Promise<void> => {
          const { headers } = await world.ask(service, method, path, asked);
          tags.set(String(headers['x-openstack-request-id']), tag);
        };
        const eva = { token: 'eva:blue', headers: { 'x-roles': 'admin', 'user-agent': 'terraform/1.5' } };
        await ask('a', 'placement', '/placement/resource_providers', { version: '1.10' });
        await ask('b', 'placement', '/RegionTwo/placement/traits', { version: '1.6', ...eva });
        await ask('c', 'placement', `/placement/resource_providers/${uuid}`);
        await ask('d', 'compute', '/compute/v2.1/servers', { version: 'latest', ...eva });
        await ask('e', 'compute', `/compute/v2.1/servers/${uuid}/action`, { body: { 'os-start': null } }, 'POST');
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
        it(`by ${query || 'nothing'}`, async () => {
          expect(await seen(query)).to.equal(expected);
        });

      it('since an entry', async () => {
        const [, , , fourth] = await journal.list();
        expect(await seen(`since=${fourth!.id}`)).to.equal('e f g');
        expect(await seen(`since=${fourth!.machine_time}`)).to.equal('d e f g');
      });

      it('in pages, the newest first', async () => {
        const pages: string[] = [];
        for (let next: string | undefined = 'limit=2'; next !== undefined;) {
          const { requests, requests_links: links } = await journal.page(next);
          pages.push(tagsOf(requests));
          next = links[0] && new URL(links[0].href).search.slice(1);
        }
        expect(pages).to.deep.equal(['f g', 'd e', 'b c', 'a']);
        expect(await journal.page('limit=2&service=placement')).to.have.nested.property('requests_links[0].rel', 'next');
        expect(await journal.page('limit=3&service=placement')).to.deep.include({ requests_links: [], keep: 1000 });
      });

      it('one by one, by number and by request id', async () => {
        for (const entry of await journal.list()) {
          expect(await journal.show(entry.id)).to.deep.equal(entry);
          expect(await journal.show(entry.request_id)).to.deep.equal(entry);
        }
        for (const id of ['0', '999999999', 'req-x', 'x'])
          expect(messageOf(await journal.ask('GET', `/${id}`).expect(404))).to.contain(`The journal has no request '${id}'.`);
      });

      const refused: readonly (readonly [query: string, says: RegExp])[] = [
        ['service=nova', /^There is no service 'nova'/],
        ['region=Mars', /^There is no region 'Mars'/],
        ['operation=servers:creat', /has no operation or action 'servers:creat'\. There are .*servers:create/],
        ['service=placement&min_version=2.1', /placement has no version 2\.1/],
        ['min_version=2.1', /Versions are those of one service/],
        ['since=yesterday', /'yesterday' in since is neither an entry's number nor a time/],
        ['status=4', /does not match/],
        ['path=servers', /does not match/],
        ['method=GOT', /is not one of/],
        ['inside=maybe', /is not one of/],
        ['limit=0', /does not match/],
        ['limit=1001', /does not match/],
        ['servce=placement', /'servce' was unexpected/],
      ];
      for (const [query, says] of refused)
        it(`not by ${query}`, async () => {
          expect(messageOf(await journal.ask('GET', `?${query}`).expect(400))).to.match(says);
          expect(messageOf(await journal.ask('GET', `/versions?${query}`).expect(400))).to.match(query.startsWith('limit') ? /unexpected/ : says); // prettier-ignore
        });
    });

    describe('goes', () => {
      const ask = (tag: number) => placement('GET', `/resource_providers?name=${tag}`);
      const tags = async (): Promise<string> =>
        (await journal.list('limit=1000')).map(({ query }) => query.slice('name='.length)).join(' ');

      it('when it is emptied', async () => {
        await ask(1);
        await journal.clear();
        await ask(2);
        expect(await tags()).to.equal('2');
      });

      it('when it is switched off, and is not written nor read then', async () => {
        await ask(1);
        await journal.keep(0);
        await ask(2);
        for (const [method, path, body] of [
          ['GET', ''],
          ['GET', '/1'],
          ['GET', '/versions'],
          ['POST', '/assert', { match: {} }],
        ] as const)
          expect(messageOf(await journal.ask(method, path, body).expect(409))).to.match(
            /^The journal is off\. Switch it on with PUT/,
          );
        await journal.clear();
        await journal.keep(10);
        await ask(3);
        expect(await tags()).to.equal('3');
      });

      it('entry by entry, when there are more than are kept', async () => {
        await journal.keep(3);
        for (let tag = 1; tag <= 5; tag++) await ask(tag);
        expect(await tags()).to.equal('3 4 5');
        const client = rawClient(world.server);
        await Promise.all(Array.from({ length: 450 }, () => client.ask('placement', 'GET', '/placement/resource_providers')));
        client.close();
        expect(await journal.list()).to.have.length(3);
        const rows = (await world.cloud.central.db('journal_requests').count('* as count').first()) as { count: number };
        expect(Number(rows.count)).to.be.below(300);
        await journal.keep(2);
        expect(await journal.list()).to.have.length(2);
      });

      it('with a reset of what it is about', async () => {
        const fill = async (): Promise<void> => {
          await journal.clear();
          await placement('GET', '/resource_providers');
          await world.ask('placement', 'GET', '/RegionTwo/placement/resource_providers');
          await world.ask('image', 'GET', '/image/v2/images');
          await world.ask('identity', 'GET', '/identity/v3/users', { token: null });
        };
        const left = async (scope: object): Promise<string[]> => {
          await fill();
          await world.ask('emulator', 'POST', '/_emulator/reset', { token: null, body: scope }).expect(204);
          return (await journal.list()).map(({ prefix }) => prefix);
        };
        expect(await left({ service: 'placement' })).to.deep.equal(['/image', '/identity']);
        expect(await left({ region: 'RegionOne' })).to.deep.equal(['/RegionTwo/placement', '/identity']);
        expect(await left({ region: 'RegionTwo', service: 'placement' })).to.deep.equal(['/placement', '/image', '/identity']);
        expect(await left({ service: 'identity' })).to.deep.equal(['/placement', '/RegionTwo/placement', '/image']);
        expect(await left({})).to.deep.equal([]);
        await placement('GET', '/traits', { version: '1.6' });
        expect(await journal.lines()).to.deep.equal(['GET /placement/traits 200']);
      });
    });

    it('does not have what is asked of the emulator itself', async () => {
      for (const path of ['health', 'info', 'clock', 'requests', 'nowhere']) await world.http.get(`/_emulator/${path}`);
      expect(await journal.list('inside=any')).to.deep.equal([]);
    });

    for (const [body, says] of [
      [{}, /'keep' is a required property/],
      [{ keep: -1 }, /-1 is less than the minimum of 0/],
      [{ keep: 20_001 }, /20001 is greater than the maximum/],
      [{ keep: 1.5 }, /1\.5 is not of type 'integer'/],
      [{ keep: 1, more: 1 }, /'more' was unexpected/],
    ] as const)
      it(`is not switched on by ${JSON.stringify(body)}`, async () => {
        expect(messageOf(await journal.ask('PUT', '', body).expect(400))).to.match(says);
      });
  },
);
