// The lock file holds the packages of all platforms, so that `npm ci` works on each.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

interface Locked {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly resolved?: string;
        readonly os?: readonly string[];
        readonly cpu?: readonly string[];
        readonly libc?: readonly string[];
        readonly optionalDependencies?: Readonly<Record<string, string>>;
      }
    >
  >;
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as Locked;

/** Operating system, processor and C library. */
const platforms = [
  'darwin x64 any',
  'darwin arm64 any',
  'linux x64 glibc',
  'linux x64 musl',
  'linux arm64 glibc',
  'linux arm64 musl',
];

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

  it('has the native code of each platform, so that an installation needs no compiler', () => {
    const declared = Object.entries(packages)
      .filter(([path]) => path.startsWith('node_modules/@node-rs/argon2-'))
      .flatMap(([, { os = [], cpu = [], libc = ['any'] }]) => `${os[0]} ${cpu[0]} ${libc[0]}`);
    expect(declared).to.include.members(platforms);
    const folder = new URL('../../node_modules/@photostructure/sqlite/prebuilds/', import.meta.url);
    const built = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const platform of platforms) {
      const [os, cpu, libc] = platform.split(' ');
      const file = `@photostructure+sqlite.${libc === 'musl' ? 'musl' : 'glibc'}.node`;
      expect(built, platform).to.include(join(`${os}-${cpu}`, file));
    }
  });

  it('contains no registry URL', () => {
    expect(
      Object.entries(packages).filter(([, { resolved }]) => resolved?.startsWith('http')),
    ).to.deep.equal([]);
  });
});
