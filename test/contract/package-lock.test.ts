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
  // npm silently omits an optional package for another platform if the registry does not have it
  // yet.
  it('has an entry for each optional dependency', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter(
          (name) => !packages[`${path}/node_modules/${name}`] && !packages[`node_modules/${name}`],
        )
        .map((name) => `${path} requires ${name}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it('contains no registry URL', () => {
    expect(
      Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('http')),
    ).to.deep.equal([]);
  });
});
