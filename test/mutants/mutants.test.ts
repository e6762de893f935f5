// Tests that the lists of tests and of mistakes still fit the house: a line that is reworded, or a
// file that moves, must be changed there too.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { longest } from '../suites.ts';
import { placesOf, readMutants } from './mutants.ts';

describe('mutants', () => {
  for (const mutant of readMutants()) {
    it(`have one place in the sources, and a test: ${mutant.name}`, () => {
      expect(placesOf(packageRoot(), mutant)).to.have.length(1);
      const title = mutant['killed by'];
      const text = readFileSync(join(packageRoot(), mutant.run), 'utf8');
      expect(text.includes(title), title).to.equal(true);
    });
  }
});

it('the files that take long are there', () => {
  expect(longest.filter((file) => !existsSync(join(packageRoot(), 'test', file)))).to.deep.equal(
    [],
  );
});
