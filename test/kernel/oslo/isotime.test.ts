// Tests of times in requests. Each was tried with iso8601 2.1.
import { expect } from 'chai';
import { ajvFormats, guardFormats } from '../../../src/kernel/contract/formats.ts';
import { isoMicros } from '../../../src/kernel/clock.ts';
import { parseIsoTime } from '../../../src/kernel/oslo/isotime.ts';

const accepted: Readonly<Record<string, string>> = {
  '2020-01-01T00:00:00Z': '2020-01-01T00:00:00.000000Z',
  '2020-01-01T00:00:00': '2020-01-01T00:00:00.000000Z',
  '2020-01-01T00:00:00.123456': '2020-01-01T00:00:00.123456Z',
  '2020-01-01T00:00:00.1234569Z': '2020-01-01T00:00:00.123456Z',
  '2020-01-01T00:00:00,5Z': '2020-01-01T00:00:00.500000Z',
  '2020-01-01 00:00:00': '2020-01-01T00:00:00.000000Z',
  '2020-01-01T00:00Z': '2020-01-01T00:00:00.000000Z',
  '2020-01-01T05': '2020-01-01T05:00:00.000000Z',
  '2020-01-01T0507': '2020-01-01T05:07:00.000000Z',
  '2020-01-01T05:07:9': '2020-01-01T05:07:09.000000Z',
  '2020-01-01': '2020-01-01T00:00:00.000000Z',
  '2020-1-1': '2020-01-01T00:00:00.000000Z',
  '2020-0101': '2020-01-01T00:00:00.000000Z',
  '2020-01': '2020-01-01T00:00:00.000000Z',
  '2020': '2020-01-01T00:00:00.000000Z',
  '20200101': '2020-01-01T00:00:00.000000Z',
  '20200101T000000Z': '2020-01-01T00:00:00.000000Z',
  '2020-01-01T00:00:00+02': '2019-12-31T22:00:00.000000Z',
  '2020-01-01T00:00:00+0230': '2019-12-31T21:30:00.000000Z',
  '2020-01-01T00:00:00-02:30': '2020-01-01T02:30:00.000000Z',
  '2020-01-01T00:00:00+23:59': '2019-12-31T00:01:00.000000Z',
  '2020-02-29': '2020-02-29T00:00:00.000000Z',
  '2020-01-01T00:00:00Z\n': '2020-01-01T00:00:00.000000Z',
};

const refused = [
  '',
  'yesterday',
  '2020-01-01T24:00:00Z',
  '2020-01-01t00:00:00Z',
  '2020-01-01T00:00:00z',
  '2020-01-01T00:60:00Z',
  '2020-01-01T00:00:60Z',
  '2020-01-01T00:00:00.Z',
  '2020-01-01T00:00:00 Z',
  '2020-01-01T00:00:00+24:00',
  '2020-01-01T00:00:00Z\n\n',
  ' 2020-01-01',
  '2020-01-01 ',
  '2020-01-01T',
  '2020-13',
  '2020-00',
  '2020-02-30',
  '2019-02-29',
  '202001',
  '202001\n',
  '0000-01-01',
  '20',
  '٢٠٢٠-01-01',
];

describe('times in requests', () => {
  for (const [text, time] of Object.entries(accepted))
    it(`accept ${JSON.stringify(text)}`, () => {
      expect(isoMicros(parseIsoTime(text)!)).to.equal(time);
    });

  for (const text of refused)
    it(`refuse ${JSON.stringify(text)}`, () => {
      expect(parseIsoTime(text)).to.equal(undefined);
    });

  it('are the format date-time of the contract', () => {
    for (const validate of [ajvFormats()['date-time']!, guardFormats['date-time']!.validate]) {
      expect(Object.keys(accepted).filter((text) => !validate(text))).to.deep.equal([]);
      expect(refused.filter((text) => validate(text))).to.deep.equal([]);
    }
  });
});
