// Tests of the effects of fault rules: errors, dropped connections and delays.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { effectKinds, type EffectKind } from '../../../src/emulator/fault-injection/effects.ts';
import type { FaultEffect } from '../../../src/emulator/fault-injection/model.ts';
import { insertFaultRule } from '../../../src/emulator/fault-injection/store.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { busy, faultsOf, providersOf } from './support.ts';

type Json = Record<string, any>; // eslint-disable-line

onEachDatabase(
  'effects of fault rules',
  { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2', hosts: '1' },
  (world) => {
    const faults = faultsOf(world);
    const { list, create, names } = providersOf(world);

    afterEach(() => faults.clear());

    describe('status', () => {
      const message = 'Out of order.';
      const formats: readonly (readonly [
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
      for (const [service, path, partsOf, headers = {}] of formats) {
        it(`returns the error in the format of ${service}, with the given headers`, async () => {
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

      it('returns the given error code', async () => {
        await faults.add({
          match: {},
          effect: { status: 409, code: 'placement.concurrent_update' },
        });
        const conflict = await world
          .ask('placement', 'GET', '/placement/traits', { version: '1.39' })
          .expect(409);
        expect((conflict.body as Json)['errors'][0]).to.include({
          code: 'placement.concurrent_update',
        });
      });

      it('has a default message, and passes retry-after on to the format of Compute', async () => {
        await faults.add({ match: {}, effect: { status: 429, headers: { 'retry-after': '2' } } });
        const limited = await world.ask('compute', 'GET', '/compute/v2.1/servers').expect(429);
        expect(limited.body).to.deep.equal({
          overLimit: { code: 429, message: 'This request was rate-limited.', retryAfter: '2' },
        });
      });

      it('adds WWW-Authenticate to a 401', async () => {
        await faults.add({ match: {}, effect: { status: 401 } });
        const denied = await world.ask('network', 'GET', '/network/v2.0/networks').expect(401);
        expect(denied.headers['www-authenticate']).to.match(/^Keystone uri=/);
      });

      it('prevents the operation', async () => {
        await faults.add({ match: {}, effect: busy, count: 1 });
        expect([await create('a'), await create('a')]).to.deep.equal([503, 201]);
      });

      it('commits the operation and replaces its reply, with when: after', async () => {
        await faults.add({
          match: { method: 'POST' },
          effect: { status: 504, when: 'after' },
          count: 1,
        });
        expect([await create('a'), await create('b'), await create('a')]).to.deep.equal([
          504, 201, 409,
        ]);
        expect(await names()).to.have.members(['compute-1', 'a', 'b']);
      });

      it('replaces the error of a failed operation too, with when: after', async () => {
        await create('a');
        await faults.add({ match: { method: 'POST' }, effect: { ...busy, when: 'after' } });
        expect(await create('a')).to.equal(503);
      });
    });

    describe('drop', () => {
      it('closes the connection and prevents the operation', async () => {
        await faults.add({ match: { method: 'POST' }, effect: { drop: true }, count: 1 });
        expect([await create('a'), await create('a')]).to.deep.equal([0, 201]);
      });

      it('commits the operation and then closes the connection, with when: after', async () => {
        await faults.add({
          match: { method: 'POST' },
          effect: { drop: true, when: 'after' },
          count: 1,
        });
        expect([await create('a'), await create('b'), await create('b')]).to.deep.equal([
          0, 201, 409,
        ]);
        expect(await names()).to.have.members(['compute-1', 'a', 'b']);
      });

      it('affects no later connection', async () => {
        await faults.add({ match: { method: 'POST' }, effect: { drop: true } });
        expect(await create('a')).to.equal(0);
        expect(await list()).to.equal(200);
      });
    });

    describe('delay_ms', () => {
      const elapsed = async (run: () => Promise<unknown>): Promise<number> => {
        const started = performance.now();
        await run();
        return performance.now() - started;
      };

      it('delays the operation in real time', async () => {
        await faults.add({ match: { method: 'POST' }, effect: { delay_ms: 60 }, count: 1 });
        const delayed = elapsed(async () => expect(await create('a')).to.equal(201));
        expect(await delayed).to.be.greaterThan(58);
      });

      it('delays the reply and combines with a status, with when: after', async () => {
        await faults.add({
          match: { method: 'POST' },
          effect: { delay_ms: 60, when: 'after', status: 504 },
          count: 1,
        });
        const delayed = elapsed(async () => expect(await create('b')).to.equal(504));
        expect(await delayed).to.be.greaterThan(58);
        expect(await names()).to.have.members(['compute-1', 'b']);
      });

      it('lets later rules apply too', async () => {
        await faults.add({ match: {}, effect: { delay_ms: 40 } });
        await faults.add({ match: {}, effect: { delay_ms: 40, status: 503 } });
        const delayed = elapsed(async () => expect(await list()).to.equal(503));
        expect(await delayed).to.be.greaterThan(78);
        expect(await faults.counts()).to.deep.equal(['1/1', '1/1']);
      });
    });

    describe('a kind that applies to the reply', () => {
      /** Adds its mark and the status of the reply to a header of the reply. */
      const marking: EffectKind = {
        property: 'mark' as keyof FaultEffect,
        appliesTo: 'reply',
        companions: [],
        endsRequest: false,
        apply: (effect, _, reply) => {
          const { mark } = effect as { mark?: string };
          const marks = [reply.headers?.['x-mark'] ?? [], `${mark}${reply.status}`]
            .flat()
            .join(' ');
          return { ...reply, headers: { ...reply.headers, 'x-mark': marks } };
        },
      };
      const addMark = async (mark: string, effect: FaultEffect = {}): Promise<void> => {
        const plan = { match: {}, effect: { ...effect, mark } };
        await transact(world.cloud.central.db, (db) => insertFaultRule(db, plan, 0));
        world.cloud.sharedState.invalidate();
      };
      const marksOf = async (path: string): Promise<unknown> =>
        (await world.ask('placement', 'GET', path)).headers['x-mark'];

      before(() => (effectKinds as EffectKind[]).push(marking));
      after(() => (effectKinds as EffectKind[]).pop());

      it("changes the handler's reply, without when: after", async () => {
        await addMark('a');
        expect(await marksOf('/placement/resource_providers')).to.equal('a200');
      });

      it("changes the handler's error", async () => {
        await addMark('a');
        expect(await marksOf(`/placement/resource_providers/${randomUUID()}`)).to.equal('a404');
      });

      it('lets later rules change the reply too, if it does not end the request', async () => {
        await addMark('a');
        await addMark('b', { delay_ms: 1 });
        expect(await marksOf('/placement/resource_providers')).to.equal('a200 b200');
      });

      it('does not change a reply that another effect has injected', async () => {
        await addMark('a', busy);
        expect(await marksOf('/placement/resource_providers')).to.equal(undefined);
        expect(await list()).to.equal(503);
      });
    });
  },
);

describe('effectKinds', () => {
  it('cover all properties of FaultEffect in api-ref, except when', () => {
    const { components } = parse(readFileSync('api-ref/emulator.yaml', 'utf8')) as {
      components: { schemas: { FaultEffect: { properties: object } } };
    };
    const documented = Object.keys(components.schemas.FaultEffect.properties);
    const known = effectKinds.flatMap(({ property, companions }) => [property, ...companions]);
    expect(['when', ...known]).to.have.members(documented);
  });
});
