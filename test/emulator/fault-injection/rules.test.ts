// Tests of /faults: rules that are added, shown, refused and taken away; what they do is in
// test/kernel/failing.test.ts.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { faultsOf, type Plan } from './support.ts';

onEachDatabase(
  'emulator: faults',
  { regions: ['RegionOne', 'RegionTwo', 'CentralRegion'], auth: 'noauth2' },
  (world) => {
    const faults = faultsOf(world);
    const providers = async (prefix = ''): Promise<number> =>
      (await world.ask('placement', 'GET', `${prefix}/placement/resource_providers`)).status;
    const down = (match: Plan['match']): Plan => ({ match: match!, effect: { status: 503 } });

    afterEach(() => faults.clear());

    it('are shown with what they are about, what they do, and how often they have done it', async () => {
      const plan = {
        match: { service: 'placement', method: 'GET' },
        effect: { status: 503 },
        count: 1,
        skip: 1,
      };
      const { id, created_at: created, ...made } = await faults.add(plan);
      expect(made).to.deep.equal({ ...plan, matched: 0, hit: 0, spent: false });
      expect(created).to.equal('2026-11-20T12:00:00.000000Z');
      expect([await providers(), await providers(), await providers()]).to.deep.equal([
        200, 503, 200,
      ]);
      expect(await faults.show(id)).to.deep.include({ id, matched: 3, hit: 1, spent: true });
    });

    it('are listed in the order in which they were added, and taken away one by one or all', async () => {
      const [one, two, three] = [
        await faults.add(down({})),
        await faults.add(down({})),
        await faults.add(down({})),
      ];
      expect((await faults.list()).map(({ id }) => id)).to.deep.equal([one.id, two.id, three.id]);
      await world.http.delete(`/_emulator/faults/${two.id}`).expect(204);
      expect((await faults.list()).map(({ id }) => id)).to.deep.equal([one.id, three.id]);
      for (const id of [two.id, 'x', '-1', '99999999999']) {
        await world.http.delete(`/_emulator/faults/${id}`).expect(404);
        expect((await world.http.get(`/_emulator/faults/${id}`).expect(404)).text).to.contain(
          `There is no fault '${id}'.`,
        );
      }
      await faults.clear();
      expect([await faults.list(), await providers()]).to.deep.equal([[], 200]);
    });

    it('without a match are about every request but those of the emulator itself', async () => {
      await faults.add({ effect: { status: 500 } });
      expect([await providers(), await providers('/RegionTwo')]).to.deep.equal([500, 500]);
      await world.http.get('/identity/v3').expect(500);
      for (const path of ['health', 'ready', 'info', 'metrics', 'clock', 'regions'])
        await world.http.get(`/_emulator/${path}`).expect(200);
      await world.http.get('/').expect(200);
    });

    describe('and a reset', () => {
      const matches: readonly Plan['match'][] = [
        {},
        { service: 'placement' },
        { service: 'image' },
        { region: 'RegionTwo' },
        { service: 'placement', region: 'RegionTwo' },
        { service: 'identity' },
      ];
      const left: readonly (readonly [scope: object, left: readonly Plan['match'][]])[] = [
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
      for (const [scope, expected] of left) {
        it(`of ${JSON.stringify(scope)}: those go that are about nothing else`, async () => {
          for (const match of matches) await faults.add({ match: match!, effect: { delay_ms: 1 } });
          await world
            .ask('emulator', 'POST', '/_emulator/reset', { token: null, body: scope })
            .expect(204);
          expect((await faults.list()).map(({ match }) => match)).to.deep.equal(expected);
        });
      }
    });

    it('go with their region, are not forked with it, and those of any region are in a new one too', async () => {
      const region = (body: object) =>
        world.ask('emulator', 'POST', '/_emulator/regions', { token: null, body }).expect(201);
      await region({ name: 'Alpha' });
      try {
        await faults.add(down({ region: 'Alpha', service: 'placement' }));
        await faults.add({ match: { service: 'image' }, effect: { status: 502 } });
        await region({ name: 'Copy', from: 'Alpha' });
        expect([await providers('/Alpha'), await providers('/Copy')]).to.deep.equal([503, 200]);
        await world.ask('image', 'GET', '/Copy/image/v2/images').expect(502);
      } finally {
        for (const name of ['Alpha', 'Copy']) await world.http.delete(`/_emulator/regions/${name}`);
      }
      expect((await faults.list()).map(({ match }) => match)).to.deep.equal([{ service: 'image' }]);
      await region({ name: 'Alpha' });
      expect(await providers('/Alpha')).to.equal(200);
      await world.http.delete('/_emulator/regions/Alpha').expect(204);
    });

    const services =
      'identity, placement, image, network, volume, compute, reservation, clustering, tricircle';
    const refused: readonly (readonly [plan: unknown, says: RegExp | string])[] = [
      [{}, /'effect' is a required property/],
      [
        { effect: {} },
        'An effect is a status, drop: true, or a delay_ms, which also goes with either.',
      ],
      [{ effect: { when: 'after' } }, /An effect is a status/],
      [{ effect: { status: 399 } }, /399 is less than the minimum of 400/],
      [{ effect: { status: 600 } }, /600 is greater than the maximum of 599/],
      [
        { effect: { status: 503, drop: true } },
        'A connection that is dropped has no status. Leave one of the two out.',
      ],
      [
        { effect: { delay_ms: 1, message: 'No.' } },
        'message, code and headers are those of a refusal: give its status.',
      ],
      [{ effect: { delay_ms: 600_001 } }, /600001 is greater than the maximum of 600000/],
      [
        { effect: { status: 503, headers: { 'Content-Length': '5' } } },
        /Content-Length says how the answer is sent/,
      ],
      [{ effect: { status: 503, headers: { 'x-a': 'a\r\nb: c' } } }, /does not match/],
      [{ effect: { status: 503, headers: { 'x a': 'a' } } }, /does not match/],
      [{ effect: { status: 503 }, probability: 0 }, /0 is less than or equal to the minimum of 0/],
      [{ effect: { status: 503 }, probability: 1.5 }, /1.5 is greater than the maximum of 1/],
      [{ effect: { status: 503 }, seed: 'a' }, 'A seed is for a probability: give that too.'],
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
        'identity is the same in all regions. Leave region out.',
      ],
      [down({ service: 'placement', region: 'CentralRegion' }), 'CentralRegion has no placement.'],
      [down({ min_version: '1.1' }), 'Versions are those of one service: name it in service.'],
      [
        down({ service: 'placement', max_version: '2.1' }),
        'placement has no version 2.1. Its versions are 1.0 to 1.39.',
      ],
      [
        down({ service: 'placement', min_version: '1.2', max_version: '1.1' }),
        'No version is from 1.2 up to 1.1.',
      ],
      [
        down({ service: 'compute', operation: 'os-strat' }),
        /^compute has no operation or action 'os-strat'. Names are as in api-ref/,
      ],
      [
        down({ service: 'compute', operation: 'keypairs:add' }),
        /There are keypairs:list, keypairs:create, keypairs:show, keypairs:delete\.$/,
      ],
      [down({ operation: 'nothing' }), /^any service has no operation or action 'nothing'/],
      [
        down({ service: 'compute', path: '/compute/v2.1/servers' }),
        /^No request can match: compute has nothing that is \/compute\/v2.1\/servers\./,
      ],
      [
        down({ service: 'compute', path: '/v2.1/servers/*', method: 'PATCH' }),
        /nothing that is PATCH/,
      ],
      [down({ service: 'compute', path: 'v2.1/servers' }), /does not match/],
      [
        down({ service: 'placement', operation: 'traits:list', max_version: '1.5' }),
        /nothing that is traits:list up to 1.5\./,
      ],
      [down({ method: 'LINK' as 'GET' }), /'LINK' is not one of/],
    ];
    for (const [plan, says] of refused) {
      it(`are refused: ${JSON.stringify(plan)}`, async () => {
        const { body } = await faults.ask(plan).expect(400);
        const { message } = (body as { error: { message: string } }).error;
        if (typeof says === 'string') expect(message).to.equal(says);
        else expect(message).to.match(says);
        expect(await faults.list()).to.deep.equal([]);
      });
    }
  },
);
