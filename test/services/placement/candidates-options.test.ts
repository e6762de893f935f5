// The options for the number and order of allocation candidates.
import { expect } from 'chai';
import { configFrom } from '../../../src/config.ts';
import { withServerOptions } from '../../../src/cli/server-options.ts';
import { Command } from 'commander';
import { onEachDatabase, type World } from '../../support/cloud.ts';
import { candidateNotation } from './candidate-notation.ts';
import { senderFor, makeProvider, provider } from './support.ts';

/** Three trees: 1 with the children 2 and 3, 4 with the children 5 and 6, and 7 alone. */
async function plant(world: World): Promise<ReturnType<typeof candidateNotation>['found']> {
  const send = senderFor(world);
  for (const root of [1, 4]) {
    await makeProvider(send, provider(root));
    for (const child of [root + 1, root + 2])
      await makeProvider(send, provider(child), {
        parent: provider(root),
        inventories: { DISK_GB: 4 },
      });
  }
  await makeProvider(send, provider(7), { inventories: { DISK_GB: 4 } });
  return candidateNotation(send).found;
}

onEachDatabase('Placement: depth-first candidates', { auth: 'noauth2' }, (world) => {
  it('list all candidates of a tree before those of the next tree', async () => {
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
  'Placement: breadth-first candidates',
  { auth: 'noauth2', allocationCandidatesGenerationStrategy: 'breadth-first' },
  (world) => {
    it('list one candidate of each tree, then a second one of each', async () => {
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
  'Placement: maximum number of candidates',
  { auth: 'noauth2', maxAllocationCandidates: 2 },
  (world) => {
    it('applies in addition to the limit of the request', async () => {
      const found = await plant(world);
      for (const limit of ['', '&limit=3', '&limit=2'])
        expect(await found(`resources=D:1${limit}`)).to.deep.equal(['2 D:1', '3 D:1']);
      expect(await found('resources=D:1&limit=1')).to.deep.equal(['2 D:1']);
    });
  },
);

describe('Options for candidates', () => {
  const read = (...flags: string[]) => {
    const command = withServerOptions(new Command())
      .exitOverride()
      .configureOutput({ writeErr: () => undefined });
    return configFrom(command.parse(flags, { from: 'user' }).opts());
  };

  it("have upstream's names and defaults", () => {
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
