// Tests that each library is declared where it is used: packages with native code in
// `dependencies`, what the build bundles in `devDependencies`, and all of it in the docs.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readTree } from './tree.ts';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Readonly<
  Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
>;

/** The rows of the table in the docs: a library, and where it is. */
const rows = [...read('docs/internals/dependencies.md').matchAll(/^\| `([^`]+)` \| (.*?) \|/gm)];
const documented = (where: string): string[] =>
  rows.filter(([, , place]) => place === where).map(([, name]) => name!);

/** The packages that the build leaves outside. */
const native = [...read('bundle.mjs').matchAll(/^export const native = \[(.*)\];$/gm)].flatMap(
  ([, names]) => names!.replaceAll("'", '').split(', '),
);

/** The names of the packages in the specifiers that a pattern captures in the code. */
const packagesIn = (pattern: RegExp): string[] =>
  readTree(['src'], /\.tsx?$/)
    .flatMap(({ text }) => [...text.replaceAll(/^import type .*$/gm, '').matchAll(pattern)])
    .map(([, specifier]) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier!)![0])
    .filter((name) => !name.startsWith('node:'));

const used = [
  ...new Set([
    ...packagesIn(/\brequire\('([^.'][^']*)'\)/g),
    ...packagesIn(/'(@[\w-]+\/[\w-]+)'/g), // a driver that is chosen by the version of Node.js
    ...packagesIn(/^(?:import|\}) .*from '([^.'][^']*)';$/gm),
    ...packagesIn(/(?<!typeof )\bimport\('([^.'][^']*)'\)/g),
  ]),
];

describe('libraries', () => {
  it('are dependencies if they have native code, which no bundle can contain', () => {
    expect(Object.keys(dependencies)).to.have.members(native);
    expect(used).to.include.members(native);
  });

  it('are devDependencies if the build bundles them', () => {
    const bundled = used.filter((name) => !native.includes(name));
    expect(Object.keys(devDependencies)).to.include.members(bundled);
    expect(documented('bundle')).to.have.members(bundled);
  });

  it('are described in docs/internals/dependencies.md', () => {
    expect(documented('run time')).to.have.members(Object.keys(dependencies));
    expect(rows.map(([, name]) => name)).to.deep.equal(rows.map(([, name]) => name).toSorted());
  });
});
