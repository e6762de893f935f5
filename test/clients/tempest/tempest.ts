// Declares suites of tempest, OpenStack's own integration tests, against a started server.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { declare, type Suite } from '../suites/declare.ts';
import { prepare, prepareClustering } from './prepare.ts';

/** The content of `tempest.yaml` and `clustering.yaml`. */
export interface Plan {
  /** Flags of the emulator. */
  readonly flags: readonly string[];
  readonly movesClock?: boolean;
  /** Sections and options of tempest.conf. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Declares the tests of these packages of tempest, with their own emulator. */
export const declareTempest = (...packages: readonly string[]): void =>
  declarePlan({
    title: 'tempest',
    plan: readPlan(here('tempest.yaml')),
    exceptions: [here('exceptions.yaml')],
    packages,
    prepare,
  });

/**
 * Declares the tests of these packages of tempest against the gateways of a central region. Its
 * services answer below the name of the region.
 */
export function declareTempestAtCentre(exceptions: URL, ...packages: readonly string[]): void {
  const region = 'CentralRegion';
  const { config, ...plan } = readPlan(here('tempest.yaml'));
  declarePlan({
    title: 'tempest in the central region',
    plan: {
      ...plan,
      flags: [...plan.flags, '--profile', 'six-pods'],
      config: { ...config, identity: { ...config['identity'], region } },
    },
    exceptions: [here('exceptions.yaml'), exceptions],
    packages,
    prepare: (origin) => prepare(origin, `/${region}`),
  });
}

/** Declares the tests of these packages of tempest's plugin for Clustering. */
export const declareClustering = (...packages: readonly string[]): void =>
  declarePlan({
    title: 'tempest of Clustering',
    plan: readPlan(here('clustering.yaml')),
    exceptions: [here('clustering-exceptions.yaml')],
    packages,
    prepare: prepareClustering,
  });

/**
 * Declares the tests of these packages of the plugin with which tempest tests a service.
 * @param own the exceptions, without which all tests must pass, and what else prepares the cloud
 */
export function declarePlugin(
  service: string,
  packages: readonly string[],
  own: Partial<Pick<Planned, 'exceptions' | 'prepare'>> = {},
): void {
  const { config, ...plan } = readPlan(here('tempest.yaml'));
  const ofPlugins = readPlan(here('plugins.yaml')).config;
  const sections = new Set([...Object.keys(config), ...Object.keys(ofPlugins)]);
  declarePlan({
    title: `tempest's plugin for ${service}`,
    distribution: `${service}-tempest-plugin`,
    inside: `${service}_tempest_plugin`,
    plan: {
      ...plan,
      config: Object.fromEntries(
        [...sections].map((name) => [name, { ...config[name], ...ofPlugins[name] }]),
      ),
    },
    packages: packages.map((name) => `${service}_tempest_plugin.${name}`),
    prepare,
    ...own,
  });
}

const here = (name: string): URL => new URL(name, import.meta.url);

/** Reads a file that configures tempest. */
export const readPlan = (file: URL): Plan => parse(readFileSync(file, 'utf8')) as Plan;

/** A suite with a plan, which configures tempest. */
interface Planned extends Omit<Suite, 'distribution' | 'inside' | 'flags' | 'configure'> {
  readonly plan: Plan;
  /** The distribution of a plugin, and its package; by default those of tempest. */
  readonly distribution?: string;
  readonly inside?: string;
  /** Prepares the cloud at this address. @returns the names that the configuration refers to */
  readonly prepare: (origin: string) => Promise<Readonly<Record<string, string>>>;
}

/** Declares tests of tempest or of one of its plugins. */
export function declarePlan({ plan, prepare: names, ...suite }: Planned): void {
  const { config, ...rest } = plan;
  declare({
    distribution: 'tempest',
    inside: 'tempest',
    ...rest,
    ...suite,
    async configure(origin) {
      const files = {
        'tempest.conf': written(config, await names(origin)),
        'image.img': 'x'.repeat(1024),
      };
      return {
        files,
        environment: {
          TEMPEST_CONFIG_DIR: '${folder}',
          TEMPEST_CONFIG: 'tempest.conf',
          ORIGIN: origin,
        },
      };
    },
  });
}

/** Renders the configuration as a file, with names such as `${origin}` filled in. */
function written(config: Plan['config'], names: Readonly<Record<string, string>>): string {
  const sections = Object.entries(config).map(([section, options]) => {
    const lines = Object.entries(options).map(([name, value]) => `${name} = ${String(value)}`);
    return [`[${section}]`, ...lines, ''].join('\n');
  });
  return sections
    .join('\n')
    .replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole);
}
