// Checks the layers: which file may import which, and where SQL, HTTP, the time and chance belong.
import { basename, dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '../../src/kernel/package-root.ts';
import { codeOf, readTree, type TextFile } from './tree.ts';

interface Import {
  /** A package, or a path from the root of the repository. */
  readonly from: string;
  readonly typeOnly: boolean;
}

interface Module extends TextFile {
  readonly imports: readonly Import[];
}

const root = packageRoot();
const isOfPage = ({ path }: TextFile): boolean => path.startsWith('src/page/');
const all: readonly Module[] = readTree(['src', 'migrations'], /\.tsx?$/).map((file) => ({
  ...file,
  imports: importsOf(file),
}));
const modules = all.filter((file) => !isOfPage(file));

/** The page runs in a browser, and knows the emulator by its API only. */
const pageModules = all.filter(isOfPage);

function importsOf({ path, text }: TextFile): Import[] {
  const statements = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'/gm),
  ].map(([statement, typeOnly, from]) => ({
    from: from!.startsWith('.') ? relative(root, join(root, dirname(path), from!)) : from!,
    typeOnly: typeOnly !== undefined || /^\w+\s*\{(?:\s*type\s[^,}]+,?)+\s*\}/.test(statement),
  }));
  const dynamic = [...text.matchAll(/\b(?:import|require)\('([^'.][^']*)'\)/g)]
    .filter((match) => !/typeof\s+$/.test(text.slice(0, match.index)))
    .map(([, from]) => ({ from: from!, typeOnly: false }));
  return [...statements, ...dynamic];
}

/** The imports that break a rule, as `file -> import`. */
const violations = (
  from: readonly Module[],
  breaks: (one: Import, file: Module) => boolean,
): string[] =>
  from.flatMap((file) =>
    file.imports.filter((one) => breaks(one, file)).map((one) => `${file.path} -> ${one.from}`),
  );

const isPackage =
  (...names: readonly string[]) =>
  ({ from }: Import): boolean =>
    names.some((name) => from === name || from.startsWith(`${name}/`));

const serviceOf = (path: string): string | undefined => /^src\/services\/(\w+)\//.exec(path)?.[1];

/** The folder or file of a service that a path is in: `handlers`, `store`, `model.ts`. */
const partOf = (path: string): string | undefined => /^src\/services\/\w+\/([^/]+)/.exec(path)?.[1];

const inPart = (part: string): readonly Module[] =>
  modules.filter(({ path }) => partOf(path) === part);

/** The layers from top to bottom. A file imports from its own layer and from those below it. */
const layers: readonly RegExp[] = [
  /^src\/(?:cli|library)\//,
  /^src\/(?:cloud|config|config-file|server)\.ts$/,
  /^src\/services\//,
  /^src\/emulator\//,
  /^(?:src\/(?:kernel|stories)|migrations)\//,
];

const layerOf = (path: string): number => layers.findIndex((layer) => layer.test(path));

/** The kernel's folders from top to bottom; its own files hold the types and basic functions. */
const kernelFolders = ['http', 'jobs', 'auth', 'contract', 'oslo', 'tls', 'db'];

/** The services from bottom to top. A service calls those below it. */
const serviceLayers: readonly (readonly string[])[] = [
  ['identity', 'placement'],
  ['image'],
  ['network'],
  ['volume'],
  ['compute'],
  ['reservation', 'clustering'],
  ['tricircle'],
  ['gateway'],
];

const serviceLayerOf = (service: string): number =>
  serviceLayers.findIndex((layer) => layer.includes(service));

/** The folders of Compute's domain from bottom to top; `.` is the domain's own files. */
const computeDomain: readonly (readonly string[])[] = [
  ['.'],
  ['hosts', 'servers'],
  ['scheduler'],
  ['moves'],
  ['lifecycle'],
];

const computeDomainLayerOf = (path: string): number => {
  const [, rest] = /^src\/services\/compute\/domain\/(.+)$/.exec(path) ?? [];
  const folder = rest === undefined ? '-' : rest.includes('/') ? rest.split('/')[0]! : '.';
  return computeDomain.findIndex((layer) => layer.includes(folder));
};

