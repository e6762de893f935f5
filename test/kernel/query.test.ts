// Tests of parsing query strings. The expected results are those of Python's parse_qsl.
import { expect } from 'chai';
import fc from 'fast-check';
import { Query } from '../../src/kernel/query.ts';

describe('Query', () => {
  it('returns the first, the last and all values of a repeated name', () => {
    const query = new Query('a=1&b=2&a=3');
    expect(query.names()).to.deep.equal(['a', 'b']);
    expect([query.first('a'), query.last('a'), query.all('a')]).to.deep.equal([
      '1',
      '3',
      ['1', '3'],
    ]);
    expect(query.entries().map((pair) => pair.join('='))).to.deep.equal(['a=1', 'b=2', 'a=3']);
  });

  it('returns nothing for an absent name, including names of Object.prototype', () => {
    const query = new Query('a=1');
    for (const name of ['b', '', 'constructor', '__proto__', 'toString']) {
      expect(
        [query.has(name), query.first(name), query.last(name), query.all(name)],
        name,
      ).to.deep.equal([false, undefined, undefined, []]);
    }
  });

  it('treats brackets, dots and __proto__ as plain characters of a name', () => {
    const query = new Query('a[b]=1&a.b=2&__proto__=3&constructor=4');
    expect(query.names()).to.deep.equal(['a[b]', 'a.b', '__proto__', 'constructor']);
    expect(query.last('__proto__')).to.equal('3');
  });

  const pairs: readonly (readonly [
    text: string,
    entries: readonly (readonly [string, string])[],
  ])[] = [
    ['', []],
    ['&&', []],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=a', [['', 'a']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      'a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['a+b=c+d', [['a b', 'c d']]],
    ['a%2Bb=%26%3D', [['a+b', '&=']]],
    ['a=%C3%A9%F0%9F%98%80', [['a', 'é😀']]],
    ['a=%c3%A9', [['a', 'é']]],
    ['a=100%', [['a', '100%']]],
    ['a=%zz%4', [['a', '%zz%4']]],
    ['a=%00', [['a', '\0']]],
    ['a;b=1', [['a;b', '1']]],
  ];
  for (const [text, entries] of pairs) {
    it(`${JSON.stringify(text)} is ${JSON.stringify(entries)}`, () => {
      const query = new Query(text);
      expect(query.entries()).to.deep.equal(entries);
      expect(query.garbled).to.equal(false);
    });
  }

  it('reports escapes that are not UTF-8, and decodes them as U+FFFD', () => {
    for (const text of ['a=%ff', 'a=%C3', 'a=%C3%28', '%ff=a', 'a=%ED%A0%80']) {
      const query = new Query(text);
      expect(query.garbled, text).to.equal(true);
      expect(query.entries()[0]!.join(), text).to.include('\ufffd');
    }
  });

  it('parses the output of encodeURIComponent and URLSearchParams', () => {
    const unit = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(unit, unit)), (entries) => {
        const percent = entries.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
        expect(new Query(percent).entries()).to.deep.equal(entries);
        expect(new Query(new URLSearchParams(entries).toString()).entries()).to.deep.equal(entries);
      }),
    );
  });

  it('parses random texts', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('%', 'f', '4', '=', '&', '+', 'é', '\0') }),
        (text) => new Query(text).names().length >= 0,
      ),
    );
  });
});
