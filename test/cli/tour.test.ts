// Tests of `cumulet tour`: each story runs to its end, and shows the reasons of its decisions.
import { expect } from 'chai';
import { stories } from '../../src/stories/stories.ts';
import { cumulet } from '../kernel/processes.ts';

/** What the reader of a story sees in it. */
const seen: Readonly<Record<string, readonly string[]>> = {
  'no-host': ['DISK_GB', 'to fit: ', 'not enough MEMORY_MB'],
  'next-week': ["reservable-1 is reserved by lease 'next-week'", 'it fits from '],
  scale: ['az1: has 2, should have 3.5 by its weight 200', 'best effort cuts 9 to 6'],
  pods: ['Core is the best of 3 suitable pods', 'the binding to Core (maintenance) ended'],
  production: ['503  servers:detail', 'flaky-network'],
};

describe('cumulet tour', () => {
  it('lists the stories', async () => {
    const { code, out } = await cumulet(['tour']).ended;
    expect(code).to.equal(0);
    for (const { name, title } of stories) expect(out).to.match(new RegExp(`${name} +${title}`));
  });

  for (const { name } of stories)
    it(`tells the story ${name} to its end`, async () => {
      const { code, out, err } = await cumulet(['tour', name, '--yes']).ended;
      expect([code, err]).to.deep.equal([0, '']);
      for (const text of seen[name]!) expect(out).to.include(text);
      expect(out).to.include('That was it.');
    });

  it('asks for a terminal, unless it need not wait', async () => {
    const { code, err } = await cumulet(['tour', 'pods']).ended;
    expect(code).to.equal(1);
    expect(err).to.include('Run it in a terminal, or with --yes.');
  });

  it('rejects unknown stories with the names of the known ones', async () => {
    const { code, err } = await cumulet(['tour', 'horizon']).ended;
    expect(code).to.not.equal(0);
    expect(err).to.include('no-host');
  });
});
