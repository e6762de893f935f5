// Tests that each library is declared where it is used: what the program loads at run time in
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

/** The names of the packages in the specifiers that a pattern captures in the code. */
const packagesIn = (pattern: RegExp): string[] =>
  readTree(['src'], /\.ts$/)
    .flatMap(({ text }) => [...text.replaceAll(/^import type .*$/gm, '').matchAll(pattern)])
    .map(([, specifier]) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier!)![0]);

/** Packages that the bundle imports statically, but does not contain. */
const external = [...read('build.mjs').matchAll(/^ {4}'([\w-]+)',$/gm)].map(([, name]) => name!);
const required = packagesIn(/\brequire\('([^.'][^']*)'\)/g).filter(
  (name) => !name.startsWith('node:'),
);
const imported = [
  ...packagesIn(/^(?:import|\}) .*from '([^.'][^']*)';$/gm),
  ...packagesIn(/(?<!typeof )\bimport\('([^.'][^']*)'\)/g),
].filter((name) => !name.startsWith('node:'));

const loaded = [...new Set([...required, ...imported.filter((name) => external.includes(name))])];

/** What the loaded packages load, but leave to us to install. */
const peers = loaded.flatMap((name) => {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = JSON.parse(
    read(`node_modules/${name}/package.json`),
  ) as {
    peerDependencies?: Record<string, string>;
    peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  };
  return Object.keys(peerDependencies).filter(
    (peer) => !peer.startsWith('@types/') && !peerDependenciesMeta[peer]?.optional,
  );
});

describe('libraries', () => {
  it('are dependencies if they are loaded at run time', () => {
    expect(Object.keys(dependencies)).to.include.members([...loaded, ...peers]);
    const code = readTree(['src'], /\.ts$/).map(({ text }) => text);
    const unused = Object.keys(dependencies).filter(
      (name) => !peers.includes(name) && !code.some((text) => text.includes(`'${name}`)),
    );
    expect(unused).to.deep.equal([]);
  });

  it('are only devDependencies if the build bundles them', () => {
    const used = imported.filter((name) => !Object.hasOwn(dependencies, name));
    expect(Object.keys(devDependencies)).to.include.members(used);
    expect(documented('bundle')).to.have.members([...new Set(used)]);
  });

  it('are described in docs/internals/dependencies.md', () => {
    expect(documented('run time')).to.have.members(Object.keys(dependencies));
    expect(rows.map(([, name]) => name)).to.deep.equal(rows.map(([, name]) => name).toSorted());
  });
});
