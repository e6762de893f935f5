// Tests of POST /reset; what it does to the state is in test/kernel/state.test.ts.
import { expect } from 'chai';
import { onEachDatabase } from '../support/cloud.ts';

onEachDatabase(
  'emulator: reset',
  { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2' },
  (world) => {
    const reset = (body?: unknown) =>
      world.ask('emulator', 'POST', '/_emulator/reset', {
        token: null,
        ...(body === undefined ? {} : { body }),
      });
    const make = async (prefix = ''): Promise<number> =>
      (
        await world.ask('placement', 'POST', `${prefix}/placement/resource_providers`, {
          body: { name: 'a' },
        })
      ).status;

    for (const [what, body] of [
      ['no body', undefined],
      ['an empty body', {}],
    ] as const) {
      it(`with ${what} empties everything and lets the clock run`, async () => {
        expect([await make(), await make('/RegionTwo')]).to.deep.equal([201, 201]);
        await reset(body).expect(204);
        expect([await make(), await make('/RegionTwo')]).to.deep.equal([201, 201]);
        expect((await world.http.get('/_emulator/clock')).body).to.include({ frozen: false });
      });
    }

    it('of a region or a service leaves the rest', async () => {
      await make();
      await make('/RegionTwo');
      await reset({ region: 'RegionTwo' }).expect(204);
      expect([await make(), await make('/RegionTwo')]).to.deep.equal([409, 201]);
      await reset({ service: 'identity' }).expect(204);
      expect([await make(), await make('/RegionTwo')]).to.deep.equal([409, 409]);
      await reset({ service: 'placement', region: 'RegionOne' }).expect(204);
      expect([await make(), await make('/RegionTwo')]).to.deep.equal([201, 409]);
      expect((await world.http.get('/_emulator/clock')).body).to.include({ frozen: true });
    });

    const refused: readonly (readonly [body: unknown, says: string])[] = [
      [{ region: 'Mars' }, "There is no region 'Mars'. Regions: RegionOne, RegionTwo."],
      [
        { service: 'nova' },
        "There is no service 'nova'. Services: identity, placement, image, network, volume, compute, reservation, clustering, tricircle.",
      ],
      [
        { service: 'emulator' },
        "There is no service 'emulator'. Services: identity, placement, image, network, volume, compute, reservation, clustering, tricircle.",
      ],
      [
        { service: 'identity', region: 'RegionOne' },
        'identity is the same in all regions. Leave region out.',
      ],
      [
        { regoin: 'RegionOne' },
        "The body does not fit: Additional properties are not allowed ('regoin' was unexpected)",
      ],
      [{ region: 1 }, "The body does not fit: 1 is not of type 'string'"],
      [[], "The body does not fit: [] is not of type 'object'"],
      [
        '{',
        'The body is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
      ],
    ];
    for (const [body, message] of refused) {
      it(`is refused for ${JSON.stringify(body)}, and nothing is emptied`, async () => {
        await make();
        await reset(body).expect(400, { error: { code: 400, message } });
        expect(await make()).to.equal(409);
      });
    }

    it('wants JSON to be said to be JSON', async () => {
      await world.http
        .post('/_emulator/reset')
        .set('content-type', 'text/plain')
        .send('{}')
        .expect(415);
    });
  },
);
