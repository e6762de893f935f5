// Tests that every file of a filter or weigher is listed, and that the documentation has its name.
import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { podFilters } from '../../../src/services/tricircle/domain/scheduling/filters/index.ts';
import { podWeighers } from '../../../src/services/tricircle/domain/scheduling/weighers/index.ts';

const root = new URL('../../../', import.meta.url);
const folder = 'src/services/tricircle/domain/scheduling/';
const page = readFileSync(new URL('docs/internals/choosing-a-pod.md', root), 'utf8');

for (const [kind, listed] of [
  ['filters', podFilters],
  ['weighers', podWeighers],
] as const)
  describe(`the ${kind} of pods`, () => {
    it('include the ones of every file in the folder #tricircle-25 #tricircle-32', async () => {
      const names = readdirSync(new URL(`${folder}${kind}/`, root));
      for (const name of names.filter((file) => file !== 'index.ts')) {
        const module = (await import(new URL(`${folder}${kind}/${name}`, root).href)) as object;
        for (const exported of Object.values(module)) expect(listed, name).to.include(exported);
      }
    });

    it('have different names, which the page about them explains', () => {
      const names = listed.map(({ name }) => name);
      expect(new Set(names).size).to.equal(names.length);
      for (const name of names) expect(page).to.include(`| \`${name}\` |`);
    });
  });
