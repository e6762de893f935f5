// The configuration of a domain. It is stored and shown but has no effect, because only one driver
// exists. Upstream: resource/core.py.
import { forbidden, notFound, type ApiError } from '../../../../kernel/errors.ts';
import {
  deleteDomainOptions,
  listDomainOptions,
  writeDomainOptions,
} from '../../store/resource/domain-configs.ts';
import type { DomainOption } from '../../model.ts';
import { readable, sensitive, type OptionValues } from './domain-options.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import { loadSettings } from '../settings.ts';

/** Options by group. */
export type DomainConfig = Readonly<Record<string, OptionValues>>;

/** The part of a configuration that a path names: all of it, a group, or an option of a group. */
export interface ConfigPart {
  readonly group?: string | undefined;
  readonly option?: string | undefined;
}

const invalid = (reason: string): ApiError =>
  forbidden(`Invalid domain specific configuration: ${reason}.`);

const isSensitive = (group: string, option: string): boolean =>
  sensitive[group]?.includes(option) ?? false;

/** Replaces the configuration of a domain. @throws 403 */
export async function replaceConfig(
  { db }: Context,
  domainId: string,
  given: unknown,
): Promise<{ config: object; isNew: boolean }> {
  const config = checkedConfig(given);
  const before = await listDomainOptions(db, domainId);
  await deleteDomainOptions(db, domainId);
  await writeDomainOptions(db, domainId, optionsOf(config));
  return { config: await wholeConfig(db, domainId), isNew: !before.length };
}

/** The configuration of a domain, or a part of it, without sensitive options. @throws 403, 404 */
export async function showConfig(
  { db }: Context,
  domainId: string,
  part: ConfigPart,
): Promise<object> {
  checkPart(part);
  const options = visibleOptions(await listDomainOptions(db, domainId, part));
  if (!options.length) throw partNotFound(domainId, part);
  return configOf(options, part);
}

/**
 * Updates options, and returns the whole configuration. A part that the path names must exist.
 * @throws 403, 404
 */
export async function updateConfig(
  { db }: Context,
  domainId: string,
  part: ConfigPart,
  given: unknown,
): Promise<object> {
  const config = checkedChange(given, part);
  if (part.group !== undefined && !(await listDomainOptions(db, domainId, part)).length)
    throw partNotFound(domainId, part);
  await writeDomainOptions(db, domainId, optionsOf(config));
  return wholeConfig(db, domainId);
}

/** Deletes the configuration of a domain, or a part of it, which must exist. @throws 403, 404 */
export async function deleteConfig(
  { db }: Context,
  domainId: string,
  part: ConfigPart,
): Promise<void> {
  checkPart(part);
  const { group, option } = part;
  if (group !== undefined) {
    const options = await listDomainOptions(db, domainId, { group });
    if (!options.length) throw partNotFound(domainId, { group });
    if (option !== undefined && !options.some((stored) => stored.option === option))
      throw partNotFound(domainId, part);
  }
  await deleteDomainOptions(db, domainId, group, option);
}

const wholeConfig = async (db: Db, domainId: string): Promise<object> =>
  configOf(visibleOptions(await listDomainOptions(db, domainId)));

/** @throws 403 for an unsupported group or option */
function checkPart({ group, option }: ConfigPart): void {
  if (group === undefined) return;
  if (!Object.hasOwn(readable, group))
    throw invalid(`Group ${group} is not supported for domain specific configurations`);
  if (option === undefined || Object.hasOwn(readable[group]!, option) || isSensitive(group, option))
    return;
  throw invalid(
    `Option ${option} in group ${group} is not supported for domain specific configurations`,
  );
}

/** The configuration in a request. @throws 403 if it is not valid */
function checkedConfig(given: unknown): DomainConfig {
  const groups = Object.entries((given ?? {}) as Record<string, unknown>);
  if (!groups.length) throw invalid('No options specified');
  for (const [group, options] of groups) {
    if (
      typeof options !== 'object' ||
      options === null ||
      Array.isArray(options) ||
      !Object.keys(options).length
    ) {
      throw invalid(
        `The value of group ${group} specified in the config should be a dictionary of options`,
      );
    }
    for (const option of Object.keys(options)) checkPart({ group, option });
  }
  return given as DomainConfig;
}

