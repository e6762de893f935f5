// The flags of `cumulet requests`, and what they ask of the journal.
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { JournalAssertion } from './assertions.ts';
import type { JournalMatch } from './matching.ts';
import type { Json } from '../../kernel/json.ts';

/** The flags of a match as commander has parsed them. */
export interface MatchOptions extends Pick<
  JournalMatch,
  'service' | 'region' | 'operation' | 'method' | 'path' | 'status' | 'project' | 'user' | 'since'
> {
  readonly minVersion?: string;
  readonly maxVersion?: string;
  readonly versionAsked?: string;
  readonly userAgent?: string;
  readonly inside?: boolean | 'any';
}

/** Those of an assertion. */
export interface ClaimOptions extends MatchOptions {
  readonly body?: Json;
  readonly times?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly never?: boolean;
}

/** Adds the flags that say which requests are meant. */
export function withMatchFlags(command: Command): Command {
  return command
    .option('--service <name>', 'requests to this service, such as compute')
    .option('--region <name>', 'in this region')
    .option(
      '--operation <name>',
      'this operation of api-ref, such as servers:create, or this action, such as os-start',
    )
    .option('--method <method>', 'with this method')
    .option(
      '--path <pattern>',
      "at these paths below the service's prefix, such as /v2.1/servers/*; ** stands for any",
    )
    .option('--status <status>', 'answered so: 404, 4xx, or dropped')
    .option('--project <id|name>', 'in this project')
    .option('--user <id|name>', 'of this user')
    .option('--min-version <version>', 'from this microversion on')
    .option('--max-version <version>', 'up to this microversion')
    .option(
      '--version-asked <version>',
      "with this version in the header, such as latest; '' for none",
    )
    .option('--user-agent <text>', 'of a client whose name contains the text')
    .option(
      '--since <id|time>',
      "after the one of this number, or from this time of the machine's on",
    )
    .addOption(
      new Option('--inside [any]', 'that services sent each other; any: these too').choices([
        'any',
      ]),
    );
}

/** Adds those that say how many there are to be. */
export function withClaimFlags(command: Command): Command {
  const number = (flags: string, description: string) =>
    new Option(flags, description).argParser(countOf);
  return withMatchFlags(command)
    .option('--body <json>', 'with a body that contains this', jsonOf)
    .addOption(number('--times <number>', 'there were exactly so many'))
    .addOption(number('--at-least <number>', 'so many or more (default: 1)'))
    .addOption(number('--at-most <number>', 'so many or fewer'))
    .option('--never', 'there was none');
}

/** What the flags ask of the journal. What is undefined in it is not sent. */
export function matchFrom(options: MatchOptions): JournalMatch {
  const { service, region, operation, method, path, status, project, user, since, inside } =
    options;
  const { minVersion, maxVersion, versionAsked, userAgent } = options;
  const match = { service, region, operation, method, path, status, project, user, since, inside };
  const more = {
    min_version: minVersion,
    max_version: maxVersion,
    version_asked: versionAsked,
    user_agent: userAgent,
  };
  return { ...match, ...more } as JournalMatch;
}

/** The assertion that the flags make. */
export function claimFrom(options: ClaimOptions): JournalAssertion {
  const { body, times, atLeast, atMost, never } = options;
  const match = { ...matchFrom(options), ...(body === undefined ? {} : { body }) };
  return { match, times, at_least: atLeast, at_most: atMost, never } as JournalAssertion;
}

function countOf(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('A number is expected.');
  return Number(text);
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new InvalidArgumentError('JSON is expected, such as \'{"server": {"name": "a"}}\'.');
  }
}
