// The configuration of a cloud from options and environment variables, checked.
import { optionName, type OptionDeclaration } from './kernel/options.ts';
import { badRegionName } from './kernel/regions.ts';
import { defaultPassword, kernelOptions, openHosts, type Config } from './kernel/settings.ts';
import { ownDefinitions } from './services/index.ts';

/** An option with the field of the configuration that it sets. */
interface ConfigOption {
  readonly field: string;
  readonly declaration: OptionDeclaration;
}

/** The options of a cloud: those of the kernel, then those of each service and of the emulator. */
export const configOptions: readonly ConfigOption[] = [
  { group: '', options: kernelOptions },
  ...ownDefinitions.map(({ description, options = {} }) => ({ group: description, options })),
].flatMap(({ group, options }) =>
  Object.entries<OptionDeclaration>(options).map(([field, declaration]) => ({
    field,
    declaration: { group, ...declaration },
  })),
);

/** The complete configuration of a cloud: fields that are not given have their defaults. */
export function configOf(fields: Partial<Config> = {}): Config {
  const defaults = configOptions.map(({ field, declaration }) => [
    field,
    declaration.defaultFor?.(fields) ?? declaration.default,
  ]);
  return Object.freeze({ ...Object.fromEntries(defaults), ...fields } as Config);
}

/**
 * Checks options, by their names such as `corsOrigin`.
 * @throws Error with the next step if options contradict each other
 */
export function configFrom(values: Record<string, unknown>): Config {
  const given: Record<string, unknown> = {};
  const implied: Record<string, unknown> = {};
  for (const { field, declaration } of configOptions) {
    const value = values[attributeOf(declaration)];
    if (value === undefined) continue;
    given[field] = value;
    const follows = declaration.implies?.(value) ?? {};
    refuseContradiction(declaration, follows, values);
    Object.assign(implied, follows);
  }
  const config = configOf({ ...withRegions(given), ...implied });
  if (!config.adminPassword)
    throw new Error(
      'The admin password is empty. Set one with --admin-password <password> or ' +
        'CUMULET_ADMIN_PASSWORD.',
    );
  guardAccess(config);
  return config;
}

/** The name of an option in camel case, such as `corsOrigin`, as commander has it too. */
export const attributeOf = (declaration: Pick<OptionDeclaration, 'flag'>): string =>
  optionName(declaration).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** @throws Error if a field that follows from an option is given as well */
function refuseContradiction(
  declaration: OptionDeclaration,
  follows: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
): void {
  const names = configOptions
    .filter(({ field, declaration: other }) => field in follows && attributeOf(other) in values)
    .map(({ declaration: other }) => `--${optionName(other)}`);
  if (names.length)
    throw new Error(
      `--${optionName(declaration)} already sets ${names.join(' and ')}. Leave ` +
        `${names.length > 1 ? 'them' : 'it'} out.`,
    );
}

/**
 * Checks the names of regions. A cloud with a central region that `regions` does not list gets that
 * region too.
 * @throws Error if a name is not valid or occurs twice
 */
function withRegions(given: Partial<Config>): Partial<Config> {
  const { regions = [], centralRegion } = given;
  const all =
    centralRegion === undefined || regions.includes(centralRegion)
      ? regions
      : [centralRegion, ...(regions.length ? regions : ['RegionOne'])];
  const problem = all.map(badRegionName).find(Boolean);
  if (problem !== undefined) throw new Error(problem);
  if (new Set(all.map((name) => name.toLowerCase())).size < all.length)
    throw new Error('Two regions have the same name. Give each region a different name.');
  return { ...given, regions: all };
}

/** Refuses to serve others with the default password, or without passwords. */
function guardAccess(config: Config): void {
  const [host] = openHosts(config);
  if (host !== undefined && config.auth === 'noauth2')
    throw new Error(
      'With --auth noauth2 every client is an administrator, so the emulator cannot listen ' +
        `on ${host} for other machines. Leave out --host ${host} or --auth noauth2.`,
    );
  if (host !== undefined && config.adminPassword === defaultPassword)
    throw new Error(
      `Other machines can reach ${host}, and the default password is public. Set another ` +
        'one with --admin-password <password> or CUMULET_ADMIN_PASSWORD.',
    );
  if (!config.corsOrigin.includes('*')) return;
  if (config.auth === 'noauth2')
    throw new Error(
      'With --auth noauth2 every client is an administrator, so the pages of all sites cannot be ' +
        'allowed. Name the origins of your pages in --cors-origin, or leave out --auth noauth2.',
    );
  if (config.adminPassword === defaultPassword)
    throw new Error(
      "With --cors-origin '*' the pages of all sites can call the cloud, and the default password " +
        'is public. Name the origins of your pages in --cors-origin, or set another password with ' +
        '--admin-password <password> or CUMULET_ADMIN_PASSWORD.',
    );
}
