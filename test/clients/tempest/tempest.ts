// Tempest, OpenStack's own integration tests, against a started server. How it is configured is in `tempest.yaml`.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { declare } from '../suites/declare.ts';
import { prepare } from './prepare.ts';

/** What `tempest.yaml` says. */
interface Plan {
  /** Of the emulator. */
  readonly flags: readonly string[];
  /** Sections and options of tempest.conf. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Declares the tests of these packages of tempest, with an emulator of their own. */
export function declareTempest(...packages: readonly string[]): void {
  const { flags, config } = parse(readFileSync(new URL('tempest.yaml', import.meta.url), 'utf8')) as Plan;
  declare({
    title: 'tempest',
    distribution: 'tempest',
    inside: 'tempest',
    packages,
    exceptions: new URL('exceptions.yaml', import.meta.url),
    flags,
    async configure(origin) {
      const names = await prepare(origin);
      const files = { 'tempest.conf': written(config, names), 'image.img': 'x'.repeat(1024) };
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
