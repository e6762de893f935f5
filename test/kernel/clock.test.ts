// Tests of the emulated clock, and of formatting and parsing times.
import { expect } from 'chai';
import fc from 'fast-check';
import {
  emulatedNow,
  httpDate,
  isoMicros,
  isoSeconds,
  machineNow,
  parseTime,
  SECOND,
  ticks,
} from '../../src/kernel/clock.ts';

const lunch = parseTime('2026-11-20T12:34:56.000789Z')!;

describe('clock', () => {
  it('returns the frozen time while the clock is frozen', () => {
    expect(emulatedNow({ frozenAt: lunch, offset: 5 })).to.equal(lunch);
    expect(emulatedNow({ frozenAt: 0, offset: 5 })).to.equal(0);
  });

  it("adds the offset to the machine's time", () => {
    const ahead = emulatedNow({ frozenAt: null, offset: 3600 * SECOND }) - machineNow();
    expect(ahead / SECOND).to.be.within(3000, 3600);
  });

  for (const [what, off] of [
    ['exact', 0],
    ['late', -7.5],
    ['early', 7.5],
  ] as const) {
    it(`returns whole microseconds that agree with Date if the performance counter is ${what}`, () => {
      const count = performance.now.bind(performance);
      performance.now = () => count() + off;
      try {
        const before = Date.now();
        const times = Array.from({ length: 1000 }, machineNow);
        expect(times.every(Number.isSafeInteger)).to.equal(true);
        expect(times[0]! / 1000).to.be.at.least(before);
        expect(times.at(-1)! / 1000).to.be.lessThan(Date.now() + 1);
        expect(times).to.deep.equal(times.toSorted((one, other) => one - other));
      } finally {
        performance.now = count;
      }
    });
  }

  it('never decreases ticks', () => {
    const first = ticks();
    expect(ticks()).to.be.at.least(first);
  });
});

describe('isoMicros, isoSeconds and httpDate', () => {
  it('format times like Keystone, with microseconds', () => {
    expect(isoMicros(lunch)).to.equal('2026-11-20T12:34:56.000789Z');
    expect(isoMicros(0)).to.equal('1970-01-01T00:00:00.000000Z');
  });

  it('truncate to seconds instead of rounding', () => {
    expect(isoSeconds(lunch + 999_000)).to.equal('2026-11-20T12:34:56Z');
    expect(httpDate(lunch + 999_000)).to.equal('Fri, 20 Nov 2026 12:34:56 GMT');
  });
});

describe('parseTime', () => {
  const read: readonly (readonly [text: string, time: string])[] = [
    ['2026-11-20', '2026-11-20T00:00:00.000000Z'],
    ['2026-11-20T12:34', '2026-11-20T12:34:00.000000Z'],
    ['2026-11-20 12:34:56', '2026-11-20T12:34:56.000000Z'],
    ['2026-11-20T12:34:56.7', '2026-11-20T12:34:56.700000Z'],
    ['2026-11-20T12:34:56.123456789Z', '2026-11-20T12:34:56.123456Z'],
    ['2026-11-20T12:34:56z', '2026-11-20T12:34:56.000000Z'],
    ['2026-11-20T12:34:56+02:00', '2026-11-20T10:34:56.000000Z'],
    ['2026-11-20T12:34:56-0130', '2026-11-20T14:04:56.000000Z'],
    [' 2026-11-20 ', '2026-11-20T00:00:00.000000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000000Z'],
  ];
  for (const [text, time] of read)
    it(`parses ${JSON.stringify(text)}`, () => expect(isoMicros(parseTime(text)!)).to.equal(time));

  const bad = [
    '',
    'now',
    '2026',
    '2026-11',
    '20-11-2026',
    '2026-13-01',
    '2026-00-10',
    '2026-02-30',
    '2025-02-29',
    '2026-11-31T12:00Z',
    '2026-11-20T25:00',
    '2026-11-20T12:60',
    '2026-11-20T12',
    '2026-11-20T12:34:56+99:99',
    '12026-11-20',
    '2026-11-20T12:34:56 PST',
    '1e9',
  ];
  for (const text of bad)
    it(`returns undefined for ${JSON.stringify(text)}`, () =>
      expect(parseTime(text)).to.equal(undefined));

  it('parses what isoMicros formats', () => {
    const end = parseTime('2200-01-01')!;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: end }), (time) => parseTime(isoMicros(time)) === time),
    );
  });

  it('never throws for random texts', () => {
    fc.assert(
      fc.property(
        fc.string(),
        (text) => parseTime(text) === undefined || Number.isFinite(parseTime(text)),
      ),
    );
  });
});