/** The change in a request: any options, or exactly the part that the path names. @throws 403 */
function checkedChange(given: unknown, part: ConfigPart): DomainConfig {
  const { group, option } = part;
  const config = checkedConfig(
    group !== undefined && option !== undefined ? { [group]: given } : given,
  );
  checkPart(part);
  if (group === undefined) return config;
  const groups = Object.keys(config);
  const options = Object.keys(config[group] ?? {});
  if (groups.length !== 1 || (option !== undefined && options.length !== 1))
    throw invalid(singlePartMessage(group, option));
  if (groups[0] !== group) {
    throw invalid(
      `request to update group ${group}, but config provided contains group ${groups[0]} instead`,
    );
  }
  if (option !== undefined && options[0] !== option) {
    throw invalid(
      `Trying to update option ${option} in group ${group}, but config provided ` +
        `contains option ${options[0]} instead`,
    );
  }
  return config;
}

const singlePartMessage = (group: string, option: string | undefined): string =>
  option === undefined
    ? `Trying to update group ${group}, so that, and only that, group must be ` +
      'specified in the config'
    : `Trying to update option ${option} in group ${group}, so that, and only that, ` +
      'option must be specified  in the config';

/** The error for a part that the configuration of the domain lacks. */
function partNotFound(domainId: string, { group, option }: ConfigPart): ApiError {
  const inGroup = option === undefined ? `group ${group}` : `option ${option} in group ${group}`;
  const what = group === undefined ? 'any options' : inGroup;
  return notFound(`Could not find ${what} in domain configuration for domain ${domainId}.`);
}

/** The options of a configuration in the form in which they are stored. */
const optionsOf = (config: DomainConfig): DomainOption[] =>
  Object.entries(config).flatMap(([group, options]) =>
    Object.entries(options).map(([option, value]) => ({ group, option, value })),
  );

/** The options that are not sensitive. */
const visibleOptions = (options: readonly DomainOption[]): DomainOption[] =>
  options.filter(({ group, option }) => !isSensitive(group, option));

/** The options by group; the option alone if the part is an option. */
function configOf(options: readonly DomainOption[], part: ConfigPart = {}): object {
  if (part.option !== undefined)
    return Object.fromEntries(options.map(({ option, value }) => [option, value]));
  const groups = [...new Set(options.map(({ group }) => group))];
  const entriesIn = (group: string) =>
    options.filter((entry) => entry.group === group).map(({ option, value }) => [option, value]);
  return Object.fromEntries(
    groups.map((group) => [group, Object.fromEntries(entriesIn(group)) as object]),
  );
}

/** The defaults of all options, or of a part. @throws 403 for unsupported or sensitive options */
export function defaultConfig(part: ConfigPart): object {
  checkPart(part);
  const { group, option } = part;
  if (group !== undefined && option !== undefined && isSensitive(group, option)) {
    throw invalid(`Reading the default for option ${option} in group ${group} is not supported`);
  }
  const isInPart = (entry: DomainOption): boolean =>
    (group === undefined || entry.group === group) &&
    (option === undefined || entry.option === option);
  return configOf(optionsOf(readable).filter(isInPart), part);
}

const complianceOptions = ['password_regex', 'password_regex_description'];

/**
 * The password requirements of the settings.
 * @throws 403 for any domain but the default one, and for other options
 */
export async function complianceConfig(
  { db }: Context,
  domainId: string,
  option: string | undefined,
): Promise<object> {
  if (domainId !== 'default') {
    throw invalid(
      'Reading security compliance information for any domain other than the default ' +
        'domain is not allowed or supported.',
    );
  }
  if (option !== undefined && !complianceOptions.includes(option)) {
    throw invalid(
      'Reading security compliance values other than password_regex and ' +
        'password_regex_description is not allowed.',
    );
  }
  const { passwordRegex, passwordRegexDescription } = await loadSettings({ db });
  const values: Readonly<Record<string, string | null>> = {
    password_regex: passwordRegex,
    password_regex_description: passwordRegexDescription,
  };
  return option === undefined ? { security_compliance: values } : { [option]: values[option] };
}
