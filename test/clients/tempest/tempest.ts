// Tempest, OpenStack's own integration tests, against a started server.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { declare } from '../suites/declare.ts';
import { prepare, prepareClustering } from './prepare.ts';

/** What `tempest.yaml` and `clustering.yaml` say. */
interface Plan {
  /** Of the emulator. */
  readonly flags: readonly string[];
  readonly movesClock?: boolean;
  /** Sections and options of tempest.conf. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Declares the tests of these packages of tempest, with an emulator of their own. */
export const declareTempest = (...packages: readonly string[]): void =>
  declarePlan('tempest', 'tempest.yaml', 'exceptions.yaml', packages, prepare);

/** Declares the tests of these packages of tempest's plugin for Clustering. */
export const declareClustering = (...packages: readonly string[]): void =>
  declarePlan('tempest of Clustering', 'clustering.yaml', 'clustering-exceptions.yaml', packages, prepareClustering);

function declarePlan(
  title: string,
  planFile: string,
  exceptions: string,
  packages: readonly string[],
  names: (origin: string) => Promise<Record<string, string>>,
): void {
  const { config, ...plan } = parse(readFileSync(new URL(planFile, import.meta.url), 'utf8')) as Plan;
  declare({
    title,
    distribution: 'tempest',
    inside: 'tempest',
    packages,
    exceptions: new URL(exceptions, import.meta.url),
    ...plan,
    async configure(origin) {
      const files = { 'tempest.conf': written(config, await names(origin)), 'image.img': 'x'.repeat(1024) };
      return { files, environment: { TEMPEST_CONFIG_DIR: '${folder}', TEMPEST_CONFIG: 'tempest.conf' } };
    },
  });
}

/** The configuration as a file, with names such as `${origin}` filled in. */
function written(config: Plan['config'], names: Readonly<Record<string, string>>): string {
  const sections = Object.entries(config).map(([section, options]) => {
    const lines = Object.entries(options).map(([name, value]) => `${name} = ${String(value)}`);
    return [`[${section}]`, ...lines, ''].join('\n');
  });
  return sections.join('\n').replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
}
