// Tests of POST /_emulator/reset. test/kernel/db/state.test.ts covers its effect on the databases.
import { expect } from 'chai';
import { onEachDatabase } from '../support/cloud.ts';

onEachDatabase(
  'POST /_emulator/reset',
  { regions: ['RegionOne', 'RegionTwo'], auth: 'noauth2' },
  (world) => {
    const reset = (body?: unknown) =>
      world.ask('emulator', 'POST', '/_emulator/reset', {
        token: null,
        ...(body === undefined ? {} : { body }),
      });
    const create = async (prefix = ''): Promise<number> =>
      (
        await world.ask('placement', 'POST', `${prefix}/placement/resource_providers`, {
          body: { name: 'a' },
        })
      ).status;

    for (const [what, body] of [
      ['no body', undefined],
      ['an empty body', {}],
    ] as const) {
      it(`with ${what} resets everything and unfreezes the clock`, async () => {
        expect([await create(), await create('/RegionTwo')]).to.deep.equal([201, 201]);
        await reset(body).expect(204);
        expect([await create(), await create('/RegionTwo')]).to.deep.equal([201, 201]);
        expect((await world.http.get('/_emulator/clock')).body).to.include({ frozen: false });
      });
    }

    const statuses = async (): Promise<number[]> => [await create(), await create('/RegionTwo')];

    it('with a region leaves other regions and the clock unchanged', async () => {
      await statuses();
      await reset({ region: 'RegionTwo' }).expect(204);
      expect(await statuses()).to.deep.equal([409, 201]);
      expect((await world.http.get('/_emulator/clock')).body).to.include({ frozen: true });
    });

    it('with a service leaves other services and the clock unchanged', async () => {
      await statuses();
      await reset({ service: 'identity' }).expect(204);
      expect(await statuses()).to.deep.equal([409, 409]);
      expect((await world.http.get('/_emulator/clock')).body).to.include({ frozen: true });
    });

    it('with a service and a region leaves the service in other regions unchanged', async () => {
      await statuses();
      await reset({ service: 'placement', region: 'RegionOne' }).expect(204);
      expect(await statuses()).to.deep.equal([201, 409]);
      expect((await world.http.get('/_emulator/clock')).body).to.include({ frozen: true });
    });

    it('with a preset makes its world, until the next reset', async () => {
      const hosts = async (): Promise<string[]> => {
        const { body } = await world.http.get('/_emulator/hosts?region=RegionOne');
        return (body as { hosts: { name: string }[] }).hosts.map(({ name }) => name);
      };
      const initial = await hosts();
      await statuses();
      await reset({ preset: 'three-zones' }).expect(204);
      expect(await statuses()).to.deep.equal([201, 201]);
      expect((await hosts()).filter((name) => name.startsWith('az2-host')).length).to.equal(3);
      await reset().expect(204);
      expect(await hosts()).to.deep.equal(initial);
    });

    it('returns 409 for a preset with another first region, and resets nothing', async () => {
      await create();
      const { body } = await reset({ preset: 'edge-sites' }).expect(409);
      expect((body as { error: { message: string } }).error.message).to.match(
        /^the preset edge-sites: The first region of the state to restore is Core, /,
      );
      expect(await create()).to.equal(409);
    });

    const invalid: readonly (readonly [body: unknown, message: string])[] = [
      [{ region: 'Mars' }, "There is no region 'Mars'. Regions: RegionOne, RegionTwo."],
      [
        { service: 'nova' },
        "There is no service 'nova'. Services: identity, placement, image, network, " +
          'volume, compute, reservation, clustering, tricircle.',
      ],
      [
        { service: 'emulator' },
        "There is no service 'emulator'. Services: identity, placement, image, network, " +
          'volume, compute, reservation, clustering, tricircle.',
      ],
      [
        { service: 'identity', region: 'RegionOne' },
        'All regions share the service identity. Leave out region.',
      ],
      [
        { preset: 'two-zones' },
        "There is no preset 'two-zones'. Presets: autoscaling, devstack, edge-sites, empty, full, " +
          'gpu-farm, large, large-full, reserved, six-pods, three-regions, three-zones.',
      ],
      [
        { preset: 'full', region: 'RegionOne' },
        'A preset replaces the whole cloud. Leave out region and service.',
      ],
      [
        { regoin: 'RegionOne' },
        "Invalid request body: Additional properties are not allowed ('regoin' was unexpected)",
      ],
      [{ region: 1 }, "Invalid request body: 1 is not of type 'string'"],
      [[], "Invalid request body: [] is not of type 'object'"],
      [
        '{',
        'The request body is not valid JSON: Expecting property name enclosed in double ' +
          'quotes: line 1 column 2 (char 1)',
      ],
    ];
    for (const [body, message] of invalid) {
      it(`returns 400 for ${JSON.stringify(body)} and resets nothing`, async () => {
        await create();
        await reset(body).expect(400, { error: { code: 400, message } });
        expect(await create()).to.equal(409);
      });
    }

    it('returns 415 for another media type than JSON', async () => {
      await world.http
        .post('/_emulator/reset')
        .set('content-type', 'text/plain')
        .send('{}')
        .expect(415);
    });
  },
);