describe('layers', () => {
  it('cover every source file', () => {
    expect(modules.length).to.be.greaterThan(500);
    expect(modules.flatMap(({ imports }) => imports).length).to.be.greaterThan(2000);
    expect(modules.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path)).to.deep.equal(
      [],
    );
  });

  it('import downwards only: cli and library, cloud, services, emulator, kernel', () => {
    const upwards = violations(
      modules,
      ({ from }, { path }) => layerOf(from) >= 0 && layerOf(from) < layerOf(path),
    );
    const migrations = upwards.filter((one) => !one.startsWith('migrations/'));
    expect(migrations).to.deep.equal([]);
  });

  it('keep the command line and the library apart', () => {
    const apart = violations(
      modules,
      ({ from }, { path }) =>
        [path, from].every((one) => /^src\/(?:cli|library)\//.test(one)) &&
        path.split('/')[1] !== from.split('/')[1],
    );
    expect(apart).to.deep.equal([]);
  });

  it('keep the emulator free of services, and the kernel free of both', () => {
    const below = modules.filter(({ path }) => /^src\/(?:emulator|kernel)\//.test(path));
    expect(violations(below, ({ from }) => serviceOf(from) !== undefined)).to.deep.equal([]);
  });

  it('import downwards between the folders of the kernel', () => {
    const folderOf = (path: string): number =>
      kernelFolders.indexOf(/^src\/kernel\/(\w+)\//.exec(path)?.[1] ?? '');
    const inFolders = modules.filter(({ path }) => folderOf(path) >= 0);
    const upwards = violations(
      inFolders,
      ({ from }, { path }) => folderOf(from) >= 0 && folderOf(from) < folderOf(path),
    );
    expect(upwards).to.deep.equal([]);
  });

  it('let a service import another one through its index, in its clients folder', () => {
    const foreign = violations(modules, ({ from }, { path }) => {
      const other = serviceOf(from);
      if (other === undefined || other === serviceOf(path)) return false;
      if (basename(from) !== 'index.ts') return true;
      return serviceOf(path) !== undefined && partOf(path) !== 'clients';
    });
    expect(foreign).to.deep.equal([]);
  });

  it('keep one client file for each service that is called, with its name', () => {
    const misnamed = violations(inPart('clients'), ({ from }, { path }) => {
      const other = serviceOf(from);
      return other !== undefined && other !== serviceOf(path) && `${other}.ts` !== basename(path);
    });
    expect(misnamed).to.deep.equal([]);
  });

  it('let a service call only services below it', () => {
    const services = [...new Set(modules.flatMap(({ path }) => serviceOf(path) ?? []))];
    expect(services.filter((service) => serviceLayerOf(service) < 0)).to.deep.equal([]);
    const upwards = violations(modules, ({ from }, { path }) => {
      const [own, other] = [serviceOf(path), serviceOf(from)];
      if (own === undefined || other === undefined || own === other) return false;
      return serviceLayerOf(other) >= serviceLayerOf(own);
    });
    expect(upwards).to.deep.equal([]);
  });

  it("import downwards between the folders of Compute's domain", () => {
    const upwards = violations(
      modules.filter(({ path }) => computeDomainLayerOf(path) >= 0),
      ({ from }, { path }) => computeDomainLayerOf(from) > computeDomainLayerOf(path),
    );
    expect(upwards).to.deep.equal([]);
  });

  it('keep the page and the emulator apart, but for the stories, which need neither', () => {
    expect(pageModules.length).to.be.greaterThan(20);
    const stories = modules.filter(({ path }) => path.startsWith('src/stories/'));
    const foreign = [
      ...violations(pageModules, ({ from }) => /^(?:src\/(?!page|stories)|node:)/.test(from)),
      ...violations(stories, ({ from }) => !from.startsWith('src/stories/')),
    ];
    const used = violations(modules, ({ from }) => from.startsWith('src/page/'));
    expect([...foreign, ...used]).to.deep.equal([]);
  });

  it('let the views of the page import its core and parts, and no view of another', () => {
    const viewOf = (path: string): string | undefined => /^src\/page\/views\/(\w+)/.exec(path)?.[1];
    const upwards = violations(pageModules, ({ from }, { path }) => {
      if (/^src\/page\/(?:core|parts)\//.test(path))
        return /^src\/page\/(?:views|shell)\//.test(from);
      return viewOf(path) !== undefined && (viewOf(from) ?? viewOf(path)) !== viewOf(path);
    });
    expect(upwards).to.deep.equal([]);
  });

  it('keep tests out of the sources', () => {
    expect(violations(modules, ({ from }) => /^(?:test|bench)\//.test(from))).to.deep.equal([]);
  });
});

describe('parts of a service', () => {
  it('use Knex in stores, migrations, the kernel and the stores of the emulator only', () => {
    const others = modules.filter(
      ({ path }) =>
        !/^(?:src\/kernel\/db\/|migrations\/)/.test(path) &&
        !/^src\/emulator\/.*\bstore\b/.test(path) &&
        partOf(path) !== 'store',
    );
    expect(violations(others, isPackage('knex', 'mysql2'))).to.deep.equal(lazilyLoaded);
  });

  it('use Express in the HTTP layer of the kernel only', () => {
    const others = modules.filter(({ path }) => !path.startsWith('src/kernel/http/'));
    const express = isPackage('express', 'cors', 'express-openapi-validator');
    const found = violations(others, (one) => !one.typeOnly && express(one));
    expect(found.filter((one) => !one.startsWith('src/kernel/lazy.ts '))).to.deep.equal([]);
  });

  it('keep HTTP, SQL and everything above it out of a domain', () => {
    const forbidden = isPackage('knex', 'express', 'mysql2', 'node:http');
    const above = ['handlers', 'views', 'routes', 'routes.ts', 'steps.ts'];
    const found = violations(
      inPart('domain'),
      (one) =>
        forbidden(one) ||
        above.includes(partOf(one.from) ?? '') ||
        one.from.startsWith('src/kernel/http/'),
    );
    expect(found).to.deep.equal([]);
  });

  it('keep views pure: no store, no await', () => {
    const stores = violations(
      inPart('views'),
      ({ from, typeOnly }) => partOf(from) === 'store' && !typeOnly,
    );
    const waiting = inPart('views').filter(({ text }) => /\bawait\b/.test(codeOf(text)));
    expect([...stores, ...waiting.map(({ path }) => path)]).to.deep.equal([]);
  });

  it('leave writing to the domain: handlers import no store function that writes', () => {
    const writes = /^(?:insert|update|delete|remove|write|replace|set|put|ensure|drop)[A-Z]/;
    const found = inPart('handlers').flatMap(({ path, text }) =>
      [...text.matchAll(/^import\s*\{([^}]*)\}\s*from\s+'([^']*\/store\/[^']*)'/gm)]
        .flatMap(([, names]) => names!.split(',').map((name) => name.trim()))
        .filter((name) => writes.test(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('let a store import the model of its service, and nothing else above it', () => {
    const above = ['handlers', 'views', 'routes', 'routes.ts', 'steps.ts', 'domain', 'clients'];
    const found = violations(inPart('store'), ({ from }) => above.includes(partOf(from) ?? ''));
    expect(found).to.deep.equal([]);
  });

  it('export the definition and internal.ts from index.ts, and nothing else', () => {
    const indexes = modules.filter(({ path }) => /^src\/services\/\w+\/index\.ts$/.test(path));
    const allowed =
      /^export (?:const \w+(?:: ServiceDefinition[< ]| = \()|\* from '\.\/internal\.ts'|type )/;
    const more = indexes.flatMap(({ path, text }) =>
      (text.match(/^export .*$/gm) ?? [])
        .filter((line) => !allowed.test(line) && !/authenticator/.test(line))
        .map((line) => `${path}: ${line}`),
    );
    expect(more).to.deep.equal([]);
  });
});

describe('state, time and chance', () => {
  it('read the clock in clock.ts and draw random numbers in ids.ts only', () => {
    const impure = new RegExp(
      [
        /\bDate\.now\b|\bnew Date\(\)|\bperformance\.\w+/,
        /(?<!\bsocket\.)\bset(?:Timeout|Interval|Immediate)\s*\(/,
        /\bMath\.random\b|\brandom(?:UUID|Bytes|Int)\b/,
      ]
        .map(({ source }) => source)
        .join('|'),
      'g',
    );
    const others = modules.filter(
      ({ path }) => !['src/kernel/clock.ts', 'src/kernel/ids.ts'].includes(path),
    );
    const found = others.flatMap(({ path, text }) =>
      (codeOf(text).match(impure) ?? []).map((call) => `${path}: ${call}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('read the time of the browser in timers.ts only', () => {
    const impure = /\bDate\.now\b|\bset(?:Timeout|Interval)\s*\(|\bMath\.random\b|\bperformance\./g;
    const found = pageModules
      .filter(({ path }) => path !== 'src/page/core/timers.ts')
      .flatMap(({ path, text }) =>
        (codeOf(text).match(impure) ?? []).map((one) => `${path}: ${one}`),
      );
    expect(found).to.deep.equal([]);
  });

  it('keep no mutable variable at module level', () => {
    const mutable =
      /^(?:export )?(?:(?:let|var) .*|const \w+ = new (?:Map|Set|WeakMap)(?:<[^>]*>)?\(\);?)$/gm;
    const found = modules.flatMap(({ path, text }) =>
      (codeOf(text).match(mutable) ?? []).map((line) => `${path}: ${line}`),
    );
    expect(found).to.deep.equal([]);
  });
});

/** Libraries that are loaded at first use are imported in one file. */
const lazilyLoaded: readonly string[] = ['src/kernel/lazy.ts -> mysql2/promise'];
