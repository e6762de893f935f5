// The options of `cumulet fault add`, and the fault rule that they describe.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { SECOND } from '../../kernel/clock.ts';
import { argumentParser } from '../../kernel/command-line.ts';
import { parseDuration } from '../../kernel/options.ts';
import type { FaultEffect, FaultMatch, FaultPlan } from './model.ts';

type Headers = Readonly<Record<string, string>>;

/** The options as commander parses them. */
export interface FaultOptions
  extends
    Pick<FaultMatch, 'service' | 'region' | 'operation' | 'method' | 'path' | 'project' | 'user'>,
    Pick<FaultEffect, 'status' | 'message' | 'code' | 'drop'>,
    Pick<FaultPlan, 'count' | 'skip' | 'probability' | 'seed'> {
  readonly minVersion?: string;
  readonly maxVersion?: string;
  readonly header?: Headers;
  readonly internal?: boolean;
  /** The former name of `internal`. */
  readonly inside?: boolean;
  readonly responseHeader?: Headers;
  /** Microseconds. */
  readonly delay?: number;
  readonly after?: boolean;
}

/** Adds the options of a fault rule to a command. */
export function withFaultOptions(command: Command): Command {
  const number = (flags: string, help: string): Option =>
    new Option(flags, help).argParser(numberOf);
  const options: readonly (readonly [group: string, options: readonly Option[]])[] = [
    ['Requests that the rule matches:', matchOptions()],
    [
      'Effect:',
      [
        number('--status <status>', 'return this error status, from 400 to 599'),
        new Option('--message <text>', 'message of the error'),
        new Option('--code <code>', "the service's own code of the error"),
        new Option(
          '--response-header <name=value>',
          'header of the error, such as retry-after=3 (repeatable)',
        ).argParser(headerOf),
        new Option('--delay <duration>', 'wait first, such as 500ms or 2s').argParser(
          argumentParser((text) => parseDuration(text)),
        ),
        new Option('--drop', 'close the connection without a reply'),
        new Option('--after', 'execute the request first, then lose its reply'),
      ],
    ],
    [
      'Frequency:',
      [
        number('--count <number>', 'affect this many requests, then stop'),
        number('--skip <number>', 'let this many matching requests pass first'),
        number('--probability <number>', 'chance that a matching request is affected, 0 to 1'),
        new Option('--seed <text>', 'with --probability: affect the same requests in every run'),
      ],
    ],
  ];
  for (const [group, members] of options)
    for (const one of members) command.addOption(one.helpGroup(group));
  return command;
}

const matchOptions = (): Option[] => [
  new Option('--service <name>', 'requests to this service, such as compute'),
  new Option('--region <name>', 'requests to this region'),
  new Option(
    '--operation <name>',
    'requests to this operation of api-ref, such as servers:create, or this action, such as os-start',
  ),
  new Option('--method <method>', 'requests with this HTTP method'),
  new Option(
    '--path <pattern>',
    "requests to these paths below the service's prefix, such as /v2.1/servers/*; ** matches several segments",
  ),
  new Option('--project <id|name>', 'requests in this project'),
  new Option('--user <id|name>', 'requests of this user'),
  new Option('--min-version <version>', 'requests at this microversion or a newer one'),
  new Option('--max-version <version>', 'requests at this microversion or an older one'),
  new Option(
    '--header <name=text>',
    'requests with a header that contains the text (repeatable)',
  ).argParser(headerOf),
  new Option(
    '--internal',
    'requests that services send to each other, instead of those of clients',
  ),
  new Option('--inside').hideHelp(),
];

/** The fault rule that the options describe. A field that is undefined is not sent. */
export function planFrom(options: FaultOptions): FaultPlan {
  const { service, region, operation, method, path, project, user } = options;
  const { minVersion, maxVersion, header, internal, inside = internal } = options;
  const { status, message, code, responseHeader, delay, drop, after } = options;
  const { count, skip, probability, seed } = options;
  const match = { service, region, operation, method, path, project, user, inside };
  const effect = {
    status,
    message,
    code,
    drop,
    headers: responseHeader,
    when: after ? 'after' : undefined,
  };
  return {
    match: { ...match, min_version: minVersion, max_version: maxVersion, headers: header },
    effect: { ...effect, delay_ms: delay && Math.round((delay * 1000) / SECOND) },
    count,
    skip,
    probability,
    seed,
  } as FaultPlan;
}

function numberOf(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new InvalidArgumentError('Use a number.');
  return number;
}

function headerOf(text: string, before: Headers | undefined): Headers {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Use NAME=VALUE, such as retry-after=3.');
  return { ...before, [name]: value! };
}
