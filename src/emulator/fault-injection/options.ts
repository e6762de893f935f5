// The options of `cumulet fault add`, and the fault rule that they describe.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { SECOND } from '../../kernel/clock.ts';
import { argumentParser } from '../../kernel/command-line.ts';
import { parseDuration } from '../../kernel/options.ts';
import type { FaultEffect, FaultMatch, FaultPlan } from './model.ts';

type Headers = Readonly<Record<string, string>>;

/** The options as commander parses them, by the names that it derives from the flags. */
export type FaultOptions = Readonly<Record<string, unknown>>;

/** How often a rule applies. */
type FaultFrequency = Omit<FaultPlan, 'match' | 'effect'>;

/** The option for each property of a record. Commander parses it to the property's value. */
type OptionTable<T> = Readonly<Record<keyof T, Option>>;

interface FaultOptionTables {
  readonly match: OptionTable<FaultMatch>;
  readonly effect: OptionTable<FaultEffect>;
  readonly frequency: OptionTable<FaultFrequency>;
}

const number = (flags: string, help: string): Option => new Option(flags, help).argParser(numberOf);

/** The option for each property of a fault rule. A property without one does not compile. */
export const faultOptions: FaultOptionTables = {
  match: {
    service: new Option('--service <name>', 'requests to this service, such as compute'),
    region: new Option('--region <name>', 'requests to this region'),
    operation: new Option(
      '--operation <name>',
      'requests to this operation of api-ref, such as servers:create, or this action, such as os-start',
    ),
    method: new Option('--method <method>', 'requests with this HTTP method'),
    path: new Option(
      '--path <pattern>',
      "requests to these paths below the service's prefix, such as /v2.1/servers/*; ** matches several segments",
    ),
    project: new Option('--project <id|name>', 'requests in this project'),
    user: new Option('--user <id|name>', 'requests of this user'),
    min_version: new Option(
      '--min-version <version>',
      'requests at this microversion or a newer one',
    ),
    max_version: new Option(
      '--max-version <version>',
      'requests at this microversion or an older one',
    ),
    headers: new Option(
      '--header <name=text>',
      'requests with a header that contains the text (repeatable)',
    ).argParser(headerOf),
    inside: new Option(
      '--internal',
      'requests that services send to each other, instead of those of clients',
    ),
  },
  effect: {
    status: number('--status <status>', 'return this error status, from 400 to 599'),
    message: new Option('--message <text>', 'message of the error'),
    code: new Option('--code <code>', "the service's own code of the error"),
    headers: new Option(
      '--response-header <name=value>',
      'header of the error, such as retry-after=3 (repeatable)',
    ).argParser(headerOf),
    delay_ms: new Option('--delay <duration>', 'wait first, such as 500ms or 2s').argParser(
      argumentParser((text) => Math.round((parseDuration(text) * 1000) / SECOND)),
    ),
    drop: new Option('--drop', 'close the connection without a reply'),
    when: new Option('--after', 'execute the request first, then lose its reply').preset('after'),
  },
  frequency: {
    count: number('--count <number>', 'affect this many requests, then stop'),
    skip: number('--skip <number>', 'let this many matching requests pass first'),
    probability: number(
      '--probability <number>',
      'chance that a matching request is affected, 0 to 1',
    ),
    seed: new Option('--seed <text>', 'with --probability: affect the same requests in every run'),
  },
};

/** The former name of `--internal`. */
const formerInternal = new Option('--inside').implies({ internal: true }).hideHelp();

/** Adds the options of a fault rule to a command. */
export function withFaultOptions(command: Command): Command {
  const groups: readonly (readonly [heading: string, table: Readonly<Record<string, Option>>])[] = [
    ['Requests that the rule matches:', faultOptions.match],
    ['Effect:', faultOptions.effect],
    ['Frequency:', faultOptions.frequency],
  ];
  for (const [heading, table] of groups)
    for (const option of Object.values(table)) command.addOption(option.helpGroup(heading));
  return command.addOption(formerInternal);
}

/** The fault rule that the options describe. */
export const planFrom = (given: FaultOptions): FaultPlan => ({
  match: valuesOf(faultOptions.match, given),
  effect: valuesOf(faultOptions.effect, given),
  ...valuesOf<FaultFrequency>(faultOptions.frequency, given),
});

/** The values of the options that are given, by the properties that they set. */
function valuesOf<T>(table: OptionTable<T>, given: FaultOptions): T {
  const values = Object.entries<Option>(table).map(
    ([property, option]) => [property, given[option.attributeName()]] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as T;
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
