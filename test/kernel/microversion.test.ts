// Tests of microversions: lists, spans and header negotiation. The parsing traps are those of
// Python's microversion_parse.
import { expect } from 'chai';
import fc from 'fast-check';
import { ApiError } from '../../src/kernel/errors.ts';
import { inSpan, requestedVersion, versions } from '../../src/kernel/microversion.ts';

const all = versions('placement', {
  '1.0': 'first',
  '1.1': 'more',
  '1.9': 'nine',
  '1.10': 'ten',
  '2.0': 'last',
});
const at = (name: string) => all.find(name)!;

/** The version that is negotiated from the header, or the error as `status message`. */
function negotiated(header: string | undefined, aliases: readonly string[] = []): string {
  try {
    return requestedVersion(header, all, aliases).name;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.message}`;
  }
}

describe('versions', () => {
  it('keep the declared order, which is not alphabetical', () => {
    expect(all.list.map(({ name }) => name)).to.deep.equal(['1.0', '1.1', '1.9', '1.10', '2.0']);
    expect([all.min.name, all.max.name]).to.deep.equal(['1.0', '2.0']);
    expect(all.history['1.9']).to.equal('nine');
  });

  it('returns undefined for unknown names', () => {
    expect(all.find('1.10')?.index).to.equal(3);
    for (const name of ['1.2', '', 'latest', 'constructor', '__proto__', '1'])
      expect(all.find(name), name).to.equal(undefined);
  });

  it('include their own features and older ones', () => {
    expect(at('1.10').has('1.9')).to.equal(true);
    expect(at('1.10').has('1.10')).to.equal(true);
    expect(at('1.9').has('1.10')).to.equal(false);
  });

  it('return fields since a version, or until the one before it', () => {
    expect({
      ...at('1.9').since('1.9', { a: 1 }),
      ...at('1.9').since('1.10', { b: 1 }),
    }).to.deep.equal({ a: 1 });
    expect({
      ...at('1.9').until('1.9', { a: 1 }),
      ...at('1.9').until('1.10', { b: 1 }),
    }).to.deep.equal({ b: 1 });
  });

  it('return fields from exactly one of since and until', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all.list), fc.constantFrom(...all.list), (version, border) => {
        const fields = { x: 1 };
        const found = [version.since(border.name, fields), version.until(border.name, fields)];
        return found.filter((one) => 'x' in one).length === 1;
      }),
    );
  });
});

describe('span', () => {
  it('includes both ends', () => {
    const inside = all.list
      .filter((version) => inSpan(version, ['1.1', '1.10'], all))
      .map(({ name }) => name);
    expect(inside).to.deep.equal(['1.1', '1.9', '1.10']);
  });

  it('includes everything after an open end, and everything if it is undefined', () => {
    expect(
      all.list.filter((version) => inSpan(version, ['1.10'], all)).map(({ name }) => name),
    ).to.deep.equal(['1.10', '2.0']);
    expect(all.list.every((version) => inSpan(version, undefined, all))).to.equal(true);
  });
});

describe('version header', () => {
  const found: readonly (readonly [header: string | undefined, version: string, why: string])[] = [
    [undefined, '1.0', 'the default is the oldest'],
    ['', '1.0', 'an empty header is ignored'],
    [', ,', '1.0', 'empty entries are ignored'],
    ['placement', '1.0', 'an entry without a version is ignored'],
    ['placement  ', '1.0', 'also with trailing spaces'],
    ['1.10', '1.0', 'a version without a service is ignored'],
    ['compute 1.10', '1.0', 'other services are ignored'],
    ['placements 1.10', '1.0', 'also with the same prefix'],
    ['placement latest', '2.0', 'latest is the newest'],
    ['PlaceMENT 1.9', '1.9', 'the case of the service does not matter'],
    ['placement 1.1, placement 1.9', '1.9', 'the last entry wins'],
    ['placement latest, placement 1.9', '1.9', 'the last entry wins over latest'],
    ['placement 1.9,compute 2.1', '1.9', 'entries for other services are ignored'],
    ['placement 1.9,', '1.9', 'an empty entry is ignored'],
    ['placement bad,placement 1.9', '1.9', 'earlier entries are not parsed'],
    ['  placement   1.9  ', '1.9', 'surrounding spaces are ignored'],
    ['placement\t1.10', '1.10', 'a tab counts as a space'],
    ['placement 1.010', '1.10', 'leading zeros are ignored'],
    ['placement 1. 9', '1.9', 'Python ignores spaces around a number'],
    ['placement +1.+9', '1.9', 'a plus sign is part of a number'],
    ['placement 1.-0', '1.0', 'minus zero is zero'],
    ['placement 1.1_0', '1.10', 'an underscore between digits is part of a number'],
  ];
  for (const [header, version, why] of found)
    it(`${JSON.stringify(header)} is ${version}: ${why}`, () =>
      expect(negotiated(header)).to.equal(version));

  const literal = (text: string): string => `invalid literal for int() with base 10: ${text}`;
  const refused: readonly (readonly [header: string, error: string])[] = [
    ['placement foo', `400 invalid version string: foo; ${literal("'foo'")}`],
    ['placement Latest', `400 invalid version string: Latest; ${literal("'Latest'")}`],
    [
      'placement 1',
      '400 invalid version string: 1; Version.__new__() missing 1 required positional ' +
        "argument: 'minor'",
    ],
    ['placement 1.2.3', `400 invalid version string: 1.2.3; ${literal("'2.3'")}`],
    ['placement pony.horse', `400 invalid version string: pony.horse; ${literal("'pony'")}`],
    ['placement 1.', `400 invalid version string: 1.; ${literal("''")}`],
    ['placement .1', `400 invalid version string: .1; ${literal("''")}`],
    ['placement 1.4e0', `400 invalid version string: 1.4e0; ${literal("'4e0'")}`],
    ['placement 1.0x1', `400 invalid version string: 1.0x1; ${literal("'0x1'")}`],
    ['placement 1._4', `400 invalid version string: 1._4; ${literal("'_4'")}`],
    ['placement 1.1 5', `400 invalid version string: 1.1 5; ${literal("'1 5'")}`],
    ["placement 'a.b", `400 invalid version string: 'a.b; ${literal('"\'a"')}`],
    ['placement 0.5', '406 Unacceptable version header: 0.5'],
    ['placement 1.2', '406 Unacceptable version header: 1.2'],
    ['placement 1.40', '406 Unacceptable version header: 1.40'],
    ['placement -1.0', '406 Unacceptable version header: -1.0'],
    [
      'placement 1.99999999999999999999999',
      '406 Unacceptable version header: 1.99999999999999999999999',
    ],
    ['placement 1.9, placement 3.0', '406 Unacceptable version header: 3.0'],
  ];
  for (const [header, error] of refused)
    it(`${JSON.stringify(header)} returns ${error.slice(0, 3)}`, () =>
      expect(negotiated(header)).to.equal(error));

  it('may use an alias of the service', () => {
    expect(negotiated('nova 1.9', ['nova'])).to.equal('1.9');
    expect(negotiated('nova 1.9')).to.equal('1.0');
  });

  it('results in a version, 400 or 406 for random texts', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const answer = negotiated(`placement ${text}`);
        expect(answer).to.match(/^(1\.0|1\.1|1\.9|1\.10|2\.0|400 .*|406 .*)$/s);
      }),
    );
  });
});
