// Tests of requests that fail on demand: which, how often, and what is left of them.
import { expect } from 'chai';
import { onEachDatabase, type Asked, type World } from '../../support/cloud.ts';
import { faultsOf, type Plan } from './support.ts';
import { rawClient, type Client } from '../../support/raw.ts';

type Json = Record<string, any>; // eslint-disable-line

const busy = { status: 503 } as const;

const askerOf = (world: World) => ({
  /** The status of a list of providers; 0 where the connection is closed without an answer. */
  list: (asked?: Asked, prefix = ''): Promise<number> =>
    statusOf(world.ask('placement', 'GET', `${prefix}/placement/resource_providers`, asked)),
  make: (name: string): Promise<number> =>
    statusOf(world.ask('placement', 'POST', '/placement/resource_providers', { body: { name } })),
  names: async (): Promise<string[]> => {
    const { body } = await world
      .ask('placement', 'GET', '/placement/resource_providers', { version: '1.39' })
      .expect(200);
    return (body as Json)['resource_providers'].map(({ name }: Json) => name) as string[];
  },
});

const statusOf = async (request: PromiseLike<{ status: number }>): Promise<number> => {
  try {
    return (await request).status;
  } catch (error) {
    expect((error as { code?: string }).code).to.equal('ECONNRESET');
    return 0;
  }
};

