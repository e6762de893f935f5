// Tests of how fault rules apply to requests: how often, in which order, to requests between
// services, and at what cost.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { rawClient, type Client } from '../../support/raw.ts';
import { busy, faultsOf, providersOf, type Plan } from './support.ts';

type Json = Record<string, any>; // eslint-disable-line

onEachDatabase(
  'fault rules',
  { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2', hosts: '1' },
  (world) => {
    const faults = faultsOf(world);
    const { list } = providersOf(world);

    afterEach(() => faults.clear());

    describe('counting', () => {
      /** Sends requests to a rule. @returns an x for each failed one, a dot for each other */
      const outcomes = async (plan: Partial<Plan>, times: number): Promise<string> => {
        await faults.clear();
        await faults.add({ match: { service: 'placement' }, effect: busy, ...plan });
        const found: string[] = [];
        for (let at = 0; at < times; at++) found.push((await list()) === 503 ? 'x' : '.');
        return found.join('');
      };

      it('affects every request without count and skip', async () => {
        expect(await outcomes({}, 4)).to.equal('xxxx');
      });

      it('affects at most `count` requests, after the first `skip` matches', async () => {
        expect(await outcomes({ count: 2 }, 4)).to.equal('xx..');
        expect(await outcomes({ skip: 1 }, 4)).to.equal('.xxx');
        expect(await outcomes({ skip: 1, count: 2 }, 5)).to.equal('.xx..');
      });

      it('affects all or hardly any requests at the extremes of probability', async () => {
        expect(await outcomes({ probability: 1 }, 3)).to.equal('xxx');
        expect(await outcomes({ probability: 0.000001 }, 3)).to.equal('...');
      });

      it('affects the same matches in each run with the same seed', async () => {
        const once = await outcomes({ probability: 0.5, seed: 'a' }, 40);
        expect(once).to.include('x').and.to.include('.');
        expect(await outcomes({ probability: 0.5, seed: 'a' }, 40)).to.equal(once);
        expect(await outcomes({ probability: 0.5, seed: 'b' }, 40)).to.not.equal(once);
      });

      it('combines probability with count', async () => {
        expect(await outcomes({ probability: 0.5, seed: 'a', count: 3 }, 40)).to.match(
          /^(\.*x){3}\.*$/,
        );
      });

      it('affects exactly `count` of concurrent requests', async () => {
        await faults.add({ match: { service: 'placement' }, effect: busy, skip: 5, count: 7 });
        const found = await Promise.all(Array.from({ length: 30 }, () => list()));
        expect(found.filter((status) => status === 503)).to.have.length(7);
        expect(await faults.counts()).to.deep.equal(['30/7']);
      });

      it('applies the oldest rule first, and counts no match in later ones if it ends the request', async () => {
        await faults.add({ match: { service: 'placement' }, effect: { status: 500 }, count: 1 });
        await faults.add({ match: {}, effect: { status: 502 }, count: 1 });
        expect([await list(), await list(), await list()]).to.deep.equal([500, 502, 200]);
        expect(await faults.counts()).to.deep.equal(['3/1', '2/1']);
      });
    });

    describe('requests between services', () => {
      const proxied = () => world.ask('compute', 'GET', '/compute/v2.1/os-volumes');
      const direct = () => world.ask('volume', 'GET', '/volume/v3/volumes');

      it('fail with the given message in the format of the calling service, with inside: true', async () => {
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
        world.problems.length = 0; // no api-ref lists 503 for a list
      });

      it('are not affected by rules for clients, or by drop, delay_ms and when: after', async () => {
        await faults.add({ match: { service: 'volume' }, effect: busy });
        await faults.add({ match: { inside: true }, effect: { drop: true } });
        await faults.add({ match: { inside: true }, effect: { delay_ms: 600_000 } });
        await faults.add({ match: { inside: true }, effect: { ...busy, when: 'after' } });
        await proxied().expect(200);
        await direct().expect(503);
      });

      it('from a job fail too: a node whose server cannot be created goes to ERROR', async () => {
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

    describe('cost', () => {
      let client: Client;
      beforeEach(() => (client = rawClient(world.server)));
      afterEach(() => client.close());

      /** The number of statements that run on the central database. */
      async function statements(run: () => Promise<unknown>): Promise<number> {
        let count = 0;
        const onQuery = (): void => void count++;
        world.cloud.central.db.on('query', onQuery);
        await run();
        world.cloud.central.db.removeListener('query', onQuery);
        return count;
      }

      it('is no extra statement for a request that no rule matches', async () => {
        const ask = () => client.ask('placement', 'GET', '/placement/resource_providers');
        const askRepeatedly = async (): Promise<void> => {
          for (let at = 0; at < 20; at++) expect((await ask()).status).to.equal(200);
        };
        // On MySQL the shared values are read every few milliseconds, with or without rules.
        const most = world.kind === 'sqlite' ? 0 : 20;
        await ask();
        expect(await statements(askRepeatedly)).to.be.at.most(most);
        await faults.add({ match: { service: 'image' }, effect: busy });
        await ask();
        expect(await statements(askRepeatedly)).to.be.at.most(most);
      });
    });
  },
);
