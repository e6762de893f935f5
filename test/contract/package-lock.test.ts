// The lock file holds the packages of all platforms, so that `npm ci` works on each.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface Locked {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly resolved?: string;
        readonly optionalDependencies?: Readonly<Record<string, string>>;
      }
    >
  >;
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as Locked;

describe('package-lock.json', () => {
  // npm leaves out, without a word, an optional package of another platform that the registry does
  // not have yet.
  it('has an entry for each optional package that another one names', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter(
          (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
        )
        .map((name) => `${path} wants ${name}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('names no registry', () => {
    expect(
      Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('http')),
    ).to.deep.equal([]);
  });
});
