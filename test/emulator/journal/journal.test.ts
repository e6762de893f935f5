// Tests of the request journal: what an entry contains, how entries expire, and switching it on and
// off. filters.test.ts covers its filters.
import { expect } from 'chai';
import { connect, type AddressInfo } from 'node:net';
import { onEachDatabase, type Asked } from '../../support/cloud.ts';
import { rawClient } from '../../support/raw.ts';
import { faultsOf } from '../fault-injection/support.ts';
import { journalOf, messageOf } from './support.ts';

const uuid = '4e8e5957-649f-477b-9e5b-f1f75b21c03c';

onEachDatabase(
  'the request journal',
  { regions: ['RegionOne', 'RegionTwo', 'CentralRegion'], auth: 'noauth2', hosts: '1' },
  (world) => {
    const journal = journalOf(world);
    const placement = (method: string, path: string, asked: Asked = {}) =>
      world.ask('placement', method, `/placement${path}`, asked);

    beforeEach(() => journal.keep(1000));
    afterEach(() => journal.keep(0));

    describe('an entry', () => {
      it('contains the caller, the request, the version and the result', async () => {
        const body = { name: 'one', uuid };
        const asked = {
          version: '1.20',
          token: 'eva:blue',
          headers: { 'x-roles': 'admin', 'user-agent': 'test/1' },
          body,
        };
        const { headers } = await placement('POST', '/resource_providers', asked).expect(200);
        const {
          id,
          machine_time: machineTime,
          duration_ms: ms,
          ...entry
        } = (await journal.list())[0]!;
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
          explanation: null,
        });
      });

      it('contains the query, the region and the body of an error response', async () => {
        const path = `/RegionTwo/placement/resource_providers/${uuid}?a=b`;
        const { body } = await world.ask('placement', 'GET', path).expect(404);
        const [entry] = await journal.list();
        expect(entry).to.include({
          prefix: '/RegionTwo/placement',
          path: `/resource_providers/${uuid}`,
          query: 'a=b',
        });
        expect(entry).to.include({
          region: 'RegionTwo',
          status: 404,
          version_asked: null,
          version: '1.0',
          request_bytes: null,
        });
        expect(entry!.response_body).to.deep.equal(body);
      });

      it('contains the action, and the path without the project id', async () => {
        const path = `/compute/v2.1/abc/servers/${uuid}/action`;
        await world.ask('compute', 'POST', path, { token: 'eva:abc', body: { 'os-stop': null } });
        const [act] = await journal.list();
        expect(act).to.include({
          path: `/v2.1/servers/${uuid}/action`,
          operation: 'servers:act',
          action: 'os-stop',
          status: 404,
        });
      });

      it('has no region if all regions share the service', async () => {
        await world.ask('identity', 'GET', '/identity/v3/users');
        const [users] = await journal.list();
        expect(users).to.include({ service: 'identity', region: null, operation: 'users:list' });
      });

      it('contains the version as the header of each service has it', async () => {
        const ask = (service: string, path: string, headers: Record<string, string>) =>
          world.ask(service, 'GET', path, { headers });
        await ask('compute', '/compute/v2.1/servers', { 'x-openstack-nova-api-version': '2.60' });
        await ask('volume', '/volume/v3/volumes', { 'openstack-api-version': 'volumev3 3.27' });
        await ask('placement', '/placement/traits', {
          'openstack-api-version': 'compute 2.1, placement latest',
        });
        await ask('placement', '/placement/traits', { 'openstack-api-version': 'placement 9.9' });
        await ask('clustering', '/clustering/v1/clusters', {
          'openstack-api-version': 'clustering 1.3',
        });
        expect(
          (await journal.list()).map((one) => [one.version_asked, one.version, one.status]),
        ).to.deep.equal([
          ['2.60', '2.60', 200],
          ['3.27', '3.27', 200],
          ['latest', '1.39', 200],
          ['9.9', null, 406],
          ['1.3', '1.3', 200],
        ]);
      });

      it('exists for requests that fail before routing', async () => {
        await placement('GET', '/resource_providers', { token: null }).expect(401);
        await placement('GET', '/nowhere').expect(404);
        await placement('PATCH', '/resource_providers').expect(405);
        await world.http.get('/nowhere/at/all').expect(404);
        await world.http.get('/').expect(200);
        await placement('POST', '/resource_providers', { body: '{' }).expect(400);
        expect(await journal.lines()).to.deep.equal([
          'GET /placement/resource_providers 401',
          'GET /placement/nowhere 404',
          'PATCH /placement/resource_providers 405',
          'GET /nowhere/at/all 404',
          'GET / 200',
          'POST /placement/resource_providers 400',
        ]);
        const [, , , nowhere, , malformed] = await journal.list();
        expect(nowhere).to.include({ service: null, operation: null, version: null });
        expect(malformed).to.include({ request_body: null, request_bytes: 1 });
      });

      it('exists for requests whose HTTP Node.js cannot parse', async () => {
        const { port } = world.server.address() as AddressInfo;
        await new Promise<void>((resolve) => {
          const socket = connect(port, '127.0.0.1', () =>
            socket.write('GET /compute/v2.1?x=y HTTP/1.1\r\na b: c\r\n\r\n'),
          );
          socket.on('data', () => {}).on('close', () => resolve());
        });
        expect(await journal.lines()).to.deep.equal(['GET /compute/v2.1 400']);
        const [entry] = await journal.list();
        expect(entry).to.include({
          service: 'compute',
          query: 'x=y',
          operation: null,
          inside: false,
        });
      });

      it('lists the fault rules that affected a request, and says if it was dropped', async () => {
        const faults = faultsOf(world);
        const match = { service: 'placement' };
        const delay = await faults.add({ match, effect: { delay_ms: 1 } });
        await placement('GET', '/traits', { version: '1.6' }).expect(200);
        const busy = await faults.add({ match, effect: { status: 503 }, count: 1 });
        await placement('GET', '/traits', { version: '1.6' }).expect(503);
        const lost = await faults.add({ match, effect: { drop: true, when: 'after' } });
        await placement('PUT', '/traits/CUSTOM_A', { version: '1.6' }).then(
          () => expect.fail(),
          () => {},
        );
        await faults.clear();
        expect(
          (await journal.list()).map((one) => [one.status, one.dropped, one.fault_rules]),
        ).to.deep.equal([
          [200, false, [delay.id]],
          [503, false, [delay.id, busy.id]],
          [null, true, [delay.id, lost.id]],
        ]);
        expect(await journal.lines('status=dropped')).to.deep.equal([
          'PUT /placement/traits/CUSTOM_A null',
        ]);
      });

      it('contains only the length of a body that is not JSON', async () => {
        const created = await world
          .ask('image', 'POST', '/image/v2/images', {
            body: { name: 'i', container_format: 'bare', disk_format: 'raw' },
          })
          .expect(201);
        const { id } = created.body as { id: string };
        const client = rawClient(world.server);
        const octets = { 'x-auth-token': 'admin', 'content-type': 'application/octet-stream' };
        const chunked = { ...octets, 'transfer-encoding': 'chunked' };
        const sent = await client.send(
          'PUT',
          `/image/v2/images/${id}/file`,
          chunked,
          Buffer.alloc(300_000, 'secret pixels'),
        );
        client.close();
        expect(sent.status).to.equal(204);
        const [, upload] = await journal.list();
        expect(upload).to.include({
          operation: 'image_data:create',
          request_body: null,
          request_bytes: 300_000,
        });
      });

      it('contains the beginning of a body that is too long', async () => {
        const body = { name: 'x'.repeat(20_000), uuid };
        await placement('POST', '/resource_providers', { body }).expect(400);
        const [long] = await journal.list();
        expect(long).to.include({
          request_body_cut: true,
          request_bytes: JSON.stringify(body).length,
        });
        expect(long!.request_body).to.be.a('string').with.length.within(8_000, 8_200);
        expect(JSON.stringify(long!.response_body).length).to.be.below(9_000);
      });

      it('says whether a service sent the request', async () => {
        const spec = {
          type: 'os.nova.server',
          version: '1.0',
          properties: { name: 's', flavor: '1', networks: [] },
        };
        await world.ask('clustering', 'POST', '/clustering/v1/profiles', {
          body: { profile: { name: 'p', spec } },
        });
        const fromClients = await journal.list();
        const fromServices = await journal.list('inside=true');
        expect(fromClients.map(({ path }) => path)).to.deep.equal(['/v1/profiles']);
        expect(fromServices.length).to.be.greaterThan(0);
        expect(fromServices.every((one) => one.inside && one.service !== 'clustering')).to.equal(
          true,
        );
        expect(await journal.list('inside=any')).to.have.length(
          fromClients.length + fromServices.length,
        );
        expect((await journal.show(fromServices[0]!.request_id)).id).to.equal(fromClients[0]!.id);
      });
    });

    describe('retention', () => {
      const ask = (tag: number) => placement('GET', `/resource_providers?name=${tag}`);
      const tags = async (): Promise<string> =>
        (await journal.list('limit=1000'))
          .map(({ query }) => query.slice('name='.length))
          .join(' ');

      it('ends with DELETE /_emulator/requests', async () => {
        await ask(1);
        await journal.clear();
        await ask(2);
        expect(await tags()).to.equal('2');
      });

      it('ends when the journal is switched off', async () => {
        await ask(1);
        await journal.keep(0);
        await ask(2);
        await journal.clear();
        await journal.keep(10);
        await ask(3);
        expect(await tags()).to.equal('3');
      });

      it('keeps the newest `keep` entries', async () => {
        await journal.keep(3);
        for (let tag = 1; tag <= 5; tag++) await ask(tag);
        expect(await tags()).to.equal('3 4 5');
        await journal.keep(2);
        expect(await journal.list()).to.have.length(2);
      });

      it('deletes expired rows in the long run', async () => {
        await journal.keep(3);
        const client = rawClient(world.server);
        await Promise.all(
          Array.from({ length: 450 }, () =>
            client.ask('placement', 'GET', '/placement/resource_providers'),
          ),
        );
        client.close();
        expect(await journal.list()).to.have.length(3);
        const rows = (await world.cloud.central
          .db('journal_requests')
          .count('* as count')
          .first()) as { count: number };
        expect(Number(rows.count)).to.be.below(300);
      });

      it('ends with a reset for the entries in its scope', async () => {
        const fill = async (): Promise<void> => {
          await journal.clear();
          await placement('GET', '/resource_providers');
          await world.ask('placement', 'GET', '/RegionTwo/placement/resource_providers');
          await world.ask('image', 'GET', '/image/v2/images');
          await world.ask('identity', 'GET', '/identity/v3/users', { token: null });
        };
        const left = async (scope: object): Promise<string[]> => {
          await fill();
          await world
            .ask('emulator', 'POST', '/_emulator/reset', { token: null, body: scope })
            .expect(204);
          return (await journal.list()).map(({ prefix }) => prefix);
        };
        expect(await left({ service: 'placement' })).to.deep.equal(['/image', '/identity']);
        expect(await left({ region: 'RegionOne' })).to.deep.equal([
          '/RegionTwo/placement',
          '/identity',
        ]);
        expect(await left({ region: 'RegionTwo', service: 'placement' })).to.deep.equal([
          '/placement',
          '/image',
          '/identity',
        ]);
        expect(await left({ service: 'identity' })).to.deep.equal([
          '/placement',
          '/RegionTwo/placement',
          '/image',
        ]);
        expect(await left({})).to.deep.equal([]);
        await placement('GET', '/traits', { version: '1.6' });
        expect(await journal.lines()).to.deep.equal(['GET /placement/traits 200']);
      });
    });

    it('does not record requests to the emulator itself', async () => {
      for (const path of ['health', 'info', 'clock', 'requests', 'nowhere'])
        await world.http.get(`/_emulator/${path}`);
      expect(await journal.list('inside=any')).to.deep.equal([]);
    });

    for (const [method, path, body] of [
      ['GET', ''],
      ['GET', '/1'],
      ['GET', '/versions'],
      ['POST', '/assert', { match: {} }],
    ] as const)
      it(`${method} /_emulator/requests${path} returns 409 while the journal is off`, async () => {
        await journal.keep(0);
        expect(messageOf(await journal.ask(method, path, body).expect(409))).to.match(
          /^The journal is off\. Switch it on with PUT/,
        );
      });

    for (const [body, message] of [
      [{}, /'keep' is a required property/],
      [{ keep: -1 }, /-1 is less than the minimum of 0/],
      [{ keep: 20_001 }, /20001 is greater than the maximum/],
      [{ keep: 1.5 }, /1\.5 is not of type 'integer'/],
      [{ keep: 1, more: 1 }, /'more' was unexpected/],
    ] as const)
      it(`PUT /_emulator/requests returns 400 for ${JSON.stringify(body)}`, async () => {
        expect(messageOf(await journal.ask('PUT', '', body).expect(400))).to.match(message);
      });
  },
);
