// Tests of the clock's own API.
import { expect } from 'chai';
import { emulatedNow, machineNow, SECOND } from '../../src/kernel/clock.ts';
import { onEachDatabase } from '../support/cloud.ts';

interface Clock {
  now: string;
  frozen: boolean;
  ahead_seconds: number;
}

onEachDatabase('emulator: clock', { auth: 'noauth2' }, (world) => {
  const show = async (): Promise<Clock> =>
    (await world.http.get('/_emulator/clock').expect(200)).body as Clock;
  const send = (method: string, path: string, body: unknown) =>
    world.ask('emulator', method, `/_emulator${path}`, { token: null, body });
  const update = (body: unknown) => send('PUT', '/clock', body);
  const advance = (body: unknown) => send('POST', '/clock/advance', body);
  const told = async (reply: PromiseLike<{ body: unknown }>): Promise<Clock> =>
    (await reply).body as Clock;

  describe('GET /clock', () => {
    it('tells the time, and whether it stands', async () => {
      const { now, frozen } = await show();
      expect({ now, frozen }).to.deep.equal({ now: '2026-11-20T12:00:00.000000Z', frozen: true });
    });
  });

  describe('PUT /clock', () => {
    it('sets the time of a frozen clock, which stays frozen', async () => {
      expect(await told(update({ now: '2027-01-01T00:00:00Z' }).expect(200))).to.include({
        now: '2027-01-01T00:00:00.000000Z',
        frozen: true,
      });
      expect(await show()).to.include({ now: '2027-01-01T00:00:00.000000Z', frozen: true });
    });

    it('may set it back', async () => {
      expect(await told(update({ now: '2020-01-01' }).expect(200))).to.include({
        now: '2020-01-01T00:00:00.000000Z',
      });
    });

    it('lets the clock run on from where it stands, and freezes it where it is', async () => {
      const { frozen, now } = await told(update({ frozen: false }).expect(200));
      expect(frozen).to.equal(false);
      expect(now).to.match(/^2026-11-20T12:00:0/);
      const stopped = await told(update({ frozen: true }).expect(200));
      expect(stopped.now).to.match(/^2026-11-20T12:00:/);
      expect((await show()).now).to.equal(stopped.now);
    });

    it('of a running clock is told as how far it is ahead', async () => {
      const wanted = machineNow() + 3600 * SECOND;
      const { ahead_seconds: ahead } = await told(
        update({ now: new Date(wanted / 1000).toISOString(), frozen: false }).expect(200),
      );
      expect(ahead).to.be.within(3590, 3600);
    });

    it('is what services go by', async () => {
      await update({ now: '2030-05-05T05:05:05Z', frozen: true }).expect(200);
      const reply = await world
        .ask('placement', 'GET', '/placement/resource_providers', { version: '1.15' })
        .expect(200);
      expect(reply.headers['last-modified']).to.equal('Sun, 05 May 2030 05:05:05 GMT');
    });

    const bad: readonly (readonly [body: unknown, says: RegExp])[] = [
      [{}, /should be non-empty|does not have enough properties/],
      [{ now: 'soon' }, /'soon' in now is no time\. Use one such as/],
      [{ now: '2026-02-30' }, /is no time/],
      [{ now: '1969-12-31' }, /from 1970-01-01 to 2200-01-01/],
      [{ now: '9999-12-31' }, /from 1970-01-01 to 2200-01-01/],
      [{ now: 5 }, /not of type 'string'/],
      [{ frozen: 'yes' }, /not of type 'boolean'/],
      [{ time: '2026-11-20' }, /'time' was unexpected/],
    ];
    for (const [body, says] of bad) {
      it(`refuses ${JSON.stringify(body)} and leaves the clock alone`, async () => {
        expect((await update(body).expect(400)).body)
          .to.have.nested.property('error.message')
          .that.matches(says);
        expect((await show()).now).to.equal('2026-11-20T12:00:00.000000Z');
      });
    }
  });

  describe('POST /clock/advance', () => {
    it('adds up what it is given', async () => {
      const by = { weeks: 1, days: 1, hours: 1, minutes: 1, seconds: 1.5 };
      expect(await told(advance(by).expect(200))).to.include({
        now: '2026-11-28T13:01:01.500000Z',
        frozen: true,
      });
    });

    it('goes to a time, and on from there', async () => {
      expect(await told(advance({ to: '2027-01-01', minutes: 5 }).expect(200))).to.include({
        now: '2027-01-01T00:05:00.000000Z',
      });
    });

    it('of a running clock leaves it running', async () => {
      await update({ frozen: false }).expect(200);
      const { now, frozen } = await told(advance({ hours: 2 }).expect(200));
      expect(frozen).to.equal(false);
      expect(now).to.match(/^2026-11-20T14:00:/);
      expect(
        emulatedNow((await world.cloud.sharedState.refresh()).clock) - machineNow(),
      ).to.not.equal(0);
    });

    it('by nothing is nothing', async () => {
      expect(await told(advance({ seconds: 0 }).expect(200))).to.include({
        now: '2026-11-20T12:00:00.000000Z',
      });
    });

    const bad: readonly (readonly [body: unknown, says: RegExp])[] = [
      [{}, /should be non-empty|does not have enough properties/],
      [{ seconds: -1 }, /-1 is less than the minimum of 0/],
      [{ seconds: '5' }, /not of type 'number'/],
      [
        { to: '2026-11-20T11:59:59Z' },
        /is at 2026-11-20T12:00:00\.000000Z and does not run backwards/,
      ],
      [{ to: 'later' }, /'later' in to is no time/],
      [{ weeks: 1e6 }, /to 2200-01-01/],
      [{ weeks: 1e300 }, /to 2200-01-01/],
      [{ months: 1 }, /'months' was unexpected/],
    ];
    for (const [body, says] of bad) {
      it(`refuses ${JSON.stringify(body)} and leaves the clock alone`, async () => {
        expect((await advance(body).expect(400)).body)
          .to.have.nested.property('error.message')
          .that.matches(says);
        expect((await show()).now).to.equal('2026-11-20T12:00:00.000000Z');
      });
    }
  });
});
