// The rules for the configuration of a domain. Nothing here heeds it: there is no other driver than the one. Upstream: resource/core.py.
import { forbidden, notFound, type Fault } from '../../../../kernel/fault.ts';
import type { DomainOption } from '../../store/resource/domain-configs.ts';
import { readable, sensitive, type OptionValues } from './domain-options.ts';

/** Options by group. */
export type DomainConfig = Readonly<Record<string, OptionValues>>;

/** The part of a configuration that a path names. */
export interface Part {
  readonly group?: string | undefined;
  readonly option?: string | undefined;
}

const invalid = (reason: string): Fault => forbidden(`Invalid domain specific configuration: ${reason}.`);

const isSensitive = (group: string, option: string): boolean => sensitive[group]?.includes(option) ?? false;

/** @throws 403 for a group or an option that there is not */
export function checkPart({ group, option }: Part): void {
  if (group === undefined) return;
  if (!Object.hasOwn(readable, group)) throw invalid(`Group ${group} is not supported for domain specific configurations`);
  if (option === undefined || Object.hasOwn(readable[group]!, option) || isSensitive(group, option)) return;
  throw invalid(`Option ${option} in group ${group} is not supported for domain specific configurations`);
}

/** The configuration that a body asks for. @throws 403 where it is none */
export function checkedConfig(asked: unknown): DomainConfig {
  const groups = Object.entries((asked ?? {}) as Record<string, unknown>);
  if (!groups.length) throw invalid('No options specified');
  for (const [group, options] of groups) {
    if (typeof options !== 'object' || options === null || Array.isArray(options) || !Object.keys(options).length) {
      throw invalid(`The value of group ${group} specified in the config should be a dictionary of options`);
    }
    for (const option of Object.keys(options)) checkPart({ group, option });
  }
  return asked as DomainConfig;
}

/** What a body asks to change: all that it says, or exactly the part that the path names. @throws 403 */
export function checkedChange(asked: unknown, part: Part): DomainConfig {
  const { group, option } = part;
  const config = checkedConfig(group !== undefined && option !== undefined ? { [group]: asked } : asked);
  checkPart(part);
  if (group === undefined) return config;
  const groups = Object.keys(config);
  const options = Object.keys(config[group] ?? {});
  if (groups.length !== 1 || (option !== undefined && options.length !== 1)) throw invalid(onlyThat(group, option));
  if (groups[0] !== group) {
    throw invalid(`request to update group ${group}, but config provided contains group ${groups[0]} instead`);
  }
  if (option !== undefined && options[0] !== option) {
    throw invalid(
      `Trying to update option ${option} in group ${group}, but config provided contains option ${options[0]} instead`,
    );
  }
  return config;
}

const onlyThat = (group: string, option: string | undefined): string =>
  option === undefined
    ? `Trying to update group ${group}, so that, and only that, group must be specified in the config`
    : `Trying to update option ${option} in group ${group}, so that, and only that, option must be specified  in the config`;

/** There is no such part in the configuration of the domain. */
export function noPart(domainId: string, { group, option }: Part): Fault {
  const inGroup = option === undefined ? `group ${group}` : `option ${option} in group ${group}`;
  const what = group === undefined ? 'any options' : inGroup;
  return notFound(`Could not find ${what} in domain configuration for domain ${domainId}.`);
}

/** The options as they are stored. */
export const optionsOf = (config: DomainConfig): DomainOption[] =>
  Object.entries(config).flatMap(([group, options]) =>
    Object.entries(options).map(([option, value]) => ({ group, option, value })),
  );

/** Without those that are never shown. */
export const shownOptions = (options: readonly DomainOption[]): DomainOption[] =>
  options.filter(({ group, option }) => !isSensitive(group, option));

/** Options by group, or the one option by itself that was asked for. */
export function configOf(options: readonly DomainOption[], part: Part = {}): object {
  if (part.option !== undefined) return Object.fromEntries(options.map(({ option, value }) => [option, value]));
  const groups = [...new Set(options.map(({ group }) => group))];
  const within = (group: string) => options.filter((one) => one.group === group).map(({ option, value }) => [option, value]);
  return Object.fromEntries(groups.map((group) => [group, Object.fromEntries(within(group)) as object]));
}

/** The defaults of all options, or of a part. @throws 403 for what there is not, or is never shown */
export function defaultConfig(part: Part): object {
  checkPart(part);
  const { group, option } = part;
  if (group !== undefined && option !== undefined && isSensitive(group, option)) {
    throw invalid(`Reading the default for option ${option} in group ${group} is not supported`);
  }
  const fits = (one: DomainOption): boolean =>
    (group === undefined || one.group === group) && (option === undefined || one.option === option);
  return configOf(optionsOf(readable).filter(fits), part);
}

const complianceOptions = ['password_regex', 'password_regex_description'];

/** What passwords must be like: anything. @throws 403 for other domains than the default one, and other options */
export function complianceConfig(domainId: string, option: string | undefined): object {
  if (domainId !== 'default') {
    throw invalid(
      'Reading security compliance information for any domain other than the default domain is not allowed or supported.',
    );
  }
  if (option !== undefined && !complianceOptions.includes(option)) {
    throw invalid('Reading security compliance values other than password_regex and password_regex_description is not allowed.');
  }
  if (option !== undefined) return { [option]: null };
  return { security_compliance: Object.fromEntries(complianceOptions.map((name) => [name, null])) };
}
