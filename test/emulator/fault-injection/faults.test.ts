// Tests of /_emulator/faults: adding, listing, showing and removing fault rules.
import { expect } from 'chai';
import { effectKinds } from '../../../src/emulator/fault-injection/effects.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { faultsOf, type Plan } from './support.ts';

onEachDatabase(
  '/_emulator/faults',
  { regions: ['RegionOne', 'RegionTwo', 'CentralRegion'], auth: 'noauth2' },
  (world) => {
    const faults = faultsOf(world);
    const providers = async (prefix = ''): Promise<number> =>
      (await world.ask('placement', 'GET', `${prefix}/placement/resource_providers`)).status;
    const down = (match: Plan['match']): Plan => ({ match: match!, effect: { status: 503 } });

    afterEach(() => faults.clear());

    describe('POST /_emulator/faults', () => {
      it('adds a rule and returns it with its counters', async () => {
        const plan = {
          match: { service: 'placement', method: 'GET' },
          effect: { status: 503 },
          count: 1,
          skip: 1,
        };
        const { id, created_at: created, ...rule } = await faults.add(plan);
        expect(rule).to.deep.equal({ ...plan, matched: 0, hit: 0, spent: false });
        expect(created).to.equal('2026-11-20T12:00:00.000000Z');
        expect(id).to.be.a('number');
      });

      const services =
        'identity, placement, image, network, volume, compute, reservation, clustering, tricircle';
      const properties = effectKinds.map(({ property }) => property).join('(?:, | and )');
      const invalid: readonly (readonly [plan: unknown, message: RegExp | string])[] = [
        [{}, /'effect' is a required property/],
        [
          { effect: {} },
          new RegExp(`^The effect is empty\\. Give at least one of ${properties}\\.$`),
        ],
        [{ effect: { when: 'after' } }, /^The effect is empty\./],
        [{ effect: { status: 399 } }, /399 is less than the minimum of 400/],
        [{ effect: { status: 600 } }, /600 is greater than the maximum of 599/],
        [
          { effect: { status: 503, drop: true } },
          'A dropped connection sends no status. Leave out either status or drop.',
        ],
        [
          { effect: { delay_ms: 1, message: 'No.' } },
          'message, code and headers are only valid with status. Give status too.',
        ],
        [{ effect: { delay_ms: 600_001 } }, /600001 is greater than the maximum of 600000/],
        [
          { effect: { status: 503, headers: { 'Content-Length': '5' } } },
          'The server sets the header Content-Length itself. Leave it out.',
        ],
        [{ effect: { status: 503, headers: { 'x-a': 'a\r\nb: c' } } }, /does not match/],
        [{ effect: { status: 503, headers: { 'x a': 'a' } } }, /does not match/],
        [
          { effect: { status: 503 }, probability: 0 },
          /0 is less than or equal to the minimum of 0/,
        ],
        [{ effect: { status: 503 }, probability: 1.5 }, /1.5 is greater than the maximum of 1/],
        [
          { effect: { status: 503 }, seed: 'a' },
          'A seed has no use without a probability. Give probability too.',
        ],
        [{ effect: { status: 503 }, count: 0 }, /0 is less than the minimum of 1/],
        [{ effect: { status: 503 }, time: 1 }, /'time' was unexpected/],
        [down({ servce: 'placement' } as object), /'servce' was unexpected/],
        [down({ service: 'nova' }), `There is no service 'nova'. Services: ${services}.`],
        [down({ service: 'emulator' }), `There is no service 'emulator'. Services: ${services}.`],
        [
          down({ region: 'Mars' }),
          "There is no region 'Mars'. Regions: RegionOne, RegionTwo, CentralRegion.",
        ],
        [
          down({ service: 'identity', region: 'RegionOne' }),
          'All regions share the service identity. Leave out region.',
        ],
        [
          down({ service: 'placement', region: 'CentralRegion' }),
          'Region CentralRegion has no service placement.',
        ],
        [down({ min_version: '1.1' }), 'Each service has its own versions. Give service too.'],
        [
          down({ service: 'placement', max_version: '2.1' }),
          'placement has no version 2.1. Its versions are 1.0 to 1.39.',
        ],
        [
          down({ service: 'placement', min_version: '1.2', max_version: '1.1' }),
          'min_version 1.2 is later than max_version 1.1. Swap the two.',
        ],
        [
          down({ service: 'compute', operation: 'os-strat' }),
          /^compute has no operation or action 'os-strat'. Use a name from api-ref/,
        ],
        [
          down({ service: 'compute', operation: 'keypairs:add' }),
          /Similar names: keypairs:list, keypairs:create, keypairs:show, keypairs:delete\.$/,
        ],
        [down({ operation: 'nothing' }), /^No service has an operation or action 'nothing'/],
        [
          down({ service: 'compute', path: '/compute/v2.1/servers' }),
          /^No request can match: compute has no route for \/compute\/v2.1\/servers\./,
        ],
        [
          down({ service: 'compute', path: '/v2.1/servers/*', method: 'PATCH' }),
          /no route for PATCH/,
        ],
        [down({ service: 'compute', path: 'v2.1/servers' }), /does not match/],
        [
          down({ service: 'placement', operation: 'traits:list', max_version: '1.5' }),
          /no route for traits:list up to 1.5\./,
        ],
        [down({ method: 'LINK' as 'GET' }), /'LINK' is not one of/],
      ];
      for (const [plan, expected] of invalid) {
        it(`returns 400 for ${JSON.stringify(plan)}`, async () => {
          const { body } = await faults.ask(plan).expect(400);
          const { message } = (body as { error: { message: string } }).error;
          if (typeof expected === 'string') expect(message).to.equal(expected);
          else expect(message).to.match(expected);
          expect(await faults.list()).to.deep.equal([]);
        });
      }
    });

    describe('GET /_emulator/faults', () => {
      it('lists the rules in the order in which they were added', async () => {
        const [one, two, three] = [
          await faults.add(down({})),
          await faults.add(down({})),
          await faults.add(down({})),
        ];
        expect((await faults.list()).map(({ id }) => id)).to.deep.equal([one.id, two.id, three.id]);
      });
    });

    describe('GET /_emulator/faults/:id', () => {
      it('shows how many requests the rule matched and affected, and that it is spent', async () => {
        const { id } = await faults.add({
          match: { service: 'placement', method: 'GET' },
          effect: { status: 503 },
          count: 1,
          skip: 1,
        });
        expect([await providers(), await providers(), await providers()]).to.deep.equal([
          200, 503, 200,
        ]);
        expect(await faults.show(id)).to.deep.include({ id, matched: 3, hit: 1, spent: true });
      });

      it('returns 404 for an unknown id', async () => {
        for (const id of ['12345', 'x', '-1', '99999999999'])
          expect((await world.http.get(`/_emulator/faults/${id}`).expect(404)).text).to.contain(
            `No fault rule '${id}'. GET /_emulator/faults lists the existing rules.`,
          );
      });
    });

    describe('DELETE /_emulator/faults/:id', () => {
      it('removes one rule', async () => {
        const [one, two, three] = [
          await faults.add(down({})),
          await faults.add(down({})),
          await faults.add(down({})),
        ];
        await world.http.delete(`/_emulator/faults/${two.id}`).expect(204);
        expect((await faults.list()).map(({ id }) => id)).to.deep.equal([one.id, three.id]);
        expect((await world.http.get(`/_emulator/faults/${two.id}`).expect(404)).text).to.contain(
          `No fault rule '${two.id}'.`,
        );
      });

      it('returns 404 for an unknown id', async () => {
        const { id } = await faults.add(down({}));
        await world.http.delete(`/_emulator/faults/${id}`).expect(204);
        for (const unknown of [id, 'x', '-1', '99999999999'])
          await world.http.delete(`/_emulator/faults/${unknown}`).expect(404);
      });
    });

    describe('DELETE /_emulator/faults', () => {
      it('removes all rules, and requests succeed again', async () => {
        await faults.add(down({}));
        await faults.add(down({ service: 'placement' }));
        await faults.clear();
        expect([await faults.list(), await providers()]).to.deep.equal([[], 200]);
      });
    });

    describe('POST /_emulator/reset', () => {
      const matches: readonly Plan['match'][] = [
        {},
        { service: 'placement' },
        { service: 'image' },
        { region: 'RegionTwo' },
        { service: 'placement', region: 'RegionTwo' },
        { service: 'identity' },
      ];
      const remaining: readonly (readonly [scope: object, left: readonly Plan['match'][]])[] = [
        [{}, []],
        [
          { service: 'placement' },
          [{}, { service: 'image' }, { region: 'RegionTwo' }, { service: 'identity' }],
        ],
        [{ service: 'identity' }, matches.slice(0, 5)],
        [
          { region: 'RegionTwo' },
          [{}, { service: 'placement' }, { service: 'image' }, { service: 'identity' }],
        ],
        [{ region: 'RegionOne' }, matches],
        [{ service: 'placement', region: 'RegionTwo' }, matches.filter((_, at) => at !== 4)],
      ];
      for (const [scope, expected] of remaining) {
        it(`removes the rules that match only what ${JSON.stringify(scope)} resets`, async () => {
          for (const match of matches) await faults.add({ match: match!, effect: { delay_ms: 1 } });
          await world
            .ask('emulator', 'POST', '/_emulator/reset', { token: null, body: scope })
            .expect(204);
          expect((await faults.list()).map(({ match }) => match)).to.deep.equal(expected);
        });
      }
    });

    describe('regions', () => {
      const addRegion = (body: object) =>
        world.ask('emulator', 'POST', '/_emulator/regions', { token: null, body }).expect(201);
      const dropRegion = (name: string) => world.http.delete(`/_emulator/regions/${name}`);

      it('does not copy a rule for a region to a fork of it', async () => {
        await addRegion({ name: 'Alpha' });
        try {
          await faults.add(down({ region: 'Alpha', service: 'placement' }));
          await addRegion({ name: 'Copy', from: 'Alpha' });
          expect([await providers('/Alpha'), await providers('/Copy')]).to.deep.equal([503, 200]);
        } finally {
          for (const name of ['Alpha', 'Copy']) await dropRegion(name);
        }
      });

      it('applies rules without a region to new regions too', async () => {
        await faults.add({ match: { service: 'image' }, effect: { status: 502 } });
        await addRegion({ name: 'Alpha' });
        try {
          await world.ask('image', 'GET', '/Alpha/image/v2/images').expect(502);
        } finally {
          await dropRegion('Alpha');
        }
      });

      it('removes the rules of a region that is dropped', async () => {
        await addRegion({ name: 'Alpha' });
        await faults.add(down({ region: 'Alpha', service: 'placement' }));
        await faults.add({ match: { service: 'image' }, effect: { status: 502 } });
        await dropRegion('Alpha').expect(204);
        expect((await faults.list()).map(({ match }) => match)).to.deep.equal([
          { service: 'image' },
        ]);
        await addRegion({ name: 'Alpha' });
        expect(await providers('/Alpha')).to.equal(200);
        await dropRegion('Alpha').expect(204);
      });
    });
  },
);
