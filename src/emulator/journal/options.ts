// The options of `cumulet requests`, and the filters and assertions that they describe.
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { JournalAssertion, JournalMatch } from './model.ts';
import type { Json } from '../../kernel/json.ts';

/** The options of a filter as commander parses them. */
export interface MatchOptions extends Pick<
  JournalMatch,
  'service' | 'region' | 'operation' | 'method' | 'path' | 'status' | 'project' | 'user' | 'since'
> {
  readonly minVersion?: string;
  readonly maxVersion?: string;
  readonly requestedVersion?: string;
  readonly userAgent?: string;
  readonly internal?: boolean | 'any';
  /** The former names of `requestedVersion` and `internal`. */
  readonly versionAsked?: string;
  readonly inside?: boolean | 'any';
}

/** The options of an assertion. */
export interface AssertionOptions extends MatchOptions {
  readonly body?: Json;
  readonly times?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly never?: boolean;
}

/** Adds the options of a filter to a command. */
export function withMatchOptions(command: Command): Command {
  const options = [
    new Option('--service <name>', 'requests to this service, such as compute'),
    new Option('--region <name>', 'requests to this region'),
    new Option(
      '--operation <name>',
      'requests to this operation of api-ref, such as servers:create, or this action, such ' +
        'as os-start',
    ),
    new Option('--method <method>', 'requests with this HTTP method'),
    new Option(
      '--path <pattern>',
      "requests to these paths below the service's prefix, such as /v2.1/servers/*; ** " +
        'matches several segments',
    ),
    new Option('--status <status>', 'requests with this outcome: 404, 4xx or dropped'),
    new Option('--project <id|name>', 'requests in this project'),
    new Option('--user <id|name>', 'requests of this user'),
    new Option('--min-version <version>', 'requests at this microversion or a newer one'),
    new Option('--max-version <version>', 'requests at this microversion or an older one'),
    new Option(
      '--requested-version <version>',
      "requests whose version header says this, such as latest; '' for no header",
    ),
    new Option('--user-agent <text>', 'requests whose User-Agent contains the text'),
    new Option(
      '--since <id|time>',
      'requests after this number of the journal, or from this time on by the clock of the machine',
    ),
    new Option(
      '--internal [any]',
      'requests that services send to each other; with any, those of clients too',
    ).choices(['any']),
    new Option('--version-asked <version>').hideHelp(),
    new Option('--inside [any]').choices(['any']).hideHelp(),
  ];
  for (const one of options) command.addOption(one.helpGroup('Filters:'));
  return command;
}

/** Adds the options of an assertion to a command. */
export function withAssertionOptions(command: Command): Command {
  const number = (flags: string, help: string): Option =>
    new Option(flags, help).argParser(countOf);
  withMatchOptions(command).addOption(
    new Option('--body <json>', 'requests whose body contains this JSON')
      .argParser(jsonOf)
      .helpGroup('Filters:'),
  );
  const counts = [
    number('--times <number>', 'expect exactly this many requests'),
    number('--at-least <number>', 'expect this many requests or more (default: 1)'),
    number('--at-most <number>', 'expect this many requests or fewer'),
    new Option('--never', 'expect no request'),
  ];
  for (const one of counts) command.addOption(one.helpGroup('Expected number:'));
  return command;
}

/** The filter that the options describe. A field that is undefined is not sent. */
export function matchFrom(options: MatchOptions): JournalMatch {
  const { service, region, operation, method, path, status, project, user, since } = options;
  const { minVersion, maxVersion, userAgent, internal, inside = internal } = options;
  const { requestedVersion, versionAsked = requestedVersion } = options;
  const match = { service, region, operation, method, path, status, project, user, since, inside };
  const more = {
    min_version: minVersion,
    max_version: maxVersion,
    version_asked: versionAsked,
    user_agent: userAgent,
  };
  return { ...match, ...more } as JournalMatch;
}

/** The assertion that the options describe. */
export function assertionFrom(options: AssertionOptions): JournalAssertion {
  const { body, times, atLeast, atMost, never } = options;
  const match = { ...matchFrom(options), ...(body === undefined ? {} : { body }) };
  return { match, times, at_least: atLeast, at_most: atMost, never } as JournalAssertion;
}

function countOf(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('Use a number, such as 2.');
  return Number(text);
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new InvalidArgumentError('Use JSON, such as \'{"server": {"name": "a"}}\'.');
  }
}
