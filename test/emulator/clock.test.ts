// Tests of /_emulator/clock: showing, setting, freezing and advancing the emulated time.
import { expect } from 'chai';
import { emulatedNow, machineNow, SECOND } from '../../src/kernel/clock.ts';
import { onEachDatabase } from '../support/cloud.ts';

interface Clock {
  now: string;
  frozen: boolean;
  ahead_seconds: number;
}

onEachDatabase('/_emulator/clock', { auth: 'noauth2' }, (world) => {
  const show = async (): Promise<Clock> =>
    (await world.http.get('/_emulator/clock').expect(200)).body as Clock;
  const send = (method: string, path: string, body: unknown) =>
    world.ask('emulator', method, `/_emulator${path}`, { token: null, body });
  const update = (body: unknown) => send('PUT', '/clock', body);
  const advance = (body: unknown) => send('POST', '/clock/advance', body);
  const clockIn = async (response: PromiseLike<{ body: unknown }>): Promise<Clock> =>
    (await response).body as Clock;

  describe('GET /_emulator/clock', () => {
    it('shows the time, and whether the clock is frozen', async () => {
      const { now, frozen } = await show();
      expect({ now, frozen }).to.deep.equal({ now: '2026-11-20T12:00:00.000000Z', frozen: true });
    });
  });

  describe('PUT /_emulator/clock', () => {
    it('sets the time of a frozen clock, which stays frozen', async () => {
      expect(await clockIn(update({ now: '2027-01-01T00:00:00Z' }).expect(200))).to.include({
        now: '2027-01-01T00:00:00.000000Z',
        frozen: true,
      });
      expect(await show()).to.include({ now: '2027-01-01T00:00:00.000000Z', frozen: true });
    });

    it('sets the clock back', async () => {
      expect(await clockIn(update({ now: '2020-01-01' }).expect(200))).to.include({
        now: '2020-01-01T00:00:00.000000Z',
      });
    });

    it('unfreezes the clock at its current time', async () => {
      const { frozen, now } = await clockIn(update({ frozen: false }).expect(200));
      expect(frozen).to.equal(false);
      expect(now).to.match(/^2026-11-20T12:00:0/);
    });

    it('freezes a running clock at its current time', async () => {
      await update({ frozen: false }).expect(200);
      const frozen = await clockIn(update({ frozen: true }).expect(200));
      expect(frozen.now).to.match(/^2026-11-20T12:00:/);
      expect((await show()).now).to.equal(frozen.now);
    });

    it('shows how far a running clock is ahead', async () => {
      const target = machineNow() + 3600 * SECOND;
      const { ahead_seconds: ahead } = await clockIn(
        update({ now: new Date(target / 1000).toISOString(), frozen: false }).expect(200),
      );
      expect(ahead).to.be.within(3590, 3600);
    });

    it('sets the time that services use', async () => {
      await update({ now: '2030-05-05T05:05:05Z', frozen: true }).expect(200);
      const response = await world
        .ask('placement', 'GET', '/placement/resource_providers', { version: '1.15' })
        .expect(200);
      expect(response.headers['last-modified']).to.equal('Sun, 05 May 2030 05:05:05 GMT');
    });

    const invalid: readonly (readonly [body: unknown, message: RegExp])[] = [
      [{}, /should be non-empty|does not have enough properties/],
      [{ now: 'soon' }, /'soon' in now is not a time\. Use ISO 8601, such as/],
      [{ now: '2026-02-30' }, /is not a time/],
      [{ now: '1969-12-31' }, /from 1970-01-01 to 2200-01-01/],
      [{ now: '9999-12-31' }, /from 1970-01-01 to 2200-01-01/],
      [{ now: 5 }, /not of type 'string'/],
      [{ frozen: 'yes' }, /not of type 'boolean'/],
      [{ time: '2026-11-20' }, /'time' was unexpected/],
    ];
    for (const [body, message] of invalid) {
      it(`returns 400 for ${JSON.stringify(body)} and leaves the clock unchanged`, async () => {
        expect((await update(body).expect(400)).body)
          .to.have.nested.property('error.message')
          .that.matches(message);
        expect((await show()).now).to.equal('2026-11-20T12:00:00.000000Z');
      });
    }
  });

  describe('POST /_emulator/clock/advance', () => {
    it('adds up all given units', async () => {
      const by = { weeks: 1, days: 1, hours: 1, minutes: 1, seconds: 1.5 };
      expect(await clockIn(advance(by).expect(200))).to.include({
        now: '2026-11-28T13:01:01.500000Z',
        frozen: true,
      });
    });

    it('moves to a time, plus the given units', async () => {
      expect(await clockIn(advance({ to: '2027-01-01', minutes: 5 }).expect(200))).to.include({
        now: '2027-01-01T00:05:00.000000Z',
      });
    });

    it('keeps a running clock running', async () => {
      await update({ frozen: false }).expect(200);
      const { now, frozen } = await clockIn(advance({ hours: 2 }).expect(200));
      expect(frozen).to.equal(false);
      expect(now).to.match(/^2026-11-20T14:00:/);
      expect(
        emulatedNow((await world.cloud.sharedState.refresh()).clock) - machineNow(),
      ).to.not.equal(0);
    });

    it('keeps the time for a duration of 0', async () => {
      expect(await clockIn(advance({ seconds: 0 }).expect(200))).to.include({
        now: '2026-11-20T12:00:00.000000Z',
      });
    });

    const invalid: readonly (readonly [body: unknown, message: RegExp])[] = [
      [{}, /should be non-empty|does not have enough properties/],
      [{ seconds: -1 }, /-1 is less than the minimum of 0/],
      [{ seconds: '5' }, /not of type 'number'/],
      [
        { to: '2026-11-20T11:59:59Z' },
        /is at 2026-11-20T12:00:00\.000000Z, and advance cannot move it back/,
      ],
      [{ to: 'later' }, /'later' in to is not a time/],
      [{ weeks: 1e6 }, /to 2200-01-01/],
      [{ weeks: 1e300 }, /to 2200-01-01/],
      [{ months: 1 }, /'months' was unexpected/],
    ];
    for (const [body, message] of invalid) {
      it(`returns 400 for ${JSON.stringify(body)} and leaves the clock unchanged`, async () => {
        expect((await advance(body).expect(400)).body)
          .to.have.nested.property('error.message')
          .that.matches(message);
        expect((await show()).now).to.equal('2026-11-20T12:00:00.000000Z');
      });
    }
  });
});
