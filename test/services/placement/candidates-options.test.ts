// The settings for the number and the order of allocation candidates.
import { expect } from 'chai';
import { configFrom, withServerOptions } from '../../../src/cli/config.ts';
import { Command } from 'commander';
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { inShort } from './candidates-in-short.ts';
import { asking, makeProvider, provider } from './makers.ts';

/** Three trees: 1 with 2 and 3, 4 with 5 and 6, and 7 alone. */
async function plant(world: World): Promise<ReturnType<typeof inShort>['found']> {
  const ask = asking(world);
  for (const root of [1, 4]) {
    await makeProvider(ask, provider(root));
    for (const child of [root + 1, root + 2])
      await makeProvider(ask, provider(child), { parent: provider(root), has: { DISK_GB: 4 } });
  }
  await makeProvider(ask, provider(7), { has: { DISK_GB: 4 } });
  return inShort(ask).found;
}

onEachDatabase('Placement: candidates depth-first', { auth: 'noauth2' }, (world) => {
  it('are all of one tree, then all of the next', async () => {
    const found = await plant(world);
    expect(await found('resources=D:1')).to.deep.equal([
      '2 D:1',
      '3 D:1',
      '5 D:1',
      '6 D:1',
      '7 D:1',
    ]);
    expect(await found('resources=D:1&limit=3')).to.deep.equal(['2 D:1', '3 D:1', '5 D:1']);
  });
});

onEachDatabase(
  'Placement: candidates breadth-first',
  { auth: 'noauth2', allocationCandidatesGenerationStrategy: 'breadth-first' },
  (world) => {
    it('are one of each tree, then another of each', async () => {
      const found = await plant(world);
      expect(await found('resources=D:1')).to.deep.equal([
        '2 D:1',
        '5 D:1',
        '7 D:1',
        '3 D:1',
        '6 D:1',
      ]);
      expect(await found('resources=D:1&limit=2')).to.deep.equal(['2 D:1', '5 D:1']);
      expect(await found('resources=D:1&limit=4')).to.deep.equal([
        '2 D:1',
        '5 D:1',
        '7 D:1',
        '3 D:1',
      ]);
    });
  },
);

onEachDatabase(
  'Placement: at most so many candidates',
  { auth: 'noauth2', maxAllocationCandidates: 2 },
  (world) => {
    it('are found, whatever the limit', async () => {
      const found = await plant(world);
      for (const limit of ['', '&limit=3', '&limit=2'])
        expect(await found(`resources=D:1${limit}`)).to.deep.equal(['2 D:1', '3 D:1']);
      expect(await found('resources=D:1&limit=1')).to.deep.equal(['2 D:1']);
    });
  },
);

describe('The flags for candidates', () => {
  const read = (...flags: string[]) => {
    const command = withServerOptions(new Command())
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    return configFrom(command.parse(flags, { from: 'user' }).opts());
  };

  it('are those of upstream, with its defaults', () => {
    expect(read()).to.include({
      maxAllocationCandidates: -1,
      allocationCandidatesGenerationStrategy: 'depth-first',
    });
    const flags = [
      '--max-allocation-candidates',
      '7',
      '--allocation-candidates-generation-strategy',
      'breadth-first',
    ];
    expect(read(...flags)).to.include({
      maxAllocationCandidates: 7,
      allocationCandidatesGenerationStrategy: 'breadth-first',
    });
    for (const bad of ['0', '-2', 'many'])
      expect(() => read(`--max-allocation-candidates=${bad}`)).to.throw();
  });
});
