// Checks that every mutant matches one place in src and names an existing test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { titlesInCode } from '../../docs/founding-documents.ts';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { areas, placesOf, readMutants, selectMutants } from './mutants.ts';

/** Whether a title is that of a test in the code, in which `…` is any text. */
function fits(title: string, inCode: string): boolean {
  const parts = inCode.split('…');
  if (parts.length === 1) return title === inCode;
  return title.startsWith(parts[0]!) && title.endsWith(parts.at(-1)!);
}

describe('mutants', () => {
  const mutants = readMutants();

  for (const mutant of mutants) {
    it(`match one place in src and name an existing test: ${mutant.area}: ${mutant.name}`, () => {
      expect(placesOf(packageRoot(), mutant)).to.have.length(1);
      const title = mutant['killed by'];
      const text = readFileSync(join(packageRoot(), mutant.run), 'utf8');
      expect(
        titlesInCode(text).some((one) => fits(title, one)),
        title,
      ).to.equal(true);
    });
  }

  it('are all selected without a filter', () => {
    expect(selectMutants(mutants, [])).to.equal(mutants);
  });

  for (const area of areas) {
    it(`are selected by their area or by its file: ${area}`, () => {
      const own = mutants.filter((mutant) => mutant.area === area);
      expect(own).to.not.have.length(0);
      expect(selectMutants(mutants, [area])).to.deep.equal(own);
      expect(selectMutants(mutants, [`test/mutants/${area}.yaml`])).to.deep.equal(own);
    });
  }

  it('are selected by part of their name, in any case', () => {
    const [first] = mutants;
    expect(selectMutants(mutants, [first!.name.slice(3).toUpperCase()])).to.deep.equal([first]);
    expect(selectMutants(mutants, ['no mutant has this name'])).to.have.length(0);
  });
});
