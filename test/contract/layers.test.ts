// The house rules that a test can keep: who may import what, who may know the time, and how files
// are made.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../src/kernel/package-root.ts';

interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

interface File {
  /** From the root of the package, such as `src/kernel/clock.ts`. */
  readonly path: string;
  readonly text: string;
  /** The text without comments and without what is in quotes. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const root = packageRoot();

const files = ['src', 'migrations', 'test', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .toSorted()
    .map((path) => read(join(folder, path))),
);
const sources = files.filter(({ path }) => /^(src|migrations)\//.test(path));

function read(path: string): File {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = [...text.matchAll(/^(import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'/gm)].map(
    ([statement, , type, from]) => ({
      from: from!.startsWith('.') ? relative(root, join(root, dirname(path), from!)) : from!,
      typeOnly:
        type !== undefined ||
        /^(import|export)\s*\{\s*(type\s+\w+(\s+as\s+\w+)?\s*,?\s*)+\}/.test(statement),
    }),
  );
  const dynamic = [...text.matchAll(/\b(?:import|require)\('([^'.][^']*)'\)/g)]
    .filter((match) => !/typeof\s+$/.test(text.slice(0, match.index)))
    .map(([, from]) => ({ from: from!, typeOnly: false }));
  return { path, text, code: codeOf(text), imports: [...imports, ...dynamic] };
}

function codeOf(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''");
}

/** The files of `from` that break the rule, each with what it ought not to have. */
function offenders(from: readonly File[], offends: (file: File) => readonly string[]): string[] {
  return from.flatMap((file) => offends(file).map((what) => `${file.path}: ${what}`));
}

const importsOf = (file: File, matches: (from: string, one: Import) => boolean): string[] =>
  file.imports.filter((one) => matches(one.from, one)).map(({ from }) => from);

const isPackage = (name: string) => (from: string) => from === name || from.startsWith(`${name}/`);
const room = (path: string): string | undefined => /^src\/services\/\w+\/(\w+)/.exec(path)?.[1];
const serviceOf = (path: string): string | undefined => /^src\/services\/(\w+)\//.exec(path)?.[1];

/** The services, from the lowest floor to the highest: each may ask those below it. */
const floors: readonly (readonly string[])[] = [
  ['identity', 'placement', 'image'],
  ['network'],
  ['volume'],
  ['compute'],
  ['reservation', 'clustering'],
  ['tricircle'],
  ['gateway'],
];

const floorOf = (service: string): number => floors.findIndex((floor) => floor.includes(service));

/** The floors of Compute's domain: each imports only those below it, and its own. */
const computeFloors: readonly (readonly string[])[] = [
  ['.'],
  ['hosts', 'servers'],
  ['scheduler'],
  ['moves'],
  ['lifecycle'],
];

const computeWing = (path: string): string | undefined => {
  const [, wing] = /^src\/services\/compute\/domain\/(.+)$/.exec(path) ?? [];
  return wing === undefined ? undefined : wing.includes('/') ? wing.split('/')[0] : '.';
};

describe('the house rules', () => {
  it('look at all files', () => {
    expect(sources.length).to.be.greaterThan(50);
    expect(sources.flatMap(({ imports }) => imports).length).to.be.greaterThan(200);
  });

  describe('on layers', () => {
    it('Knex is spoken only in kernel/db, in stores and in migrations', () => {
      const elsewhere = sources.filter(
        ({ path }) =>
          !/^(src\/kernel\/db\/|src\/emulator\/|migrations\/)/.test(path) && room(path) !== 'store',
      );
      expect(
        offenders(elsewhere, (file) =>
          importsOf(file, (from) => isPackage('knex')(from) || isPackage('mysql2')(from)),
        ),
      ).to.deep.equal(lazyOnly);
    });

    it('Express is spoken only in kernel/http', () => {
      const elsewhere = sources.filter(
        ({ path }) => !path.startsWith('src/kernel/http/') && path !== 'src/cli/main.ts',
      );
      const names = ['express', 'cors', 'express-openapi-validator'].map(isPackage);
      const found = offenders(elsewhere, (file) =>
        importsOf(file, (from, { typeOnly }) => !typeOnly && names.some((is) => is(from))),
      );
      expect(found.filter((one) => !one.startsWith('src/kernel/lazy.ts'))).to.deep.equal([]);
    });

    it('a domain knows neither SQL nor HTTP, nor what is above it', () => {
      const domains = sources.filter(({ path }) => room(path) === 'domain');
      const known = ['knex', 'express', 'mysql2', 'node:http'].map(isPackage);
      const above = (from: string): boolean =>
        ['handlers', 'views', 'routes', 'steps'].includes(room(from) ?? '');
      const http = (from: string): boolean => from.startsWith('src/kernel/http/');
      expect(
        offenders(domains, (file) =>
          importsOf(file, (from) => known.some((is) => is(from)) || above(from) || http(from)),
        ),
      ).to.deep.equal([]);
    });

    it('a view is pure: it asks no store, and awaits nothing', () => {
      const views = sources.filter(({ path }) => room(path) === 'views');
      const store = (from: string, { typeOnly }: Import): boolean =>
        room(from) === 'store' && !typeOnly;
      expect(
        offenders(views, (file) => [
          ...importsOf(file, store),
          ...(file.code.match(/\bawait\b/g) ?? []),
        ]),
      ).to.deep.equal([]);
    });

    it('a handler leaves writing to the domain', () => {
      const handlers = sources.filter(({ path }) => room(path) === 'handlers');
      const writes = ({ path, text }: File): string[] =>
        [...text.matchAll(/^import\s*\{([^}]*)\}\s*from\s+'([^']+)'/gm)]
          .filter(
            ([, , from]) => room(relative(root, join(root, dirname(path), from!))) === 'store',
          )
          .flatMap(([, names]) => names!.split(',').map((name) => name.trim()))
          .filter((name) =>
            /^(insert|update|delete|remove|write|replace|set|put|ensure|drop)[A-Z]/.test(name),
          );
      expect(offenders(handlers, writes)).to.deep.equal([]);
    });

    it('a store knows nothing above it but records', () => {
      const stores = sources.filter(({ path }) => room(path) === 'store');
      const above = (from: string, { typeOnly }: Import): boolean =>
        ['handlers', 'views', 'routes', 'steps'].includes(room(from) ?? '') ||
        (room(from) === 'domain' && !typeOnly);
      const values = offenders(stores, (file) => importsOf(file, above));
      expect(
        values.filter(
          (one) => !/\/(model|domain\/(standard-classes|standard-traits))\.ts$/.test(one),
        ),
      ).to.deep.equal([]);
    });

    it('the kernel knows no service', () => {
      const kernel = sources.filter(({ path }) => path.startsWith('src/kernel/'));
      const outside = (from: string): boolean =>
        from.startsWith('src/') && !from.startsWith('src/kernel/');
      expect(offenders(kernel, (file) => importsOf(file, outside))).to.deep.equal([]);
    });

    it("the emulator's own service stands on the kernel alone", () => {
      const own = sources.filter(({ path }) => path.startsWith('src/emulator/'));
      const outside = (from: string): boolean => /^src\/(?!kernel\/|emulator\/)/.test(from);
      expect(offenders(own, (file) => importsOf(file, outside))).to.deep.equal([]);
    });

    it('a service imports another in its neighbours only, and by its index', () => {
      const services = sources.filter(({ path }) => serviceOf(path) !== undefined);
      const past = offenders(services, ({ path, imports }) =>
        imports
          .map(({ from }) => from)
          .filter((from) => serviceOf(from) && serviceOf(from) !== serviceOf(path))
          .filter((from) => basename(from) !== 'index.ts' || room(path) !== 'clients'),
      );
      expect(past).to.deep.equal([]);
      const outside = sources.filter(({ path }) => serviceOf(path) === undefined);
      expect(
        offenders(outside, (file) =>
          importsOf(file, (from) => serviceOf(from) !== undefined && basename(from) !== 'index.ts'),
        ),
      ).to.deep.equal([]);
    });

    it('a neighbour is asked in a file of its name', () => {
      const neighbours = sources.filter(({ path }) => room(path) === 'clients');
      const others = ({ path, imports }: File): string[] =>
        imports
          .map(({ from }) => from)
          .filter(
            (from) =>
              serviceOf(from) &&
              serviceOf(from) !== serviceOf(path) &&
              `${serviceOf(from)}.ts` !== basename(path),
          );
      expect(offenders(neighbours, others)).to.deep.equal([]);
    });

    it('services ask downwards only', () => {
      const unknown = [...new Set(sources.flatMap(({ path }) => serviceOf(path) ?? []))].filter(
        (service) => service !== 'emulator' && floorOf(service) < 0,
      );
      expect(unknown, 'services without a floor').to.deep.equal([]);
      const upward = offenders(sources, ({ path, imports }) => {
        const own = serviceOf(path);
        if (own === undefined) return [];
        return imports
          .flatMap(({ from }) => serviceOf(from) ?? [])
          .filter((other) => other !== own && floorOf(other) >= floorOf(own));
      });
      expect(upward).to.deep.equal([]);
    });

    it('an index shows its card and its internal.ts, and nothing else', () => {
      const indexes = sources.filter(({ path }) => /^src\/services\/\w+\/index\.ts$/.test(path));
      const more = ({ text }: File): string[] =>
        (text.match(/^export .*$/gm) ?? []).filter(
          (line) =>
            !/^export (const \w+(: ServiceDefinition[< ]| = \()|\* from '\.\/internal\.ts')/.test(
              line,
            ) && !/authenticator/.test(line),
        );
      expect(offenders(indexes, more)).to.deep.equal([]);
      const doors = sources.filter(({ path }) => /^src\/services\/\w+\/internal\.ts$/.test(path));
      const stores = ({ text }: File): string[] =>
        text.match(/^export [^;]* from '\.\/store\/[^']+'/gm) ?? [];
      expect(offenders(doors, stores)).to.deep.equal([]);
    });

    it("Compute's domain has floors", () => {
      const upward = offenders(sources, ({ path, imports }) => {
        const own = computeFloors.findIndex((floor) => floor.includes(computeWing(path) ?? '-'));
        return imports
          .map(({ from }) => from)
          .filter(
            (from) =>
              own >= 0 &&
              computeFloors.findIndex((floor) => floor.includes(computeWing(from) ?? '-')) > own,
          );
      });
      expect(upward).to.deep.equal([]);
    });

    it('sources import no tests', () => {
      expect(
        offenders(sources, (file) => importsOf(file, (from) => /^(test|bench)\//.test(from))),
      ).to.deep.equal([]);
    });
  });

  it('on time and chance: only clock.ts knows the time, and only ids.ts draws', () => {
    const asks =
      /\bDate\.now\b|\bnew Date\(\)|\bset(?:Timeout|Interval|Immediate)\s*\(|\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b|\bperformance\.\w+/g;
    const others = sources.filter(
      ({ path }) => !['src/kernel/clock.ts', 'src/kernel/ids.ts'].includes(path),
    );
    expect(offenders(others, ({ code }) => code.match(asks) ?? [])).to.deep.equal([]);
  });

  it('on state: no variable of a module changes', () => {
    const changing = /^(?:export )?(?:let|var) .*$/gm;
    const holding = /^(?:export )?const \w+ = new (?:Map|Set|WeakMap)(?:<[^>]*>)?\(\);?$/gm;
    expect(
      offenders(sources, ({ code }) => [
        ...(code.match(changing) ?? []),
        ...(code.match(holding) ?? []),
      ]),
    ).to.deep.equal([]);
  });

  describe('on files', () => {
    it('each opens with a sentence that says what it is', () => {
      const opens = ({ text }: File): string[] => {
        const [first = ''] = text.replace(/^#!.*\n/, '').split('\n', 1);
        return /^\/\/ \S.*[.:,;]?$/.test(first) && first.length > 15 ? [] : [first];
      };
      expect(offenders(files, opens)).to.deep.equal([]);
    });

    it('are named in kebab-case', () => {
      const bad = files.filter(
        ({ path }) =>
          !path
            .split('/')
            .every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|d))?(\.ts)?$/.test(part)),
      );
      expect(bad.map(({ path }) => path)).to.deep.equal([]);
    });

    it('and what is in them have names that say something', () => {
      const empty =
        /\b(?:class|interface|type)\s+(\w*(?:Manager|Helper|Util|Utils)|I[A-Z][a-z]\w*Interface)\b/g;
      expect(offenders(files, ({ code }) => code.match(empty) ?? [])).to.deep.equal([]);
      const paths = files
        .map(({ path }) => path)
        .filter((path) => /manager|helper|util/i.test(basename(path)));
      expect(paths).to.deep.equal([]);
    });

    it('stand in folders that one can take in', () => {
      const folders = new Map<string, number>();
      for (const { path } of sources)
        folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
      expect(
        [...folders]
          .filter(([, count]) => count > 24)
          .map(([folder, count]) => `${folder}: ${count}`),
      ).to.deep.equal([]);
    });

    it('are no longer than one can take in', () => {
      const lines = ({ code }: File): number =>
        code.split('\n').filter((line) => line.trim()).length;
      const long = files.filter(
        (file) =>
          lines(file) > (file.path.startsWith('test/') ? 500 : 400) &&
          !longOnes.includes(file.path),
      );
      expect(long.map((file) => `${file.path}: ${lines(file)}`)).to.deep.equal([]);
      const short = longOnes.filter(
        (path) =>
          !files.some(
            (file) =>
              file.path === path && lines(file) > (file.path.startsWith('test/') ? 500 : 400),
          ),
      );
      expect(short, 'no longer need an exception').to.deep.equal([]);
    });
  });
});

/** Where libraries are loaded when they are first needed; nothing else of them is known there. */
const lazyOnly: readonly string[] = ['src/kernel/lazy.ts: mysql2/promise'];

/** What may be longer: lists that are better read in one go. */
const longOnes: readonly string[] = [];