onEachDatabase(
  'a fault',
  { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2', hosts: '1' },
  (world) => {
    const faults = faultsOf(world);
    const { list, make, names } = askerOf(world);

    afterEach(() => faults.clear());

    describe('is in the words of the service', () => {
      const message = 'Out of order.';
      const told: readonly (readonly [
        service: string,
        path: string,
        body: (reply: Json) => unknown,
        headers?: Json,
      ])[] = [
        ['identity', '/identity/v3/users', ({ error }) => [error.code, error.title, error.message]],
        [
          'placement',
          '/placement/traits',
          ({ errors: [error] }) => [
            error.status,
            error.title,
            error.detail.split('\n\n ')[1].trim(),
          ],
          { 'openstack-api-version': 'placement 1.6', vary: 'openstack-api-version' },
        ],
        [
          'compute',
          '/compute/v2.1/servers',
          ({ serviceUnavailable: error }) => [error.code, 'Service Unavailable', error.message],
          { 'openstack-api-version': 'compute 2.30', 'x-openstack-nova-api-version': '2.30' },
        ],
        [
          'volume',
          '/volume/v3/volumes',
          ({ serviceUnavailable: error }) => [error.code, 'Service Unavailable', error.message],
          { 'openstack-api-version': 'volume 3.40' },
        ],
        [
          'network',
          '/network/v2.0/networks',
          ({ NeutronError: error }) => [
            503,
            error.type.replace('HTTPServiceUnavailable', 'Service Unavailable'),
            error.message,
          ],
        ],
        [
          'image',
          '/image/v2/images',
          (reply) => [
            Number(reply['code'].slice(0, 3)),
            reply['title'],
            reply['message'].split('<br />')[0],
          ],
        ],
        [
          'reservation',
          '/reservation/v1/leases',
          (reply) => [reply['error_code'], 'Service Unavailable', reply['error_message']],
        ],
        [
          'clustering',
          '/clustering/v1/clusters',
          (reply) => [reply['code'], reply['title'], reply['error'].message],
        ],
      ];
      const versions: Json = {
        placement: '1.6',
        compute: '2.30',
        volume: '3.40',
        clustering: '1.2',
      };
      for (const [service, path, partsOf, headers = {}] of told) {
        it(`of ${service}`, async () => {
          await faults.add({
            match: { service },
            effect: { ...busy, message, headers: { 'Retry-After': '7' } },
          });
          const reply = await world.ask(service, 'GET', path, {
            version: versions[service],
            headers: { accept: 'application/json' },
          });
          expect(reply.status).to.equal(503);
          expect(partsOf(reply.body as Json)).to.deep.equal([503, 'Service Unavailable', message]);
          expect(reply.headers['retry-after']).to.equal('7');
          expect(reply.headers['x-openstack-request-id']).to.match(/^req-/);
          expect(reply.headers).to.include(headers);
        });
      }

      it('with what they say when they are given no words, and the code that they are given', async () => {
        await faults.add({
          match: {},
          effect: { status: 409, code: 'placement.concurrent_update' },
          count: 1,
        });
        await faults.add({
          match: {},
          effect: { status: 429, headers: { 'retry-after': '2' } },
          count: 1,
        });
        await faults.add({ match: {}, effect: { status: 401 }, count: 1 });
        const conflict = await world
          .ask('placement', 'GET', '/placement/traits', { version: '1.39' })
          .expect(409);
        expect((conflict.body as Json)['errors'][0]).to.include({
          code: 'placement.concurrent_update',
        });
        const limited = await world.ask('compute', 'GET', '/compute/v2.1/servers').expect(429);
        expect(limited.body).to.deep.equal({
          overLimit: { code: 429, message: 'This request was rate-limited.', retryAfter: '2' },
        });
        const stranger = await world.ask('network', 'GET', '/network/v2.0/networks').expect(401);
        expect(stranger.headers['www-authenticate']).to.match(/^Keystone uri=/);
      });
    });

    describe('is about', () => {
      const others: Asked = {
        token: 'bob:acme',
        headers: { 'x-roles': 'admin', 'user-agent': 'gophercloud/2.0' },
        version: '1.20',
      };
      const about: readonly (readonly [
        match: Plan['match'],
        asked: Asked | undefined,
        prefix: string,
        status: number,
      ])[] = [
        [{ service: 'image' }, undefined, '', 200],
        [{ region: 'RegionTwo' }, undefined, '/RegionTwo', 503],
        [{ region: 'RegionTwo' }, undefined, '', 200],
        [{ method: 'POST' }, undefined, '', 200],
        [{ operation: 'resource_providers:list' }, undefined, '', 503],
        [{ operation: 'resource_providers:create' }, undefined, '', 200],
        [{ path: '/resource_providers' }, undefined, '', 503],
        [{ path: '/resource_*' }, undefined, '', 503],
        [{ path: '/resource_providers/*' }, undefined, '', 200],
        [{ path: '/resource_providers/{uuid}/**' }, undefined, '', 200],
        [{ path: '/**' }, undefined, '', 503],
        [{ project: 'acme' }, others, '', 503],
        [{ project: 'acme' }, undefined, '', 200],
        [{ user: 'bob' }, others, '', 503],
        [{ user: 'bob' }, undefined, '', 200],
        [{ service: 'placement', min_version: '1.10' }, others, '', 503],
        [{ service: 'placement', min_version: '1.10' }, undefined, '', 200],
        [{ service: 'placement', min_version: '1.20', max_version: '1.20' }, others, '', 503],
        [{ service: 'placement', max_version: '1.19' }, others, '', 200],
        [{ headers: { 'User-Agent': 'gophercloud' } }, others, '', 503],
        [{ headers: { 'user-agent': 'gophercloud/3' } }, others, '', 200],
        [{ headers: { 'x-none': '' } }, others, '', 200],
        [{ inside: true }, undefined, '', 200],
        [{ user: 'bob', project: 'globex' }, others, '', 200],
      ];
      for (const [match, asked, prefix, status] of about) {
        it(`${JSON.stringify(match)}: ${asked ? 'bob' : 'admin'} gets ${status} of ${prefix}/placement`, async () => {
          await faults.add({ match: match!, effect: busy });
          expect(await list(asked, prefix)).to.equal(status);
          expect(await faults.counts()).to.deep.equal([status === 200 ? '0/0' : '1/1']);
        });
      }

      it('a region without the services that are the same in all of them', async () => {
        await faults.add({ match: { region: 'RegionOne' }, effect: busy });
        expect([await list(), await list({}, '/RegionTwo')]).to.deep.equal([503, 200]);
        await world.http.get('/identity/v3').expect(200);
      });

      it('an action, by its name', async () => {
        await faults.add({ match: { service: 'compute', operation: 'os-stop' }, effect: busy });
        const act = async (body: object): Promise<number> =>
          (await world.ask('compute', 'POST', '/compute/v2.1/servers/none/action', { body }))
            .status;
        expect([await act({ 'os-start': null }), await act({ 'os-stop': null })]).to.deep.equal([
          404, 503,
        ]);
      });

      it('what the service lets in: what it refuses, it refuses as ever, and that counts for nothing', async () => {
        await faults.add({ match: { service: 'placement' }, effect: busy });
        expect(await list({ token: null })).to.equal(401);
        expect(await list({ version: '1.99' })).to.equal(406);
        expect(
          await statusOf(
            world.ask('placement', 'POST', '/placement/resource_providers', { body: {} }),
          ),
        ).to.equal(400);
        expect(await statusOf(world.ask('placement', 'GET', '/placement/nowhere'))).to.equal(404);
        expect(await faults.counts()).to.deep.equal(['0/0']);
      });
    });

    describe('happens', () => {
      const statuses = async (plan: Partial<Plan>, times: number): Promise<string> => {
        await faults.clear();
        await faults.add({ match: { service: 'placement' }, effect: busy, ...plan });
        const found: string[] = [];
        for (let at = 0; at < times; at++) found.push((await list()) === 503 ? 'x' : '.');
        return found.join('');
      };

      it('each time, or so many times, or after so many', async () => {
        expect(await statuses({}, 4)).to.equal('xxxx');
        expect(await statuses({ count: 2 }, 4)).to.equal('xx..');
        expect(await statuses({ skip: 1 }, 4)).to.equal('.xxx');
        expect(await statuses({ skip: 1, count: 2 }, 5)).to.equal('.xx..');
      });

      it('as likely as is said, and with a seed at the same matches each time', async () => {
        const once = await statuses({ probability: 0.5, seed: 'a' }, 40);
        expect(once).to.include('x').and.to.include('.');
        expect(await statuses({ probability: 0.5, seed: 'a' }, 40)).to.equal(once);
        expect(await statuses({ probability: 0.5, seed: 'b' }, 40)).to.not.equal(once);
        expect(await statuses({ probability: 1 }, 3)).to.equal('xxx');
        expect(await statuses({ probability: 0.000001 }, 3)).to.equal('...');
        expect(await statuses({ probability: 0.5, seed: 'a', count: 3 }, 40)).to.match(
          /^(\.*x){3}\.*$/,
        );
      });

      it('exactly so many times to requests that race', async () => {
        await faults.add({ match: { service: 'placement' }, effect: busy, skip: 5, count: 7 });
        const found = await Promise.all(Array.from({ length: 30 }, () => list()));
        expect(found.filter((status) => status === 503)).to.have.length(7);
        expect(await faults.counts()).to.deep.equal(['30/7']);
      });

      it('by the oldest rule; what the others would do waits', async () => {
        await faults.add({ match: { service: 'placement' }, effect: { status: 500 }, count: 1 });
        await faults.add({ match: {}, effect: { status: 502 }, count: 1 });
        expect([await list(), await list(), await list()]).to.deep.equal([500, 502, 200]);
        expect(await faults.counts()).to.deep.equal(['3/1', '2/1']);
      });
    });

    describe('does', () => {
      it('nothing of the work before it', async () => {
        await faults.add({ match: {}, effect: busy, count: 1 });
        expect([await make('a'), await make('a')]).to.deep.equal([503, 201]);
      });

      it('all of the work, and loses the answer', async () => {
        await faults.add({
          match: { method: 'POST' },
          effect: { status: 504, when: 'after' },
          count: 1,
        });
        await faults.add({
          match: { method: 'POST' },
          effect: { drop: true, when: 'after' },
          count: 1,
        });
        expect([await make('a'), await make('a'), await make('b'), await make('b')]).to.deep.equal([
          504, 0, 201, 409,
        ]);
        expect(await names()).to.have.members(['compute-1', 'a', 'b']);
      });

      it('without an answer, before the work', async () => {
        await faults.add({ match: { method: 'POST' }, effect: { drop: true }, count: 1 });
        expect([await make('a'), await make('a')]).to.deep.equal([0, 201]);
      });

      it('closes the connection only', async () => {
        await faults.add({ match: { method: 'POST' }, effect: { drop: true } });
        expect(await make('a')).to.equal(0);
        expect(await list()).to.equal(200);
      });

      it('wait, in real time, before or after the work, and with another end', async () => {
        const waited = async (run: () => Promise<unknown>): Promise<number> => {
          const started = performance.now();
          await run();
          return performance.now() - started;
        };
        await faults.add({ match: { method: 'POST' }, effect: { delay_ms: 60 }, count: 1 });
        expect(await waited(async () => expect(await make('a')).to.equal(201))).to.be.greaterThan(
          58,
        );
        await faults.add({
          match: { method: 'POST' },
          effect: { delay_ms: 60, when: 'after', status: 504 },
          count: 1,
        });
        const late = waited(async () => expect(await make('b')).to.equal(504));
        expect(await late).to.be.greaterThan(58);
        expect(await names()).to.have.members(['compute-1', 'a', 'b']);
        // Both rules: a delay lets those after it have their say.
        await faults.clear();
        await faults.add({ match: {}, effect: { delay_ms: 40 } });
        await faults.add({ match: {}, effect: { delay_ms: 40, status: 503 } });
        expect(await waited(async () => expect(await list()).to.equal(503))).to.be.greaterThan(78);
        expect(await faults.counts()).to.deep.equal(['1/1', '1/1']);
      });

      it('lose what the work refuses too', async () => {
        await make('a');
        await faults.add({ match: { method: 'POST' }, effect: { ...busy, when: 'after' } });
        expect(await make('a')).to.equal(503);
      });
    });

    describe('between services', () => {
      const proxied = () => world.ask('compute', 'GET', '/compute/v2.1/os-volumes');
      const direct = () => world.ask('volume', 'GET', '/volume/v3/volumes');

      it('is about what one asks another inside, in the words of who asks', async () => {
        await faults.add({
          match: { service: 'volume', inside: true, operation: 'volumes:list_detail' },
          effect: { ...busy, message: 'No disks.' },
        });
        const reply = await proxied().expect(503);
        expect(reply.body).to.deep.equal({
          serviceUnavailable: { code: 503, message: 'No disks.' },
        });
        await direct().expect(200);
        expect(await faults.counts()).to.deep.equal(['1/1']);
        world.problems.length = 0; // a 503 of a list is in no api-ref
      });

      it('is not what rules for clients are about, nor drops and late answers', async () => {
        await faults.add({ match: { service: 'volume' }, effect: busy });
        await faults.add({ match: { inside: true }, effect: { drop: true } });
        await faults.add({ match: { inside: true }, effect: { delay_ms: 600_000 } });
        await faults.add({ match: { inside: true }, effect: { ...busy, when: 'after' } });
        await proxied().expect(200);
        await direct().expect(503);
      });

      it('reaches what a job asks: a cluster whose servers are refused', async () => {
        const { body: profile } = await world
          .ask('clustering', 'POST', '/clustering/v1/profiles', {
            body: {
              profile: {
                name: 'p',
                spec: {
                  type: 'os.nova.server',
                  version: '1.0',
                  properties: { flavor: '1', name: 's', networks: [] },
                },
              },
            },
          })
          .expect(201);
        await faults.add({
          match: { service: 'compute', inside: true, operation: 'servers:create' },
          effect: { status: 500, message: 'No hosts today.' },
          count: 1,
        });
        const node = { name: 'n', profile_id: (profile as Json)['profile'].id as string };
        const made = async (): Promise<Json> => {
          const { headers } = await world
            .ask('clustering', 'POST', '/clustering/v1/nodes', { body: { node } })
            .expect(202);
          expect(headers).to.have.property('location');
          const { body } = await world.ask('clustering', 'GET', '/clustering/v1/nodes').expect(200);
          return ((body as Json)['nodes'] as Json[])[0]!;
        };
        expect((await made())['status']).to.equal('ERROR');
        expect(await faults.counts()).to.deep.equal(['1/1']);
      });
    });

    describe('costs', () => {
      let client: Client;
      beforeEach(() => (client = rawClient(world.server)));
      afterEach(() => client.close());

      /** The statements of a request to the central database. */
      async function statements(run: () => Promise<unknown>): Promise<number> {
        let count = 0;
        const heard = (): void => void count++;
        world.cloud.central.db.on('query', heard);
        await run();
        world.cloud.central.db.removeListener('query', heard);
        return count;
      }

      it('no statement to a request that no rule is about', async () => {
        const ask = () => client.ask('placement', 'GET', '/placement/resource_providers');
        const many = async (): Promise<void> => {
          for (let at = 0; at < 20; at++) expect((await ask()).status).to.equal(200);
        };
        // On MySQL the shared values are read each few milliseconds, with or without rules.
        const most = world.kind === 'sqlite' ? 0 : 20;
        await ask();
        expect(await statements(many)).to.be.at.most(most);
        await faults.add({ match: { service: 'image' }, effect: busy });
        await ask();
        expect(await statements(many)).to.be.at.most(most);
      });
    });
  },
);
